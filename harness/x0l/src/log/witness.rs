//! The ledger as witness of the other files: it holds their hashes, in observations of the oracle `x0l`.
//!
//! The first observation after the reset and the time holds the frozen settings, before the first call;
//! one of the oracle `x0l.cycle` binds each line of the cycle log as the cycle ends, before the next call;
//! the last one before the seal holds the outcome, and the SHA-256 and size of every file that
//! neither belongs to the ledger nor is made from the others.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use axilog::hash::Hash;
use axilog_ledger::decision::StepDecision;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::blobs::hash_reader;
use axilog_ledger::file::regular_file;
use axilog_ledger::session::Session;
use serde::{Deserialize, Serialize};

use super::directory::RunDirectory;
use super::frozen::FrozenSettings;
use super::outcome::SessionOutcome;
use crate::document::{self, to_text};
use crate::error::X0lError;

/// The id of the oracle.
pub const ORACLE: &str = "x0l";
/// The id of the oracle whose observations are the calls of the model.
pub(crate) const MODEL_ORACLE: &str = "llm";
/// The id of the oracle whose observations bind the lines of the cycle log.
pub const CYCLE_ORACLE: &str = "x0l.cycle";
/// The id of that oracle's model: the form of its documents.
pub const CYCLE_MODEL: &str = "X0L:CYCLE:v1";

/// The document in the ledger that binds a line of the cycle log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleStatement {
    /// The cycle's number in the session, which is the number of its line.
    pub cycle: u64,
    /// SHA-256 of the line, line feed included.
    #[serde(with = "document::hash")]
    pub sha256: Hash,
}

/// The last document in the ledger: how the session ended, and the digests of the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosingStatement {
    /// How the session ended.
    pub outcome: SessionOutcome,
    /// The digests of the files, by their paths in the directory, with `/` between names.
    pub files: BTreeMap<String, FileDigest>,
}

/// The hash and the size of a file at the end of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDigest {
    /// SHA-256 of the file's bytes.
    #[serde(with = "document::hash")]
    pub sha256: Hash,
    /// The size in bytes.
    pub size: u64,
}

impl FileDigest {
    /// Computes the digest of a file of any length.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn compute(path: &Path) -> Result<FileDigest, X0lError> {
        let read = regular_file::open_for_reading(path).and_then(|mut file| {
            Ok(FileDigest {
                sha256: hash_reader(&mut file)?,
                size: file.metadata()?.len(),
            })
        });
        Ok(read.map_err(FileError::from_io(path, "read"))?)
    }
}

/// The names of the files whose digests the ledger holds.
#[must_use]
pub fn committed_files(frozen: &FrozenSettings) -> Vec<String> {
    let inputs = frozen.inputs().into_iter();
    let inputs = inputs.map(|file| format!("{}/{}", RunDirectory::INPUTS, file.name));
    [RunDirectory::CYCLES, RunDirectory::METADATA]
        .map(str::to_owned)
        .into_iter()
        .chain(inputs)
        .collect()
}

/// Commits the frozen settings to the ledger, before the first call.
///
/// # Errors
/// [`LedgerError::InvalidInput`](axilog_ledger::error::LedgerError::InvalidInput) where the settings hold what no record may, such as text that is not in NFC;
/// then nothing is
/// recorded. As [`Session::observe`].
pub fn commit_settings(
    session: &mut Session,
    frozen: &FrozenSettings,
) -> Result<StepDecision, X0lError> {
    observe(session, (ORACLE, frozen.format.as_str()), frozen)
}

/// Binds a line of the cycle log, which must be durable already: the line's hash is committed to the ledger
/// before the next call, so that nothing in the line can be rewritten afterwards.
///
/// # Errors
/// As [`Session::observe`].
pub fn commit_cycle(session: &mut Session, line: CycleStatement) -> Result<StepDecision, X0lError> {
    observe(session, (CYCLE_ORACLE, CYCLE_MODEL), &line)
}

/// Commits the outcome and the digests of the files to the ledger. The metadata with that
/// outcome must have been written before; the seal must follow.
///
/// # Errors
/// As [`commit_settings`]; [`FileError::Io`] where a file cannot be read, or the cycle log on disk has another
/// digest than `cycle_log`, that of what the session has appended to it.
pub fn commit_outcome(
    session: &mut Session,
    run: &RunDirectory,
    cycle_log: FileDigest,
    frozen: &FrozenSettings,
    outcome: &SessionOutcome,
) -> Result<StepDecision, X0lError> {
    let mut files = BTreeMap::new();
    for name in committed_files(frozen) {
        let path = run.path().join(&name);
        let digest = FileDigest::compute(&path)?;
        if name == RunDirectory::CYCLES {
            check_cycle_log(&path, digest, cycle_log)?;
        }
        files.insert(name, digest);
    }
    let closing = ClosingStatement {
        outcome: outcome.clone(),
        files,
    };
    observe(session, (ORACLE, frozen.format.as_str()), &closing)
}

/// Checks that the cycle log on disk is the one that the session has written.
fn check_cycle_log(path: &Path, found: FileDigest, expected: FileDigest) -> Result<(), X0lError> {
    if found == expected {
        return Ok(());
    }
    let describe =
        |digest: FileDigest| format!("{} bytes with SHA-256 {}", digest.size, hex(&digest.sha256));
    let reason = format!(
        "found {}, expected {}: another program has replaced or altered it; the run stays without an end",
        describe(found),
        describe(expected)
    );
    let error = io::Error::new(io::ErrorKind::InvalidData, reason);
    Err(FileError::from_io(path, "record the digest of the cycle log")(error).into())
}

/// Records a document as the answer of the oracle `oracle_id` with the model `model_id`.
pub(super) fn observe(
    session: &mut Session,
    (oracle_id, model_id): (&str, &str),
    document: &impl Serialize,
) -> Result<StepDecision, X0lError> {
    Ok(session.record_statement(oracle_id, model_id, &to_text(document))?)
}
