//! The directory of a run, and its files by their names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use axilog::hash::sha256;
use axilog_ledger::error::FileError;
use axilog_ledger::file::regular_file;
use axilog_ledger::file::volume::{FileSystem, Volume, parent_dir, write_file};
use axilog_ledger::file::writer::{LedgerWriter, find_writer};
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_whole};

use super::error::LogError;
use super::frozen::{InputFile, PLAIN_NAME, is_plain_name};
use super::metadata::SessionMetadata;
use crate::document::{self, DocumentError, to_line};
use crate::error::X0lError;

/// A directory that holds one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDirectory {
    path: PathBuf,
}

impl RunDirectory {
    /// The ledger's name; its blobs stand beside it.
    pub const LEDGER: &str = "ledger.jsonl";
    /// The metadata's name.
    pub const METADATA: &str = "session_metadata.json";
    /// The cycle log's name.
    pub const CYCLES: &str = "cycles.jsonl";
    /// The name of the directory that holds the inputs.
    pub const INPUTS: &str = "inputs";
    /// The name of the ledger that a reviewer's findings are in.
    pub const REVIEW: &str = "review.jsonl";
    /// The name of the file that counts the runs which correct this one.
    pub const CORRECTIONS: &str = "corrections.jsonl";
    /// The name of the report for machines, which names the evidence that it was made from.
    pub const REPORT: &str = "report.json";

    /// Creates the directory of a new run at `path`, which must not exist yet or be empty.
    ///
    /// # Errors
    /// [`X0lError::NotEmpty`], [`FileError::Io`].
    pub fn create(path: &Path) -> Result<RunDirectory, X0lError> {
        let failed = || FileError::from_io(path, "make the directory of the run");
        fs::create_dir_all(path).map_err(failed())?;
        let mut entries = fs::read_dir(path).map_err(failed())?;
        if entries.next().is_some() {
            return Err(X0lError::NotEmpty(path.to_owned()));
        }
        let run = RunDirectory {
            path: path.to_owned(),
        };
        fs::create_dir(run.inputs()).map_err(failed())?;
        for dir in [path, parent_dir(path)] {
            FileSystem.sync_dir(dir).map_err(failed())?;
        }
        Ok(run)
    }

    /// Opens the directory of the run at `path`.
    ///
    /// # Errors
    /// [`X0lError::NotARun`] where the directory holds no file of a run; [`FileError::Io`] where it does
    /// not exist.
    pub fn open(path: &Path) -> Result<RunDirectory, X0lError> {
        fs::read_dir(path).map_err(FileError::from_io(path, "open the run"))?;
        let run = RunDirectory {
            path: path.to_owned(),
        };
        if [run.metadata(), run.ledger(), run.cycles()]
            .iter()
            .any(|file| is_there(file))
        {
            Ok(run)
        } else {
            Err(X0lError::NotARun(path.to_owned()))
        }
    }

    /// Finds the process that is writing the run: its session is still going on. `None` where there is none.
    ///
    /// # Errors
    /// As [`find_writer`].
    pub fn find_writer(&self) -> Result<Option<LedgerWriter>, X0lError> {
        Ok(find_writer(&self.ledger())?)
    }

    /// The path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the ledger.
    #[must_use]
    pub fn ledger(&self) -> PathBuf {
        self.path.join(Self::LEDGER)
    }

    /// The path of the metadata.
    #[must_use]
    pub fn metadata(&self) -> PathBuf {
        self.path.join(Self::METADATA)
    }

    /// The path of the cycle log.
    #[must_use]
    pub fn cycles(&self) -> PathBuf {
        self.path.join(Self::CYCLES)
    }

    /// The path of the directory of inputs.
    #[must_use]
    pub fn inputs(&self) -> PathBuf {
        self.path.join(Self::INPUTS)
    }

    /// The path of the input `name`.
    #[must_use]
    pub fn input(&self, name: &str) -> PathBuf {
        self.inputs().join(name)
    }

    /// The path of the ledger of a reviewer's findings.
    #[must_use]
    pub fn review(&self) -> PathBuf {
        self.path.join(Self::REVIEW)
    }

    /// Writes an input durably, under a name that no other input has.
    ///
    /// # Errors
    /// [`FileError::Io`], also for a name that is not plain, or that an input with other bytes has.
    pub fn write_input(&self, name: &str, bytes: &[u8]) -> Result<InputFile, X0lError> {
        let path = self.input(name);
        let failed = || FileError::from_io(&path, "keep the input");
        if !is_plain_name(name) {
            let reason = format!("found the name {name:?}, expected {PLAIN_NAME}");
            return Err(failed()(io::Error::new(io::ErrorKind::InvalidInput, reason)).into());
        }
        match write_file(&FileSystem, &path, bytes) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if read_file(&path)? != bytes {
                    return Err(failed()(error).into());
                }
            }
            written => written.map_err(failed())?,
        }
        FileSystem.sync_dir(&self.inputs()).map_err(failed())?;
        Ok(InputFile {
            name: name.to_owned(),
            sha256: sha256(bytes),
        })
    }

    /// Replaces the metadata durably; an interrupted write leaves the old or the new ones, as a whole.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write_metadata(&self, metadata: &SessionMetadata) -> Result<(), X0lError> {
        self.replace(Self::METADATA, &to_line(metadata))
    }

    /// Writes the file `name` durably, in place of what was there: the old or the new is there
    /// whole.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), X0lError> {
        self.write_temporary(name, bytes)?;
        self.publish(name)
    }

    /// Writes what the file `name` is to hold, under the name that [`temporary_name`] gives.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write_temporary(&self, name: &str, bytes: &[u8]) -> Result<(), X0lError> {
        let path = self.path.join(temporary_name(name));
        // An earlier one was interrupted. Whatever has the name is removed and not written to.
        let written = match FileSystem.remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => write_file(&FileSystem, &path, bytes),
        };
        Ok(written.map_err(FileError::from_io(&path, "write"))?)
    }

    /// Renames the temporary file of `name` to `name`, durably.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn publish(&self, name: &str) -> Result<(), X0lError> {
        let path = self.path.join(name);
        let renamed = FileSystem
            .rename(&self.path.join(temporary_name(name)), &path)
            .and_then(|()| FileSystem.sync_dir(&self.path));
        Ok(renamed.map_err(FileError::from_io(&path, "write"))?)
    }

    /// Reads the metadata.
    ///
    /// # Errors
    /// [`X0lError::Log`] where the file differs from what would be written; [`FileError::Io`].
    pub fn read_metadata(&self) -> Result<SessionMetadata, X0lError> {
        let path = self.metadata();
        let bytes = read_file(&path)?;
        let read = match bytes.strip_suffix(b"\n") {
            Some(bytes) => document::read(bytes),
            None => Err(DocumentError::new("no line feed at the end", "one")),
        };
        let error = |error| LogError {
            path: path.clone(),
            line: 1,
            error,
        };
        Ok(read.map_err(error)?)
    }
}

/// The name of the file `name` while it is being written.
#[must_use]
pub fn temporary_name(name: &str) -> String {
    format!("{name}.tmp")
}

/// Reads a whole file, which must be a regular one.
///
/// # Errors
/// [`FileError::Io`]; [`FileError::TooLong`] for more than 64 MiB.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, X0lError> {
    let file = regular_file::open_for_reading(path).map_err(FileError::from_io(path, "open"))?;
    Ok(read_whole(file, path, "read", MAX_INPUT_BYTES)?)
}

/// Whether anything has the name `path`. What is no regular file has it too: whoever opens that says what it is.
pub(crate) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
