//! Deriving every table anew from the log.

use rusqlite::params;

use crate::apply::apply_entry;
use crate::apply_error::ApplyError;
use crate::entry::EntryBody;
use crate::error::{MemoryError, Result};
use crate::log::LogHead;
use crate::log_head;
use crate::reader::MemoryReader;
use crate::remaking::RemadeOutputs;
use crate::schema;

/// What a rebuild found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Where the log ends.
    pub head: LogHead,
    /// What became of the outputs that were shown, made again.
    pub shown: RemadeOutputs,
}

/// Empties the derived tables and derives them again from the log, within the open transaction.
pub(crate) fn derive_tables(reader: &MemoryReader) -> Result<LogHead> {
    derive_and_visit(reader, &mut |_, _| Ok(()))
}

/// Derives the tables as [`derive_tables`] does, and makes each output again that was shown.
pub(crate) fn derive_and_remake(reader: &MemoryReader) -> Result<Rebuilt> {
    let mut shown = RemadeOutputs::default();
    let head = derive_and_visit(reader, &mut |seq, body| {
        remake_if_shown(reader, &mut shown, seq, body)
    })?;
    Ok(Rebuilt { head, shown })
}

pub(crate) fn remake_if_shown(
    reader: &MemoryReader,
    shown: &mut RemadeOutputs,
    seq: u64,
    body: &EntryBody,
) -> Result<()> {
    match body {
        EntryBody::Shown(body) => shown.take(reader, seq, body),
        _ => Ok(()),
    }
}

/// Derives the tables, and hands each entry to `visit` while they are those of the entries before it.
pub(crate) fn derive_and_visit(
    reader: &MemoryReader,
    visit: &mut dyn FnMut(u64, &EntryBody) -> Result<()>,
) -> Result<LogHead> {
    let (conn, path) = (&reader.conn, &reader.path);
    let failed = || MemoryError::sqlite(path, "rebuild the tables");
    schema::clear_tables(conn).map_err(failed())?;
    reader.forget_exact_strings();
    let head = log_head::read_whole_log(conn, path, &mut |entry| {
        let stray = |error| match error {
            ApplyError::Sqlite(error) => failed()(error),
            ApplyError::Rule(error) => MemoryError::Damaged {
                path: path.clone(),
                seq: entry.seq,
                reason: format!("it does not follow from those before: {error}"),
            },
        };
        let body = entry.kind.read_body(&entry.body);
        let body = body.map_err(|error| stray(error.into()))?;
        visit(entry.seq, &body)?;
        apply_entry(conn, entry.seq, body).map_err(stray)
    })?;
    conn.execute("UPDATE applied SET seq = ?1", params![head.seq])
        .map_err(failed())?;
    Ok(head)
}
