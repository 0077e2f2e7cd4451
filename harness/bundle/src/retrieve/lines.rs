//! JSON Lines, streamed: one line in memory at a time.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use axilog_ledger::error::FileError;
use serde::de::DeserializeOwned;

use super::history::SkippedRecord;
use crate::error::BundleError;
use crate::model::ProvenanceRecord;
use crate::provenance::{self, HashingReader};

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// Says why a part of a line is skipped.
pub(super) type SkipPart<'a> = &'a mut dyn FnMut(String);

/// Hands each line of `path` that parses as a `T` to `take`, and gives the file's provenance. `take` gets a
/// function for the reasons why it skips parts of the line. Blank lines are ignored.
pub(super) fn read_each_record<T: DeserializeOwned>(
    path: &Path,
    skipped: &mut dyn FnMut(SkippedRecord),
    take: &mut dyn FnMut(T, SkipPart<'_>),
) -> Result<ProvenanceRecord, BundleError> {
    let Some(file) = provenance::open(path, "read the history")? else {
        return Ok(provenance::record_missing_file(path));
    };
    let mut reader = BufReader::new(HashingReader::new(file));
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let read = read_line(&mut reader, &mut line).map_err(FileError::from_io(path, "read"))?;
        let Some(whole) = read else {
            let record = reader.into_inner().record(path);
            return Ok(record.map_err(FileError::from_io(path, "read"))?);
        };
        number += 1;
        let mut skip = |reason: String| {
            skipped(SkippedRecord {
                path: path.to_owned(),
                number: Some(number),
                reason,
            });
        };
        match serde_json::from_slice(&line) {
            _ if !whole => skip(format!("longer than {MAX_LINE} bytes")),
            _ if line.trim_ascii().is_empty() => {}
            Ok(record) => take(record, &mut skip),
            Err(error) => skip(format!("not a valid record: {error}")),
        }
    }
}

/// Reads a line and says whether it is whole: of a line that is too long the rest is passed over.
/// `None` at the end.
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
