//! A run as a comparison needs it, read from its document.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};

use super::arm_conditions::ArmConditions;
use super::document_checks::check_document;
use super::error::AblationError;
use super::experiment_plan::ExperimentPlan;
use super::header::RunHeader;
use super::invalid_run::InvalidReason;
use super::replay::DOCUMENT_FILE;
use super::run_document::{ActionCounts, RunDocument, RunTotals, SeedResult, StepResult};
use super::variant::Variant;

/// A step as a comparison needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedStep {
    /// The action that was proposed; `None` where the answer was rejected and nothing could be read in it.
    pub proposed: Option<String>,
    /// Why the answer bound nothing, as a code; `None` where it was useful.
    pub refused: Option<String>,
}

impl ComparedStep {
    /// The action that a useful answer proposed: one whose artifact compiled.
    #[must_use]
    pub fn choice(&self) -> Option<&str> {
        match self.refused {
            None => self.proposed.as_deref(),
            Some(_) => None,
        }
    }
}

/// A run that may be compared: whole, valid, and with a constant prompt length.
#[derive(Debug)]
pub struct ComparableRun {
    /// The run's directory.
    pub dir: PathBuf,
    /// The run's name among the others.
    pub label: String,
    /// The run's directory as the comparison names it: from the comparison's own directory where that has one.
    pub path: String,
    /// The chain value of the last record of the run's ledger, in hexadecimal; `None` where the ledger was not
    /// read.
    pub ledger_head: Option<String>,
    /// The arms of the run's experiment, as its ledger lists them; `None` where it lists none, or was not read.
    pub planned_arms: Option<Vec<Variant>>,
    pub(crate) header: RunHeader,
    pub(crate) totals: RunTotals,
    /// The model that answered, as the server names it; `None` where it does not.
    pub(crate) answered_by: Option<String>,
    /// The tokens that the server counts in each prompt; `None` where it does not say.
    pub(crate) prompt_tokens: Option<u64>,
    /// The builds of the model or the server that answered, as the server names them.
    pub(crate) fingerprints: Vec<String>,
    /// The plan that the run is an arm of; `None` for a run by itself.
    pub(crate) plan: Option<ExperimentPlan>,
    /// How often each action was done, for each seed.
    pub(crate) actions: Vec<ActionCounts>,
    /// The steps under each seed, in order.
    pub(crate) steps: Vec<Vec<ComparedStep>>,
    /// By how many tokens a placebo of the run and the record that it replaced differ at most; `None` without
    /// placebos.
    pub(crate) largest_length_gap: Option<u64>,
    /// SHA-256 of the run document, in hexadecimal.
    pub(crate) document_hash: String,
}

impl ComparableRun {
    /// Reads the run document in `dir` and checks that it holds together. Whether it follows from its ledger
    /// is for [`replay_run`](super::replay::replay_run) to say.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`AblationError::Document`]; [`AblationError::NotComparable`] for a run that is not
    /// whole or not valid, and for one whose counts, lengths or episodes do not hold.
    pub fn read(dir: &Path) -> Result<ComparableRun, AblationError> {
        let path = dir.join(DOCUMENT_FILE);
        let refuse = |reason: String| AblationError::NotComparable {
            path: path.clone(),
            reason,
        };
        let bytes = match read_input(&path, "read the run document", MAX_INPUT_BYTES) {
            Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                let reason = "is not there: the run was killed, or goes on; `axilog ablation replay` writes it from the ledger, and only whole runs are compared";
                return Err(refuse(reason.to_owned()));
            }
            read => read?,
        };
        let document = RunDocument::parse(&path, &bytes)?;
        if document.status.verdict != "VALID" {
            let status = document.status.summary();
            let detail = document.status.detail.unwrap_or_default();
            return Err(refuse(format!(
                "is {status} ({detail}), and only whole, valid runs are compared; leave it out, or run it again"
            )));
        }
        check_document(&document).map_err(|found| {
            refuse(format!(
                "{found}; `axilog ablation replay` shows whether it was changed"
            ))
        })?;
        let steps: Vec<Vec<ComparedStep>> = document.seeds.iter().map(list_steps).collect();
        // Documents of earlier versions call such a run valid.
        if steps.iter().flatten().all(|step| step.choice().is_none()) {
            let reason = format!(
                "is INVALID_RUN / {}: none of its answers compiled, so there is no choice to compare",
                InvalidReason::NoUsefulAnswer.as_str()
            );
            return Err(refuse(reason));
        }
        let largest_length_gap = document
            .steps()
            .filter_map(|step| step.length_gap.map(i64::unsigned_abs))
            .max();
        // In a valid run each of these is the same wherever it is said.
        let stated = document.provider.iter();
        let answered_by = stated.clone().find_map(|it| it.answered_by.clone());
        let prompt_tokens = stated.clone().find_map(|it| it.prompt_tokens);
        let mut fingerprints: Vec<String> = Vec::new();
        for fingerprint in stated.filter_map(|it| it.system_fingerprint.as_ref()) {
            if !fingerprints.contains(fingerprint) {
                fingerprints.push(fingerprint.clone());
            }
        }
        let plan = find_plan_beside(dir, &document.header)?;
        let seeds = document.seeds.into_iter();
        Ok(ComparableRun {
            dir: dir.to_owned(),
            label: document.header.variant.to_string(),
            path: dir.to_string_lossy().into_owned(),
            ledger_head: None,
            planned_arms: None,
            header: document.header,
            totals: document.result,
            answered_by,
            prompt_tokens,
            fingerprints,
            plan,
            actions: seeds.map(|seed| seed.actions).collect(),
            steps,
            largest_length_gap,
            document_hash: hex(&sha256(&bytes)),
        })
    }

    /// The run's variant.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.header.variant
    }

    /// The conditions under which the run's answers were given.
    pub(crate) fn conditions(&self) -> ArmConditions<'_> {
        ArmConditions {
            dir: &self.dir,
            environment: self.header.environment_key(),
            oracle: (&self.header.provider, &self.header.model_id),
            sampling: self.header.sampling,
            answered_by: self.answered_by.as_deref(),
            prompt_tokens: self.prompt_tokens,
        }
    }

    /// Whether the run asked the same oracle as `other`.
    pub(crate) fn has_oracle_of(&self, other: &ComparableRun) -> bool {
        let (own, others) = (&self.header, &other.header);
        (&own.provider, &own.model_id) == (&others.provider, &others.model_id)
    }

    /// How often the run did `action` under each seed.
    pub(crate) fn counts(&self, action: &str) -> impl Iterator<Item = u64> {
        let seeds = self.actions.iter();
        seeds.map(move |counts| counts.get(action).copied().unwrap_or(0))
    }
}

/// Finds the plan beside the run in `dir`, if the run is an arm of it.
fn find_plan_beside(
    dir: &Path,
    header: &RunHeader,
) -> Result<Option<ExperimentPlan>, AblationError> {
    let real = dir.canonicalize();
    let real = real.map_err(FileError::from_io(dir, "find"))?;
    let plan = real.parent().map(ExperimentPlan::read).transpose()?;
    Ok(plan.flatten().filter(|plan| plan.has_arm(header)))
}

fn list_steps(seed: &SeedResult) -> Vec<ComparedStep> {
    let steps = seed.episodes.iter().flat_map(|episode| &episode.steps);
    let compared = steps.map(|step: &StepResult| ComparedStep {
        proposed: step.proposed.clone(),
        refused: step.refused.clone(),
    });
    compared.collect()
}
