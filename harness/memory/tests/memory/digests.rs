//! The digests of the derived tables, made here a second time.

use std::path::Path;

use axilog::hash::Hasher;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

/// The names of the tables that have a digest.
pub fn tables(conn: &Connection) -> Vec<String> {
    let mut all = conn.prepare("SELECT name FROM table_digest").unwrap();
    let names = all.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

/// The sum of the hashes of a table's rows, in four numbers of 64 bits.
fn digest(conn: &Connection, table: &str) -> Vec<u8> {
    let mut all = conn.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let columns = all.column_count();
    let mut rows = all.query([]).unwrap();
    let mut sums = [0_u64; 4];
    while let Some(row) = rows.next().unwrap() {
        let mut bytes = Vec::new();
        for column in 0..columns {
            let (kind, value) = match row.get_ref(column).unwrap() {
                ValueRef::Null => (0, Vec::new()),
                ValueRef::Integer(number) => (1, number.to_le_bytes().to_vec()),
                ValueRef::Real(_) => panic!("no table has such numbers"),
                ValueRef::Text(text) => (3, text.to_vec()),
                ValueRef::Blob(blob) => (4, blob.to_vec()),
            };
            bytes.push(kind);
            bytes.extend(u64::try_from(value.len()).unwrap().to_le_bytes());
            bytes.extend(value);
        }
        let mut hasher = Hasher::new();
        hasher.update(&bytes);
        for (sum, part) in sums.iter_mut().zip(hasher.finish().chunks(8)) {
            *sum = sum.wrapping_add(u64::from_le_bytes(part.try_into().unwrap()));
        }
    }
    sums.iter().flat_map(|sum| sum.to_le_bytes()).collect()
}

/// Gives each table the digest of what is in it.
pub fn keep_digests(path: &Path) {
    let conn = Connection::open(path).unwrap();
    for table in tables(&conn) {
        let digest = digest(&conn, &table);
        let keep = "UPDATE table_digest SET digest = ?1 WHERE name = ?2";
        conn.execute(keep, params![digest, table]).unwrap();
    }
}
