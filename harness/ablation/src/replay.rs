//! Replaying a run: its document from the header and the ledger alone, without a model, a key or a network.

use std::path::Path;
use std::sync::Arc;

use axilog_ledger::error::FileError;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use axilog_oracle::tokens;

use super::error::AblationError;
use super::experiment::{build_frame, build_header, execute, open_environment};
use super::header::{ConstantLength, RunHeader};
use super::ledger_answers::LedgerAnswers;
use super::run::Run;
use super::run_document::RunDocument;
use super::variant::Variant;

/// The name of the header beside the ledger.
pub const HEADER_FILE: &str = "header.json";
/// The name of the ledger.
pub const LEDGER_FILE: &str = "ledger.jsonl";
/// The name of the run document.
pub const DOCUMENT_FILE: &str = "run.json";

/// A run that was replayed.
#[derive(Debug)]
pub struct ReplayedRun {
    /// The run's header.
    pub header: RunHeader,
    /// The run, as it follows from the ledger.
    pub run: Run,
    /// The text of the run document that follows.
    pub document: String,
    /// The run document that is stored; `None` where there is none, as after a kill.
    pub stored: Option<Vec<u8>>,
    /// How many answers of the ledger the run did not ask for.
    pub unasked_answers: usize,
}

impl ReplayedRun {
    /// Whether the stored document is the one that follows.
    #[must_use]
    pub fn matches_stored(&self) -> bool {
        self.unasked_answers == 0 && self.stored.as_deref() == Some(self.document.as_bytes())
    }
}

/// Replays the run in `dir`. `should_continue` is as for [`run_plan`](super::run::run_plan).
///
/// # Errors
/// [`FileError::Io`]; [`LedgerError::Damaged`](axilog_ledger::error::LedgerError::Damaged);
/// [`AblationError::Document`] for a header that this build would not write;
/// [`AblationError::ForeignLedger`] for a ledger of another run.
pub fn replay_run(
    dir: &Path,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Result<ReplayedRun, AblationError> {
    let path = dir.join(HEADER_FILE);
    let header = RunHeader::read(&path)?;
    let mut environment = open_environment(&header.environment).ok_or_else(|| {
        let id = &header.environment;
        refuse_header(
            &path,
            format!("names the environment {id:?}; no environment of that id ships"),
        )
    })?;
    let (frame, constant_length) = match &header.constant_length {
        None => (None, None),
        Some(stored) => {
            let tokenizer: Arc<dyn tokens::Tokenizer> =
                Arc::from(tokens::open_tokenizer(&stored.tokenizer)?);
            let lengths = stored.lengths();
            let (frame, basis) = build_frame(&*environment, tokenizer, &stored.pad, Some(lengths))
                .map_err(|error| match error {
                    AblationError::Invalid(invalid) => refuse_header(&path, invalid.to_string()),
                    error => error,
                })?;
            let calibration = stored.calibration.clone();
            (
                Some(frame),
                Some(ConstantLength::new(calibration, lengths, &basis)),
            )
        }
    };
    let (provider, model) = (&header.provider, &header.model_id);
    let expected = build_header(
        &header.plan(),
        &*environment,
        provider,
        model,
        constant_length,
    );
    check_header(&path, &header, &expected)?;
    let mut answers = LedgerAnswers::read(&dir.join(LEDGER_FILE))?;
    let frame = frame.as_ref();
    let run = execute(
        &header,
        &mut *environment,
        frame,
        &mut answers,
        should_continue,
    )?;
    let document = RunDocument::new(&header, &run).to_file_text();
    let path = dir.join(DOCUMENT_FILE);
    let stored = match read_input(&path, "read", MAX_INPUT_BYTES) {
        Ok(bytes) => Some(bytes),
        Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    Ok(ReplayedRun {
        header,
        run,
        document,
        stored,
        unasked_answers: answers.remaining(),
    })
}

/// Checks that the header is the one that this build writes for the same run: what the ledger cannot
/// contradict must not be believed of a file.
fn check_header(path: &Path, found: &RunHeader, expected: &RunHeader) -> Result<(), AblationError> {
    if found.constant_length.is_none() != (found.variant == Variant::V300) {
        return Err(refuse_header(
            path,
            format!(
                "has the variant {} and `held` is {}; the base harness, and no other, is without a constant length",
                found.variant,
                if found.constant_length.is_some() {
                    "there"
                } else {
                    "null"
                }
            ),
        ));
    }
    for ((property, found), (_, expected)) in list_properties(found)
        .into_iter()
        .zip(list_properties(expected))
    {
        if found != expected {
            return Err(AblationError::Document {
                path: path.to_owned(),
                reason: format!(
                    "was made with {found} as its {property}, and this build has {expected}; replay it with the build that made the run"
                ),
            });
        }
    }
    Ok(())
}

/// Lists the properties of a header that follow from the build, by their names in errors.
fn list_properties(header: &RunHeader) -> [(&'static str, String); 4] {
    let (version, tokens) =
        header
            .constant_length
            .as_ref()
            .map_or_else(Default::default, |constant| {
                let tokens = format!("{:?}", constant.pad_tokens);
                (constant.tokenizer_version.clone(), tokens)
            });
    [
        ("skeleton", header.skeleton_hash.clone()),
        ("episode length", header.steps_per_episode.to_string()),
        ("tokenizer version", version),
        ("padding tokens", tokens),
    ]
}

fn refuse_header(path: &Path, reason: String) -> AblationError {
    AblationError::Document {
        path: path.to_owned(),
        reason: format!("{reason}; take the header that the run was made with"),
    }
}
