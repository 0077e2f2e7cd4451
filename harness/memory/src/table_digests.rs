//! Digests of the derived tables, by which a table is found that another program changed.
//!
//! The digest of a table is the sum of its rows' hashes, so that each change of a row changes it at once. Triggers do
//! that which only a writer's connection has: another program changes the table, and the digest stays as it was.
//! Whoever changes both is found by a rebuild and by gate G1.

use std::path::Path;

use axilog::hash::{Hash, Hasher};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{MemoryError, Result};
use crate::schema::TABLES;

/// The tables of the facts, which are large. They are compared where facts are told or searched for.
pub(crate) const FACT_TABLES: [&str; 4] = ["detail", "fact", "tag", "visible"];

/// The tables of everything else. They are compared whenever the memory is read or appended to.
pub(crate) const STORY_TABLES: [&str; 12] = [
    "asset",
    "attempt",
    "compaction",
    "consent",
    "guess",
    "learned",
    "opened_rule",
    "pin",
    "pointer",
    "retracted",
    "unlocked",
    "used_name",
];

/// The tables of which a writer takes single rows away. From every other one rows go by
/// [`clear_tables`](crate::schema::clear_tables) alone.
const SHRINKING_TABLES: [&str; 1] = ["visible"];

/// The SQL function that adds a row to a digest, or takes one from it.
const FUNCTION: &str = "axilog_digest";

/// The sum of the hashes of a table's rows: four numbers, each of which wraps around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TableDigest([u64; 4]);

impl TableDigest {
    fn from_bytes(bytes: &[u8]) -> TableDigest {
        let mut sums = [0; 4];
        for (sum, part) in sums.iter_mut().zip(bytes.chunks(8)) {
            let part = part.iter().rev();
            *sum = part.fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        }
        TableDigest(sums)
    }

    fn to_bytes(self) -> Vec<u8> {
        self.0.iter().flat_map(|sum| sum.to_le_bytes()).collect()
    }

    fn change(&mut self, row: &Hash, change: fn(u64, u64) -> u64) {
        let row = TableDigest::from_bytes(row);
        for (sum, part) in self.0.iter_mut().zip(row.0) {
            *sum = change(*sum, part);
        }
    }
}

/// The hash of a row: of each value its type, its length and its bytes.
fn hash_row<'a>(values: impl Iterator<Item = ValueRef<'a>>) -> Hash {
    let mut hasher = Hasher::new();
    for value in values {
        let (kind, bytes): (u8, &[u8]) = match value {
            ValueRef::Null => (0, &[]),
            ValueRef::Integer(number) => (1, &number.to_le_bytes()),
            ValueRef::Real(number) => (2, &number.to_le_bytes()),
            ValueRef::Text(text) => (3, text),
            ValueRef::Blob(bytes) => (4, bytes),
        };
        hasher.update(&[kind]);
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hasher.finish()
}

/// Makes this connection keep the digests of what it writes.
pub(crate) fn keep_digests(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function(FUNCTION, -1, flags, |call| {
        let mut digest = TableDigest::from_bytes(call.get_raw(0).as_blob()?);
        let row = hash_row((2..call.len()).map(|at| call.get_raw(at)));
        let change = match call.get::<i64>(1)? {
            1 => u64::wrapping_add,
            _ => u64::wrapping_sub,
        };
        digest.change(&row, change);
        Ok(digest.to_bytes())
    })?;
    for table in TABLES {
        let columns = read_columns(conn, table)?;
        let row = |state: &str| -> String {
            let values = columns.iter().map(|name| format!(", {state}.{name}"));
            values.collect()
        };
        let (new, old) = (row("NEW"), row("OLD"));
        conn.execute_batch(&format!(
            "CREATE TEMP TRIGGER IF NOT EXISTS {table}_added AFTER INSERT ON main.{table} BEGIN
                 UPDATE table_digest SET digest = {FUNCTION}(digest, 1{new}) WHERE name = '{table}';
             END;
             CREATE TEMP TRIGGER IF NOT EXISTS {table}_changed AFTER UPDATE ON main.{table} BEGIN
                 UPDATE table_digest SET digest = {FUNCTION}({FUNCTION}(digest, -1{old}), 1{new})
                 WHERE name = '{table}';
             END;"
        ))?;
        if SHRINKING_TABLES.contains(&table) {
            conn.execute_batch(&format!(
                "CREATE TEMP TRIGGER IF NOT EXISTS {table}_removed AFTER DELETE ON main.{table} BEGIN
                     UPDATE table_digest SET digest = {FUNCTION}(digest, -1{old}) WHERE name = '{table}';
                 END;"
            ))?;
        }
    }
    Ok(())
}

/// The names of a table's columns.
fn read_columns(conn: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    conn.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?
        .query_map(params![table], |row| row.get(0))?
        .collect()
}

/// Finds the first of `tables` whose rows are not those of its digest.
///
/// # Errors
/// [`MemoryError::Sqlite`].
pub(crate) fn find_changed_table(
    conn: &Connection,
    path: &Path,
    tables: &[&'static str],
) -> Result<Option<&'static str>> {
    let is_whole = |table| {
        let kept = conn
            .prepare_cached("SELECT digest FROM table_digest WHERE name = ?1")?
            .query_row(params![table], |row| {
                Ok(TableDigest::from_bytes(row.get_ref(0)?.as_blob()?))
            })
            .optional()?;
        Ok(Some(read_digest(conn, table)?) == kept)
    };
    for table in tables {
        let failed = MemoryError::sqlite(path, "compare the tables with their digests");
        if !is_whole(table).map_err(failed)? {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

fn read_digest(conn: &Connection, table: &str) -> rusqlite::Result<TableDigest> {
    let mut all = conn.prepare_cached(&format!("SELECT * FROM {table}"))?;
    let columns = all.column_count();
    let mut rows = all.query(params![])?;
    let mut digest = TableDigest::default();
    while let Some(row) = rows.next()? {
        let mut values = Vec::with_capacity(columns);
        for column in 0..columns {
            values.push(row.get_ref(column)?);
        }
        digest.change(&hash_row(values.into_iter()), u64::wrapping_add);
    }
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_derived_table_is_compared() {
        let mut compared = [&FACT_TABLES[..], &STORY_TABLES[..]].concat();
        let mut all = TABLES.to_vec();
        compared.sort_unstable();
        all.sort_unstable();
        assert_eq!(compared, all);
    }

    #[test]
    fn a_digest_is_of_the_rows_in_any_order() {
        let rows: Vec<Hash> = (0..4)
            .map(|number| hash_row([ValueRef::Integer(number)].into_iter()))
            .collect();
        let (mut digest, mut other) = (TableDigest::default(), TableDigest::default());
        rows.iter()
            .for_each(|row| digest.change(row, u64::wrapping_add));
        rows.iter()
            .rev()
            .for_each(|row| other.change(row, u64::wrapping_add));
        assert_eq!(digest, other);
        assert_eq!(TableDigest::from_bytes(&digest.to_bytes()), digest);
        digest.change(&rows[0], u64::wrapping_sub);
        assert_ne!(digest, other);
        // Values do not run into one another.
        let split = hash_row([ValueRef::Text(b"a"), ValueRef::Text(b"bc")].into_iter());
        assert_ne!(
            split,
            hash_row([ValueRef::Text(b"ab"), ValueRef::Text(b"c")].into_iter())
        );
    }
}
