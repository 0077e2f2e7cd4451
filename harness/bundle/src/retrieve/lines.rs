//! JSON Lines, streamed: one line in memory at a time.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use axilog_ledger::error::FileError;
use serde::de::DeserializeOwned;

use super::Skipped;
use crate::BundleError;
use crate::model::ProvenanceRecord;
use crate::provenance::{self, Hashed};

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// Hands each line of `path` that is a `T` to `take`, and gives the file's record. Blank lines are
/// nothing.
pub(super) fn each<T: DeserializeOwned>(
    path: &Path,
    skipped: &mut dyn FnMut(Skipped),
    take: &mut dyn FnMut(T),
) -> Result<ProvenanceRecord, BundleError> {
    let Some(file) = provenance::open(path)? else {
        return Ok(provenance::not_found(path));
    };
    let mut reader = BufReader::new(Hashed::new(file));
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let read = read_line(&mut reader, &mut line).map_err(FileError::at(path, "read"))?;
        let Some(whole) = read else {
            let record = reader.into_inner().record(path);
            return Ok(record.map_err(FileError::at(path, "read"))?);
        };
        number += 1;
        let reason = match serde_json::from_slice(&line) {
            _ if !whole => format!("longer than {MAX_LINE} bytes"),
            _ if line.trim_ascii().is_empty() => continue,
            Ok(record) => {
                take(record);
                continue;
            }
            Err(error) => format!("no such record: {error}"),
        };
        skipped(Skipped {
            path: path.to_owned(),
            number: Some(number),
            reason,
        });
    }
}

/// Reads a line; `None` at the end, and whether it is whole. What is too long is passed over.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    reader.take(MAX_LINE + 1).read_until(b'\n', line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() as u64 <= MAX_LINE || line.ends_with(b"\n") {
        return Ok(Some(true));
    }
    line.clear();
    loop {
        let buffer = reader.fill_buf()?;
        let (used, ended) = match memchr::memchr(b'\n', buffer) {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(used);
        if ended {
            return Ok(Some(false));
        }
    }
}
