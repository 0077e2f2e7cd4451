//! What the ledger says of the rest of the directory, as observations of the oracle `x0l`.
//!
//! The first observation behind the reset and the time holds what is frozen, before anything is asked;
//! the last one before the seal holds how the run ended, and the SHA-256 and size of every file that
//! is not the ledger's own or made from the others.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use axilog::admission::InputKind;
use axilog::evidence::observation::{Completion, Params};
use axilog::hash::Hash;
use axilog_ledger::decision::Decision;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::blobs::hash_of;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{Call, Reply, Session};
use serde::{Deserialize, Serialize};

use super::{Frozen, Outcome, RunDirectory, RunFormat};
use crate::X0lError;
use crate::document::{self, to_text};

/// The oracle's id.
pub const ORACLE: &str = "x0l";
/// Its model's: the form of what it says.
pub const MODEL: &str = RunFormat::V1.as_str();

/// How the run ended, and what the files hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closing {
    /// How.
    pub outcome: Outcome,
    /// The files, by their names in the directory, with `/` between names.
    pub files: BTreeMap<String, Sealed>,
}

/// A file as it was at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// SHA-256 of its bytes.
    #[serde(with = "document::hash")]
    pub sha256: Hash,
    /// How many they are.
    pub size: u64,
}

impl Sealed {
    /// Of a file, however long it is: a log grows with its session.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn read(path: &Path) -> Result<Sealed, X0lError> {
        let read = File::open(path).and_then(|mut file| {
            Ok(Sealed {
                sha256: hash_of(&mut file)?,
                size: file.metadata()?.len(),
            })
        });
        Ok(read.map_err(FileError::at(path, "read"))?)
    }
}

/// The names of the files that the ledger answers for.
#[must_use]
pub fn answered_for(frozen: &Frozen) -> Vec<String> {
    let inputs = frozen.inputs().into_iter();
    let inputs = inputs.map(|file| format!("{}/{}", RunDirectory::INPUTS, file.name));
    [RunDirectory::CYCLES, RunDirectory::METADATA]
        .map(str::to_owned)
        .into_iter()
        .chain(inputs)
        .collect()
}

/// Puts what is frozen into the ledger, before anything is asked.
///
/// # Errors
/// [`LedgerError::Input`] where it holds what no record may, such as text that is not in NFC: nothing is
/// recorded. As [`Session::observe`].
pub fn open(session: &mut Session, frozen: &Frozen) -> Result<Decision, X0lError> {
    observe(session, frozen)
}

/// Puts how the run ended, and what the files hold, into the ledger. The metadata with that
/// outcome must have been written before; the seal is to follow.
///
/// # Errors
/// As [`open`]; [`FileError::Io`] where a file cannot be read.
pub fn close(
    session: &mut Session,
    run: &RunDirectory,
    frozen: &Frozen,
    outcome: &Outcome,
) -> Result<Decision, X0lError> {
    let mut files = BTreeMap::new();
    for name in answered_for(frozen) {
        let sealed = Sealed::read(&run.path().join(&name))?;
        files.insert(name, sealed);
    }
    let closing = Closing {
        outcome: outcome.clone(),
        files,
    };
    observe(session, &closing)
}

fn observe(session: &mut Session, document: &impl Serialize) -> Result<Decision, X0lError> {
    let said = to_text(document);
    let refused = |reason| LedgerError::Input {
        path: "what the ledger is to say of the run".into(),
        reason,
    };
    // What an answer may hold is what an input may hold; it is looked at before it is recorded.
    CanonicalInput::new(said.as_bytes(), InputKind::Json).map_err(refused)?;
    let call = Call {
        oracle_id: ORACLE.to_owned(),
        model_id: MODEL.to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"", InputKind::Text).map_err(refused)?,
    };
    let decision = session.observe(&call, Reply::Answer(said.as_bytes()))?;
    if decision.observation.completion == Completion::Complete {
        Ok(decision)
    } else {
        Err(refused(format!(
            "its {} bytes are more than a record holds",
            said.len()
        ))
        .into())
    }
}
