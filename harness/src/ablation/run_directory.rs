//! The directory of one run: begun, gone on with, finished.

use std::path::Path;

use axilog_ablation::AblationError;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::experiment::execute;
use axilog_ablation::header::RunHeader;
use axilog_ablation::prompt_frame::PromptFrame;
use axilog_ablation::replay::{
    CALIBRATION_FILE, DOCUMENT_FILE, HEADER_FILE, LEDGER_FILE, replay_run,
};
use axilog_ablation::run::{Run, RunStatus};
use axilog_ablation::run_document::RunDocument;
use axilog_ablation::statements::RunStatement;
use axilog_ablation::variant::Variant;
use axilog_oracle::TransportSettings;
use serde_json::{Map, Value};

use super::super::interrupt::Flag;
use super::super::progress::StepProgress;
use super::oracle_options::{OracleOptions, new_environment};
use super::run_files;
use crate::error::CommandError;

/// A run that is to be in a directory.
pub(super) struct RunDirectory<'a> {
    pub(super) dir: &'a Path,
    pub(super) header: &'a RunHeader,
    /// The variants of the experiment, this one among them.
    pub(super) arms: &'a [Variant],
    pub(super) frame: Option<&'a PromptFrame>,
    /// The file of the calibration that the header names.
    pub(super) calibration: Option<&'a Path>,
}

/// How a run ended.
pub(super) struct EndedRun {
    pub(super) run: Run,
    /// Why the oracle gave no answer to the last question.
    pub(super) fault: Option<String>,
}

/// How much of a run a directory holds.
enum RunState {
    Nothing,
    /// Files, and no answer that was asked for.
    Beginning,
    Stopped,
    Whole(Run),
}

impl RunDirectory<'_> {
    /// Runs what the header says, or goes on with it where `resume`, and writes its files. A run that is whole
    /// already stays as it is.
    pub(super) fn run(
        &self,
        oracle: &OracleOptions,
        resume: bool,
        flag: &Flag,
    ) -> Result<EndedRun, CommandError> {
        let state = match resume {
            true => self.find_run()?,
            false => RunState::Nothing,
        };
        if let RunState::Whole(run) = state {
            return Ok(EndedRun { run, fault: None });
        }
        // What cannot be asked leaves the directory free.
        let opened = oracle.open(&self.header.model_id, self.header.sampling)?;
        let header_path = self.dir.join(HEADER_FILE);
        let header = match state {
            RunState::Nothing => {
                run_files::create_dir(self.dir)?;
                if let Some(calibration) = self.calibration {
                    self.copy_calibration(calibration)?;
                }
                run_files::write_whole(&header_path, &self.header.to_file_text())?;
                self.header.clone()
            }
            // The times of calls may be others in it.
            _ => RunHeader::read(&header_path)?.0,
        };
        let arms = self.arms.to_vec();
        let statement = RunStatement::new(arms, oracle.base_url(), &header.to_file_text());
        let mut answers = opened.open_ledger(
            &self.dir.join(LEDGER_FILE),
            &statement,
            matches!(state, RunState::Stopped),
            self.header.transport.clone(),
            self.frame.is_some(),
        )?;
        let mut environment = new_environment();
        let steps = header.plan().step_count(&*environment);
        let name = header.variant.as_str();
        let mut progress = StepProgress::new(steps, answers.recorded_count(), name);
        let run = execute(
            &header,
            &mut *environment,
            self.frame,
            &mut answers,
            &mut |steps_taken| {
                progress.show(steps_taken);
                !flag.is_set()
            },
        )?;
        let oracle = answers.into_oracle();
        let fault = oracle.last_fault().map(str::to_owned);
        oracle.finish()?;
        let document = RunDocument::new(&header, &run);
        run_files::write_whole(&self.dir.join(DOCUMENT_FILE), &document.to_file_text())?;
        Ok(EndedRun { run, fault })
    }

    /// Finds out how far the run in the directory has come. What it holds must follow from its ledger.
    fn find_run(&self) -> Result<RunState, CommandError> {
        let header_path = self.dir.join(HEADER_FILE);
        if !header_path.exists() {
            return Ok(RunState::Nothing);
        }
        let (stored, _) = RunHeader::read(&header_path)?;
        check_same_options(&header_path, &stored, self.header)?;
        if !self.dir.join(LEDGER_FILE).exists() {
            return Ok(RunState::Beginning);
        }
        let replayed = replay_run(self.dir, &mut |_| true)?;
        if replayed.unasked_answers > 0 || replayed.stored.is_some() && !replayed.matches_stored() {
            return Err(AblationError::Document {
                path: self.dir.join(DOCUMENT_FILE),
                reason: "does not follow from the ledger beside it, so nothing goes on here; `axilog ablation replay` says where they differ".to_owned(),
            }
            .into());
        }
        Ok(match replayed.run.status {
            RunStatus::Interrupted(_) | RunStatus::NoAnswer(..) => RunState::Stopped,
            RunStatus::Valid | RunStatus::Invalid(..) => {
                if replayed.stored.is_none() {
                    run_files::write_whole(&self.dir.join(DOCUMENT_FILE), &replayed.document)?;
                }
                RunState::Whole(replayed.run)
            }
        })
    }

    /// Copies the calibration, its ledger with the blobs, and the file of its tokenizer; the calibration last, so
    /// that all is there where it stands.
    fn copy_calibration(&self, from: &Path) -> Result<(), CommandError> {
        let to = self.dir.join(CALIBRATION_FILE);
        let ledgers = [from, &to].map(Calibration::ledger_path);
        let [blobs_from, blobs_to] = ledgers.each_ref().map(|ledger| {
            let mut name = ledger.as_os_str().to_owned();
            name.push(".blobs");
            name
        });
        run_files::copy_dir(Path::new(&blobs_from), Path::new(&blobs_to))?;
        run_files::copy_file(&ledgers[0], &ledgers[1])?;
        let [tokenizer_from, tokenizer_to] = [from, &to].map(Calibration::tokenizer_path);
        if tokenizer_from.exists() {
            run_files::copy_file(&tokenizer_from, &tokenizer_to)?;
        }
        run_files::copy_file(from, &to)
    }
}

/// Checks that a run that was begun with `stored` goes on with what the options give. How long a call may take, and
/// how fast calls follow each other, may have changed.
fn check_same_options(
    path: &Path,
    stored: &RunHeader,
    given: &RunHeader,
) -> Result<(), AblationError> {
    let to_members = |header: &RunHeader| -> Map<String, Value> {
        let mut header = header.clone();
        if let Some(transport) = &mut header.transport {
            *transport = TransportSettings {
                token_limit_as: transport.token_limit_as.clone(),
                response_format: transport.response_format.clone(),
                ..TransportSettings::default()
            };
        }
        match serde_json::to_value(&header) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    };
    let (stored, given) = (to_members(stored), to_members(given));
    let names = stored.keys().chain(given.keys());
    let describe = |members: &Map<String, Value>, name: &String| {
        members
            .get(name)
            .map_or("nothing".to_owned(), Value::to_string)
    };
    match names
        .into_iter()
        .find(|name| stored.get(*name) != given.get(*name))
    {
        None => Ok(()),
        Some(name) => Err(AblationError::ResumedOtherwise {
            path: path.to_owned(),
            member: name.clone(),
            found: describe(&stored, name),
            expected: describe(&given, name),
        }),
    }
}
