//! Where a derived table differs from what the log gives. The log is applied once more for it, beside the memory.

use std::path::Path;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Rows, params, params_from_iter};

use crate::apply::apply_entry;
use crate::canonical::CanonicalJson;
use crate::error::{MemoryError, Result};
use crate::log::{self, LogHead};
use crate::log_head;
use crate::schema;

/// Says in which row `table` first differs from what the log gives: by the entry that made the row, as a row may hold
/// what is locked.
///
/// # Errors
/// [`MemoryError::Damaged`] where the log itself was changed; [`MemoryError::Sqlite`].
pub(crate) fn describe_change(conn: &Connection, path: &Path, table: &str) -> Result<String> {
    let derived = derive_beside(conn, path)?;
    find_difference(conn, &derived, table)
        .map_err(MemoryError::sqlite(path, "compare the table with the log"))
}

/// Applies the log to tables in a temporary database of SQLite's, which is gone when it is closed.
fn derive_beside(conn: &Connection, path: &Path) -> Result<Connection> {
    let failed = || MemoryError::sqlite(path, "derive the tables beside the memory");
    let beside = Connection::open("").map_err(failed())?;
    schema::migrate(&beside).map_err(failed())?;
    let mut head = LogHead {
        seq: 0,
        chain: None,
    };
    let transaction = beside.unchecked_transaction().map_err(failed())?;
    log_head::read_whole_log(conn, path, &mut |entry| {
        let body = CanonicalJson::from_value(entry.kind.as_str(), entry.body)?;
        log::append(&beside, &mut head, entry.kind, &body).map_err(failed())?;
        apply_entry(&beside, entry.seq, entry.kind.read_body(body.value())?)
            .map_err(|error| error.into_memory_error(failed()))
    })?;
    transaction.commit().map_err(failed())?;
    Ok(beside)
}

/// A table's columns, and which of them are its key.
struct Columns {
    names: Vec<String>,
    keys: Vec<usize>,
    /// Which one has the entry that made the row.
    seq: usize,
}

impl Columns {
    fn read(conn: &Connection, table: &str) -> rusqlite::Result<Columns> {
        let mut all =
            conn.prepare("SELECT name, pk > 0 FROM pragma_table_info(?1) ORDER BY cid")?;
        let columns = all
            .query_map(params![table], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<(String, bool)>>>()?;
        let keys = columns
            .iter()
            .enumerate()
            .filter(|(_, (_, is_key))| *is_key);
        Ok(Columns {
            keys: keys.map(|(index, _)| index).collect(),
            seq: columns
                .iter()
                .position(|(name, _)| name == "seq")
                .unwrap_or(0),
            names: columns.into_iter().map(|(name, _)| name).collect(),
        })
    }

    fn next_row(&self, rows: &mut Rows<'_>) -> rusqlite::Result<Option<Vec<Sql>>> {
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        (0..self.names.len())
            .map(|column| row.get(column))
            .collect::<rusqlite::Result<_>>()
            .map(Some)
    }

    fn key(&self, row: &[Sql]) -> Vec<Sql> {
        self.keys
            .iter()
            .filter_map(|index| row.get(*index).cloned())
            .collect()
    }

    fn entry(&self, row: &[Sql]) -> String {
        match row.get(self.seq) {
            Some(Sql::Integer(seq)) => format!("entry {seq}"),
            _ => "no entry".to_owned(),
        }
    }
}

fn find_difference(
    kept: &Connection,
    derived: &Connection,
    table: &str,
) -> rusqlite::Result<String> {
    let columns = Columns::read(derived, table)?;
    let order: Vec<String> = columns
        .keys
        .iter()
        .map(|key| (key + 1).to_string())
        .collect();
    let all = format!(
        "SELECT {} FROM {table} ORDER BY {}",
        columns.names.join(", "),
        order.join(", ")
    );
    let (mut kept_rows, mut derived_rows) = (kept.prepare(&all)?, derived.prepare(&all)?);
    let (mut kept_rows, mut derived_rows) =
        (kept_rows.query(params![])?, derived_rows.query(params![])?);
    loop {
        let found = columns.next_row(&mut kept_rows)?;
        let expected = columns.next_row(&mut derived_rows)?;
        match (found, expected) {
            (None, None) => return Ok("its kept digest is of other rows".to_owned()),
            (found, expected) if found == expected => {}
            (Some(found), Some(expected)) if columns.key(&found) == columns.key(&expected) => {
                let pairs = found.iter().zip(&expected).zip(&columns.names);
                let other = pairs.filter(|((found, expected), _)| found != expected);
                let names: Vec<&str> = other.map(|(_, name)| &**name).collect();
                let entry = columns.entry(&expected);
                return Ok(format!(
                    "the row of {entry} has another {}",
                    names.join(" and ")
                ));
            }
            (Some(found), expected) => {
                let missing = match expected {
                    Some(expected) if !has_row(kept, table, &columns, &expected)? => Some(expected),
                    _ => None,
                };
                return Ok(match missing {
                    Some(expected) => format!("the row of {} is missing", columns.entry(&expected)),
                    None => format!(
                        "the log gives no such row as one of {}",
                        columns.entry(&found)
                    ),
                });
            }
            (None, Some(expected)) => {
                return Ok(format!(
                    "the row of {} is missing",
                    columns.entry(&expected)
                ));
            }
        }
    }
}

/// Whether the memory's table has a row with this row's key.
fn has_row(
    kept: &Connection,
    table: &str,
    columns: &Columns,
    row: &[Sql],
) -> rusqlite::Result<bool> {
    let names = columns
        .keys
        .iter()
        .filter_map(|index| columns.names.get(*index));
    let wanted: Vec<String> = names
        .enumerate()
        .map(|(at, name)| format!("{name} IS ?{}", at + 1))
        .collect();
    kept.prepare(&format!(
        "SELECT 1 FROM {table} WHERE {}",
        wanted.join(" AND ")
    ))?
    .exists(params_from_iter(columns.key(row)))
}
