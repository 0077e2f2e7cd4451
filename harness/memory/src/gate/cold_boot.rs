//! G1 ORC-COLD-BOOT: the tables and working sets are what the log alone gives, to the byte.

use axilog::hash::Hasher;
use rusqlite::types::ValueRef;
use rusqlite::{TransactionBehavior, params};

use super::queries::{canonical_query, output_queries};
use super::report::GateReport;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::reader::MemoryReader;
use crate::schema::TABLES;
use crate::store::{MemoryStore, derive_tables};

pub(super) fn check(
    store: &mut MemoryStore,
    golden: Option<Handle>,
    report: &mut GateReport,
) -> Result<()> {
    let reader = store.reader();
    let failed = || MemoryError::sqlite(reader.path(), "rebuild the tables");
    let set = reader.build_working_set(&canonical_query())?.id();
    let behavior = TransactionBehavior::Immediate;
    // Rolled back at the end: a gate changes nothing.
    let trial = rusqlite::Transaction::new_unchecked(&reader.conn, behavior).map_err(failed())?;
    let (tables, sets) = (digest_tables(reader)?, working_set_ids(reader)?);
    let head = derive_tables(reader)?;
    reader.forget_exact_strings();
    let (new_tables, new_sets) = (digest_tables(reader)?, working_set_ids(reader)?);
    trial.rollback().map_err(failed())?;
    reader.forget_exact_strings();
    for ((name, digest), (_, new)) in tables.iter().zip(&new_tables) {
        if digest != new {
            report
                .faults
                .push(format!("the table {name} is not what the log gives"));
        }
    }
    for ((query, set), (_, new)) in sets.iter().zip(&new_sets) {
        if set != new {
            report.faults.push(format!(
                "the working set for {query} is {set}, and {new} after a rebuild"
            ));
        }
    }
    report.checked.push(format!(
        "{} entries, their chain, and {} tables derived anew",
        head.seq,
        tables.len()
    ));
    report
        .checked
        .push(format!("{} working sets, byte for byte", sets.len()));
    report.checked.push(format!("bytes_hash {set}"));
    if let Some(golden) = golden {
        report.checked.push(format!("golden     {golden}"));
        if golden != set {
            report
                .faults
                .push("the bytes_hash is not the golden one".to_owned());
        }
    }
    Ok(())
}

/// The ids of the working sets of every class and player, each with its query in words.
fn working_set_ids(reader: &MemoryReader) -> Result<Vec<(String, Handle)>> {
    let mut sets = Vec::new();
    for query in output_queries(reader)? {
        let about = format!(
            "{} seen by [{}]",
            query.audience.class.as_str(),
            query.audience.viewers.join(", ")
        );
        sets.push((about, reader.build_working_set(&query)?.id()));
    }
    Ok(sets)
}

/// The digests of the derived tables.
fn digest_tables(reader: &MemoryReader) -> Result<Vec<(&'static str, Handle)>> {
    let mut digests = Vec::new();
    for table in TABLES {
        let digest = digest_table(reader, table).map_err(reader.read_error())?;
        digests.push((table, digest));
    }
    Ok(digests)
}

fn digest_table(reader: &MemoryReader, table: &str) -> rusqlite::Result<Handle> {
    // The tables are WITHOUT ROWID: their own order is that of the primary key.
    let mut all = reader.conn.prepare(&format!("SELECT * FROM {table}"))?;
    let columns = all.column_count();
    let mut rows = all.query(params![])?;
    let mut hasher = Hasher::new();
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            let (kind, bytes): (u8, &[u8]) = match row.get_ref(column)? {
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
    }
    Ok(Handle(hasher.finish()))
}
