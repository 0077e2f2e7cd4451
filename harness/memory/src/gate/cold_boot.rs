//! G1 ORC-COLD-BOOT: what is derived from the log alone is what there is, to the byte.

use axilog::hash::Hasher;
use rusqlite::types::ValueRef;
use rusqlite::{TransactionBehavior, params};

use super::{Finding, canonical_query, queries};
use crate::canonical::Handle;
use crate::error::{MemoryError, Result};
use crate::lens::Lens;
use crate::schema::TABLES;
use crate::store::{Store, derive};

pub(super) fn check(
    store: &mut Store,
    golden: Option<Handle>,
    finding: &mut Finding,
) -> Result<()> {
    let lens = store.lens();
    let failed = || MemoryError::sqlite(lens.path(), "rebuild the tables");
    let set = lens.working_set(&canonical_query())?.id();
    let behavior = TransactionBehavior::Immediate;
    // Rolled back at the end: a gate changes nothing.
    let trial = rusqlite::Transaction::new_unchecked(&lens.conn, behavior).map_err(failed())?;
    let (tables, sets) = (digests(lens)?, sets(lens)?);
    let head = derive(lens)?;
    lens.forget();
    let (new_tables, new_sets) = (digests(lens)?, self::sets(lens)?);
    trial.rollback().map_err(failed())?;
    lens.forget();
    for ((name, digest), (_, new)) in tables.iter().zip(&new_tables) {
        if digest != new {
            finding
                .faults
                .push(format!("the table {name} is not what the log gives"));
        }
    }
    for ((query, set), (_, new)) in sets.iter().zip(&new_sets) {
        if set != new {
            finding.faults.push(format!(
                "the working set for {query} is {set}, and {new} after a rebuild"
            ));
        }
    }
    finding.checked.push(format!(
        "{} entries, their chain, and {} tables derived anew",
        head.seq,
        tables.len()
    ));
    finding
        .checked
        .push(format!("{} working sets, byte for byte", sets.len()));
    finding.checked.push(format!("bytes_hash {set}"));
    if let Some(golden) = golden {
        finding.checked.push(format!("golden     {golden}"));
        if golden != set {
            finding
                .faults
                .push("the bytes_hash is not the golden one".to_owned());
        }
    }
    Ok(())
}

/// The working sets of all classes and players, by id.
fn sets(lens: &Lens) -> Result<Vec<(String, Handle)>> {
    let mut sets = Vec::new();
    for query in queries(lens)? {
        let about = format!(
            "{} seen by [{}]",
            query.audience.class.as_str(),
            query.audience.viewers.join(", ")
        );
        sets.push((about, lens.working_set(&query)?.id()));
    }
    Ok(sets)
}

/// A digest of the rows of each table, in order.
fn digests(lens: &Lens) -> Result<Vec<(&'static str, Handle)>> {
    let mut digests = Vec::new();
    for table in TABLES {
        let digest = digest(lens, table).map_err(lens.failed())?;
        digests.push((table, digest));
    }
    Ok(digests)
}

fn digest(lens: &Lens, table: &str) -> rusqlite::Result<Handle> {
    // The tables are WITHOUT ROWID: their own order is that of the primary key.
    let mut all = lens.conn.prepare(&format!("SELECT * FROM {table}"))?;
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
