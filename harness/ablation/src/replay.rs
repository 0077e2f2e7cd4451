//! Replaying a run: its document from the header and the ledger alone, without a model, a key or a network.

use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};

use super::calibration::Calibration;
use super::environment_source::{ENVIRONMENT_FILE, open_recorded_environment};
use super::error::AblationError;
use super::experiment::{build_calibration_header, build_frame, build_header, calibrate, execute};
use super::header::{ConstantLength, RunHeader};
use super::ledger_answers::LedgerAnswers;
use super::recorded_prompts::check_recorded_prompts;
use super::run::Run;
use super::run_document::RunDocument;
use super::statements::{ArmHead, RunStatement};
use super::variant::Variant;

/// The name of the copy of the calibration that the run takes its lengths from.
pub const CALIBRATION_FILE: &str = "calibration.json";
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
    /// What the ledger says was run; `None` where nothing was asked yet.
    pub statement: Option<RunStatement>,
    /// How often the run went on after it was stopped.
    pub resumed: u64,
    /// How many answers the ledger holds, failures included.
    pub answers: u64,
    /// How far the ledger has come.
    pub reached: ArmHead,
    /// Whether the ledger says that the run's experiment is over.
    pub is_closed: bool,
}

impl ReplayedRun {
    /// Whether the stored document is the one that follows.
    #[must_use]
    pub fn matches_stored(&self) -> bool {
        self.unasked_answers == 0 && self.stored.as_deref() == Some(self.document.as_bytes())
    }
}

/// Replays the run in `dir`, and the calibration that is copied there. `should_continue` is as for
/// [`run_plan`](super::run::run_plan).
///
/// # Errors
/// [`FileError::Io`]; [`LedgerError::Damaged`](axilog_ledger::error::LedgerError::Damaged);
/// [`AblationError::Document`] for a header that this build would not write, for an environment that is missing or
/// not the header's, and for a calibration that is not the header's or does not follow from its ledger; [`AblationError::ForeignLedger`] for a ledger of another run, or
/// one that was recorded under another header; [`AblationError::Prompts`] for a prompt that is missing or was changed.
pub fn replay_run(
    dir: &Path,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Result<ReplayedRun, AblationError> {
    let path = dir.join(HEADER_FILE);
    let (header, digest) = RunHeader::read(&path)?;
    let copy = dir.join(ENVIRONMENT_FILE);
    let mut environment = open_recorded_environment(&path, header.environment_key(), &copy)?;
    let (frame, constant_length) = match &header.constant_length {
        None => (None, None),
        Some(stored) => {
            let calibration = dir.join(CALIBRATION_FILE);
            let tokenizer = Calibration::read(&calibration)?.open_tokenizer(&calibration)?;
            let lengths = stored.lengths();
            let (frame, basis) = build_frame(&environment, tokenizer, &stored.pad, Some(lengths))
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
        &environment,
        provider,
        model,
        constant_length,
    );
    check_header(&path, &header, &expected)?;
    let mut answers = LedgerAnswers::read(&dir.join(LEDGER_FILE))?;
    answers.check_statement(&path, &digest)?;
    if let Some(constant) = &header.constant_length {
        check_calibration_copy(dir, &constant.calibration)?;
    }
    let frame = frame.as_ref();
    let run = execute(
        &header,
        &mut environment,
        frame,
        &mut answers,
        should_continue,
    )?;
    check_recorded_prompts(&dir.join(LEDGER_FILE))?;
    let document = RunDocument::new(&header, &run).to_file_text();
    let path = dir.join(DOCUMENT_FILE);
    let stored = match read_input(&path, "read", MAX_INPUT_BYTES) {
        Ok(bytes) => Some(bytes),
        Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    Ok(ReplayedRun {
        reached: ArmHead {
            arm: header.variant,
            entries: answers.entries(),
            head: answers.head(),
        },
        is_closed: answers.is_closed(),
        header,
        run,
        document,
        stored,
        unasked_answers: answers.remaining(),
        statement: answers.statement().cloned(),
        resumed: answers.resumed_count(),
        answers: answers.answer_count(),
    })
}

/// Replays the calibration in the file at `path` from the ledger beside it, and gives what follows, which is what
/// the file holds.
///
/// # Errors
/// As [`replay_run`].
pub fn replay_calibration(path: &Path) -> Result<Calibration, AblationError> {
    let stored = Calibration::read(path)?;
    let refuse = |reason: String| AblationError::Document {
        path: path.to_owned(),
        reason: format!("{reason}; calibrate again, or take file and ledger as they were written"),
    };
    let mut environment = stored.open_environment(path)?;
    let tokenizer = stored.open_tokenizer(path)?;
    let (frame, basis) = build_frame(&environment, tokenizer, &stored.basis.pad, None)?;
    stored.check_basis(path, &basis)?;
    let (provider, model) = (&stored.provider, &stored.model_id);
    let mut header = build_calibration_header(&stored.seeds, &environment, provider, model)?;
    header.transport.clone_from(&stored.transport);
    header.sampling = stored.sampling;
    let mut answers = LedgerAnswers::read(&Calibration::ledger_path(path))?;
    let digest = hex(&sha256(header.to_file_text().as_bytes()));
    answers.check_statement(path, &digest)?;
    let head = answers.head();
    if head != stored.ledger_head {
        return Err(refuse(format!(
            "names a ledger with the head {}, and the one beside it has {head}",
            stored.ledger_head
        )));
    }
    let measured = calibrate(&header, &mut environment, &frame, &mut answers, &mut |_| {
        true
    })?;
    check_recorded_prompts(&Calibration::ledger_path(path))?;
    let measures = measured
        .map_err(|status| refuse(format!("does not follow from its ledger: {status:?}")))?;
    let found = Calibration::new(&header, basis, measures, head);
    match found == stored && answers.remaining() == 0 {
        true => Ok(found),
        false => Err(refuse(format!(
            "does not follow from its ledger, which gives {}",
            found.to_file_text().trim_end()
        ))),
    }
}

/// Checks that the calibration in the run directory `dir` is the one with this digest, and follows from its ledger.
fn check_calibration_copy(dir: &Path, digest: &str) -> Result<(), AblationError> {
    let path = dir.join(CALIBRATION_FILE);
    let found = Calibration::read(&path)?.digest();
    match found == digest {
        true => replay_calibration(&path).map(|_| ()),
        false => Err(AblationError::Document {
            path,
            reason: format!(
                "has the hash {found}, and the run took its lengths from the calibration {digest}; take the file that the run was made with"
            ),
        }),
    }
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
