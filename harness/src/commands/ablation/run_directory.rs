//! The directory of one run: begun, gone on with, finished.

use std::path::Path;

use axilog_ablation::AblationError;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::declared_environment::DeclaredEnvironment;
use axilog_ablation::environment::Environment;
use axilog_ablation::environment_source::{ENVIRONMENT_FILE, environment_path};
use axilog_ablation::header::RunHeader;
use axilog_ablation::interleaved_arms::OpenArm;
use axilog_ablation::prompt_frame::PromptFrame;
use axilog_ablation::replay::{
    CALIBRATION_FILE, DOCUMENT_FILE, HEADER_FILE, LEDGER_FILE, ReplayedRun, replay_run,
};
use axilog_ablation::run::{Run, RunStatus};
use axilog_ablation::run_document::RunDocument;
use axilog_ablation::statements::{ArmHead, RunStatement};
use axilog_ablation::variant::Variant;
use axilog_oracle::TransportSettings;
use serde_json::{Map, Value};

use super::oracle_options::{OpenedOracle, OracleOptions};
use super::run_files;
use crate::error::CommandError;

/// A run that is to be in a directory.
pub(super) struct RunDirectory<'a> {
    pub(super) dir: &'a Path,
    pub(super) header: &'a RunHeader,
    /// The variants of the experiment, this one among them.
    pub(super) arms: &'a [Variant],
    pub(super) environment: &'a DeclaredEnvironment,
    pub(super) frame: Option<&'a PromptFrame>,
    /// The file of the calibration that the header names.
    pub(super) calibration: Option<&'a Path>,
}

/// How much of a run a directory holds.
pub(super) enum RunState {
    Nothing,
    /// Files, and no answer that was asked for.
    Beginning,
    Stopped,
    /// Nothing goes on here.
    Whole(Box<ReplayedRun>),
}

impl RunState {
    /// How far the ledger of a whole run has come; `None` for every other run.
    pub(super) fn reached(&self) -> Option<ArmHead> {
        match self {
            RunState::Whole(replayed) => Some(replayed.reached.clone()),
            _ => None,
        }
    }

    /// Whether this is a whole baseline that is invalid, so that there is nothing to hold other runs against.
    pub(super) fn is_invalid_baseline(&self) -> bool {
        match self {
            RunState::Whole(replayed) => {
                replayed.header.variant == Variant::Baseline
                    && matches!(replayed.run.status, RunStatus::Invalid(..))
            }
            _ => false,
        }
    }
}

impl RunDirectory<'_> {
    /// Checks that the oracle can be asked, which leaves the directory free where it cannot.
    pub(super) fn open_oracle(&self, oracle: &OracleOptions) -> Result<OpenedOracle, CommandError> {
        oracle.open(&self.header.model_id, self.header.sampling)
    }

    /// Opens the ledger of the run as `state` says, and writes the files that are missing. `plan` is the digest of the
    /// experiment's plan.
    pub(super) fn open(
        &self,
        opened: OpenedOracle,
        base_url: Option<String>,
        state: &RunState,
        plan: Option<String>,
    ) -> Result<OpenArm, CommandError> {
        let header_path = self.dir.join(HEADER_FILE);
        let header = match state {
            RunState::Nothing => {
                run_files::create_dir(self.dir)?;
                if let Some(calibration) = self.calibration {
                    self.copy_calibration(calibration)?;
                }
                if self.environment.file_hash().is_some() {
                    let copy = self.dir.join(ENVIRONMENT_FILE);
                    run_files::write_bytes(&copy, self.environment.file_bytes())?;
                }
                run_files::write_whole(&header_path, &self.header.to_file_text())?;
                self.header.clone()
            }
            // The times of calls may be others in it.
            _ => RunHeader::read(&header_path)?.0,
        };
        let arms = self.arms.to_vec();
        let statement = RunStatement::new(arms, base_url, &header.to_file_text()).under_plan(plan);
        let answers = opened.open_ledger(
            &self.dir.join(LEDGER_FILE),
            &statement,
            matches!(state, RunState::Stopped),
            self.header.transport.clone(),
            self.frame.is_some(),
        )?;
        let dir = self.dir.to_owned();
        let environment = Box::new(self.environment.clone());
        Ok(OpenArm::new(dir, header, environment, answers)?)
    }

    /// Writes the document of a run that has ended or was stopped. The text is why the oracle gave no answer to the last
    /// question.
    pub(super) fn finish(&self, arm: OpenArm) -> Result<(Run, Option<String>), CommandError> {
        let (header, run, fault) = arm.finish()?;
        let document = RunDocument::new(&header, &run);
        run_files::write_whole(&self.dir.join(DOCUMENT_FILE), &document.to_file_text())?;
        Ok((run, fault))
    }

    /// Finds out how far the run in the directory has come. What it holds must follow from its ledger. An arm of a plan
    /// is whole when its ledger says that the experiment is over.
    pub(super) fn find_run(&self, has_plan: bool) -> Result<RunState, CommandError> {
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
        let is_whole = match replayed.run.status {
            RunStatus::Valid | RunStatus::Invalid(..) => !has_plan || replayed.is_closed,
            RunStatus::Interrupted(_) | RunStatus::NoAnswer(..) => replayed.is_closed,
        };
        if !is_whole {
            return Ok(RunState::Stopped);
        }
        if replayed.stored.is_none() {
            run_files::write_whole(&self.dir.join(DOCUMENT_FILE), &replayed.document)?;
        }
        Ok(RunState::Whole(Box::new(replayed)))
    }

    /// Copies the calibration, its ledger with the blobs, and the files of its tokenizer and environment; the calibration
    /// last, so that all is there where it stands.
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
        for belonging in [Calibration::tokenizer_path, environment_path] {
            let [from, to] = [from, &to].map(belonging);
            if from.exists() {
                run_files::copy_file(&from, &to)?;
            }
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
