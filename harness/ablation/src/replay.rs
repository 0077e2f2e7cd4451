//! A run document from the header and the ledger alone: no model, no key, no network.

use std::path::Path;
use std::sync::Arc;

use axilog_ledger::error::FileError;
use axilog_oracle::tokens;

use super::answers::Replayed;
use super::calibration::MAX_LENGTH;
use super::document::document;
use super::error::AblationError;
use super::experiment::{self, environment, execute, frame};
use super::header::{Header, Held};
use super::invalid::Stop;
use super::run::{Run, Status};
use super::v310::Variant;

/// The name of the header beside the ledger.
pub const HEADER: &str = "header.json";
/// The name of the ledger.
pub const LEDGER: &str = "ledger.jsonl";
/// The name of the run document.
pub const DOCUMENT: &str = "run.json";

/// What a directory holds, and what follows from it.
#[derive(Debug)]
pub struct Reproduced {
    /// The header.
    pub header: Header,
    /// The run.
    pub run: Run,
    /// The document that follows.
    pub document: String,
    /// The document that is there; `None` where there is none, as after a kill.
    pub found: Option<Vec<u8>>,
    /// How many answers the run did not ask for.
    pub left: usize,
}

impl Reproduced {
    /// Whether what is there is what follows.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.left == 0 && self.found.as_deref() == Some(self.document.as_bytes())
    }
}

/// Reads a header.
///
/// # Errors
/// [`FileError::Io`], [`AblationError::File`].
pub fn read_header(path: &Path) -> Result<Header, AblationError> {
    let bytes = std::fs::read(path).map_err(FileError::at(path, "read"))?;
    let header: Header =
        serde_json::from_slice(&bytes).map_err(|error| refused(path, &error.to_string()))?;
    if header.axilog_ablation_run != 1 {
        return Err(refused(path, "another version").into());
    }
    let mut lengths = header.held.iter().map(Held::lengths);
    if lengths.any(|held| held.precedent.max(held.situation) > MAX_LENGTH) {
        let reason = format!("it has segments of more than {MAX_LENGTH} tokens");
        return Err(refused(path, &reason).into());
    }
    Ok(header)
}

fn refused(path: &Path, reason: &str) -> AblationError {
    AblationError::File {
        path: path.to_owned(),
        reason: format!("is no header of a run: {reason}"),
    }
}

/// Whether a header is what this build writes for the same run: what the ledger cannot contradict must not
/// be taken from a file.
fn check(path: &Path, found: &Header, own: &Header) -> Result<(), AblationError> {
    if found.held.is_none() != (found.variant == Variant::V300) {
        let reason = "the base harness, and no other, is without a held length";
        return Err(refused(path, reason));
    }
    let told = |header: &Header| {
        let (version, padding) = header.held.as_ref().map_or_else(Default::default, |held| {
            (
                held.tokenizer_version.clone(),
                format!("{:?}", held.pad_tokens),
            )
        });
        [
            ("skeleton", header.skeleton_hash.clone()),
            ("episode length", header.steps_per_episode.to_string()),
            ("tokenizer version", version),
            ("padding tokens", padding),
        ]
    };
    for ((what, its), (_, wanted)) in told(found).into_iter().zip(told(own)) {
        if its != wanted {
            return Err(AblationError::File {
                path: path.to_owned(),
                reason: format!(
                    "was made with {its} as its {what}, and this build has {wanted}; replay it with the build that made the run"
                ),
            });
        }
    }
    Ok(())
}

/// Runs again what is in `dir`, answered from its ledger. `go_on` is as for a run.
///
/// # Errors
/// [`FileError::Io`], [`LedgerError::Damaged`]; [`AblationError::File`] for a header that does not go with this
/// build or with the ledger.
pub fn replay(dir: &Path, go_on: &mut dyn FnMut(u64) -> bool) -> Result<Reproduced, AblationError> {
    let path = dir.join(HEADER);
    let header = read_header(&path)?;
    let mut world = environment(&header.environment).ok_or_else(|| {
        refused(
            &path,
            &format!("no environment {:?} ships", header.environment),
        )
    })?;
    let (frame, held) = match &header.held {
        None => (None, None),
        Some(held) => {
            let tokenizer: Arc<dyn tokens::Tokenizer> =
                Arc::from(tokens::open(&held.tokenizer).map_err(AblationError::from)?);
            let made = frame(&*world, tokenizer, &held.pad, Some(held.lengths()));
            let (frame, basis) = made.map_err(|stop| match stop {
                Stop::Error(error) => error,
                Stop::Invalid(invalid) => refused(&path, &invalid.to_string()).into(),
            })?;
            let own = Held::new(held.calibration.clone(), held.lengths(), &basis);
            (Some(frame), Some(own))
        }
    };
    let (provider, model) = (&header.provider, &header.model_id);
    let own = experiment::header(&header.plan(), &*world, provider, model, held);
    check(&path, &header, &own)?;
    let mut answers = Replayed::read(&dir.join(LEDGER))?;
    let run = execute(&header, &mut *world, frame.as_ref(), &mut answers, go_on)?;
    let document = document(&header, &run);
    let stored = dir.join(DOCUMENT);
    let found = match std::fs::read(&stored) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(FileError::at(&stored, "read")(error).into()),
    };
    Ok(Reproduced {
        header,
        run,
        document,
        found,
        left: answers.left(),
    })
}

/// How a run ended, in a word or two.
#[must_use]
pub fn verdict(status: &Status) -> String {
    match status {
        Status::Valid => "VALID".to_owned(),
        Status::Invalid(invalid, _) => format!("INVALID_RUN / {}", invalid.reason.as_str()),
        Status::Interrupted(_) => "PARTIAL / INTERRUPTED".to_owned(),
        Status::NoAnswer(..) => "PARTIAL / NO_ANSWER".to_owned(),
    }
}
