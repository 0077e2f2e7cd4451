//! `cycles.jsonl`: one cycle a line, appended and durable before the next call (Q19, Q44; E1).

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use axilog::hash::{Hash, Hasher, sha256};
use axilog_ledger::error::FileError;
use axilog_ledger::file::storage::{Storage, append_all};
use axilog_ledger::file::volume::{FileSystem, Volume};

use super::cycle::Cycle;
use super::directory::RunDirectory;
use super::error::LogError;
use super::witness::FileDigest;
use crate::document::{self, DocumentError, to_line};
use crate::error::X0lError;

/// The cycle log of a run that is going on.
pub struct CycleLog {
    path: PathBuf,
    storage: Box<dyn Storage>,
    len: u64,
    hasher: Hasher,
}

impl CycleLog {
    /// Creates the empty cycle log of a new run.
    ///
    /// # Errors
    /// [`FileError::Io`], also where the run has a cycle log already.
    pub fn create(run: &RunDirectory) -> Result<CycleLog, X0lError> {
        let path = run.cycles();
        let created = FileSystem.create(&path).and_then(|storage| {
            FileSystem.sync_dir(run.path())?;
            Ok(storage)
        });
        Ok(CycleLog {
            storage: created.map_err(FileError::from_io(&path, "make the cycle log"))?,
            path,
            len: 0,
            hasher: Hasher::new(),
        })
    }

    /// Appends a cycle, durably, and gives the SHA-256 of its line, line feed included. A line that cannot be
    /// written whole is removed again.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`FileError::Displaced`] where the log was renamed, removed, replaced or cut off since
    /// it was created, which every later call finds too.
    pub fn append(&mut self, cycle: &Cycle) -> Result<Hash, X0lError> {
        let line = to_line(cycle);
        let written = append_all(&mut *self.storage, &line).and_then(|()| self.storage.sync());
        if let Err(error) = written {
            // Where that fails too a torn line stays, which readers name.
            if self.storage.len().is_ok_and(|found| found > self.len) {
                let _ = self.storage.set_len(self.len);
            }
            return Err(FileError::from_io(&self.path, "append to the cycle log")(error).into());
        }
        let len = self.len.saturating_add(line.len() as u64);
        self.storage
            .check_place(len)
            .map_err(FileError::displaced(&self.path))?;
        self.len = len;
        self.hasher.update(&line);
        Ok(sha256(&line))
    }

    /// Computes the digest of what was appended.
    #[must_use]
    pub fn digest(&self) -> FileDigest {
        FileDigest {
            sha256: self.hasher.clone().finish(),
            size: self.len,
        }
    }
}

/// The longest line that is read. A raw answer has at most 4 MiB over HTTP, and stands in a line a few times,
/// escaped, with its numbers in canonical form.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// A line of a cycle log.
#[derive(Debug, PartialEq)]
pub enum LogLine {
    /// A cycle.
    Cycle(Box<Cycle>),
    /// A last line without a line feed, which is an interrupted write, and its length in bytes.
    Torn(u64),
    /// A line that is not a cycle. The lines after it may be good.
    Malformed(LogError),
}

/// Reads a cycle log line by line.
pub struct CycleReader<R> {
    source: R,
    path: PathBuf,
    line: u64,
    line_hash: Hash,
    ended: bool,
}

impl<R: BufRead> CycleReader<R> {
    /// Reads from `source`; `path` is for messages.
    pub fn new(source: R, path: &Path) -> CycleReader<R> {
        CycleReader {
            source,
            path: path.to_owned(),
            line: 0,
            line_hash: Hash::default(),
            ended: false,
        }
    }

    /// Reads the next line; `None` at the end.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn next_line(&mut self) -> Result<Option<LogLine>, X0lError> {
        let mut bytes = Vec::new();
        let mut limited = (&mut self.source).take(MAX_LINE_BYTES);
        let read = limited.read_until(b'\n', &mut bytes);
        let read = read.map_err(FileError::from_io(&self.path, "read the cycle log"))?;
        if self.ended || read == 0 {
            return Ok(None);
        }
        self.line += 1;
        self.line_hash = sha256(&bytes);
        let result = match bytes.strip_suffix(b"\n") {
            Some(bytes) => document::read(bytes),
            None if (read as u64) < MAX_LINE_BYTES => return Ok(Some(LogLine::Torn(read as u64))),
            None => {
                self.ended = true;
                Err(DocumentError::new(
                    "a longer line",
                    format!("at most {MAX_LINE_BYTES} bytes"),
                ))
            }
        };
        Ok(Some(match result {
            Ok(cycle) => LogLine::Cycle(Box::new(cycle)),
            Err(error) => LogLine::Malformed(LogError {
                path: self.path.clone(),
                line: self.line,
                error,
            }),
        }))
    }

    /// The number of the line that was read last, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The SHA-256 of the line that was read last, line feed included.
    #[must_use]
    pub fn line_hash(&self) -> Hash {
        self.line_hash
    }
}
