//! Provenance: the SHA-256 and size of each file that went into a bundle (A6).

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use axilog::hash::{Hasher, sha256};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, open_input, read_input};

use super::model::ProvenanceRecord;
use super::value::nfc;
use crate::error::BundleError;

/// The value in place of the hash where the file does not exist (A6.3).
pub const FILE_NOT_FOUND: &str = "FILE_NOT_FOUND";

/// A reader that hashes what is read, so that content and provenance come from one reading.
pub(super) struct HashingReader<R> {
    source: R,
    hasher: Hasher,
    size: u64,
}

impl<R: Read> HashingReader<R> {
    pub(super) fn new(source: R) -> HashingReader<R> {
        HashingReader {
            source,
            hasher: Hasher::new(),
            size: 0,
        }
    }

    /// Reads the rest of the file and gives the provenance of the whole.
    pub(super) fn record(mut self, path: &Path) -> io::Result<ProvenanceRecord> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(ProvenanceRecord {
            path: path_text(path),
            sha256: hex(&self.hasher.finish()),
            size_bytes: self.size,
        })
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.hasher.update(buffer.get(..count).unwrap_or_default());
        self.size += count as u64;
        Ok(count)
    }
}

/// Opens a file to do `action` with it; `None` where there is nothing of that name. A directory, a device or a
/// pipe that would have to be waited for is an error that says so.
pub(super) fn open(path: &Path, action: &'static str) -> Result<Option<File>, BundleError> {
    let missing = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
    match open_input(path, action) {
        Err(FileError::Io { source, .. }) if missing(source.kind()) => Ok(None),
        file => Ok(Some(file?)),
    }
}

/// The bytes of a file that is wanted whole, of at most 64 MiB; `<(command)` will do.
pub(super) fn read(path: &Path, action: &'static str) -> Result<Vec<u8>, BundleError> {
    Ok(read_input(path, action, MAX_INPUT_BYTES)?)
}

/// Gives the provenance of a file, whatever the file holds; `action` says what for.
pub(super) fn record_file(
    path: &Path,
    action: &'static str,
) -> Result<ProvenanceRecord, BundleError> {
    match open(path, action)? {
        Some(file) => Ok(HashingReader::new(file)
            .record(path)
            .map_err(FileError::from_io(path, "read"))?),
        None => Ok(record_missing_file(path)),
    }
}

/// Gives the provenance of a file that has these bytes.
pub(super) fn record_bytes(path: &Path, bytes: &[u8]) -> ProvenanceRecord {
    ProvenanceRecord {
        path: path_text(path),
        sha256: hex(&sha256(bytes)),
        size_bytes: bytes.len() as u64,
    }
}

/// Gives the provenance of a file that does not exist.
pub(super) fn record_missing_file(path: &Path) -> ProvenanceRecord {
    ProvenanceRecord {
        path: path_text(path),
        sha256: FILE_NOT_FOUND.to_owned(),
        size_bytes: 0,
    }
}

fn path_text(path: &Path) -> String {
    nfc(&path.to_string_lossy())
}
