//! A run as a comparison needs it, read from its document.

use std::path::{Path, PathBuf};

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};

use super::error::AblationError;
use super::header::RunHeader;
use super::invalid_run::InvalidReason;
use super::replay::DOCUMENT_FILE;
use super::run_document::{ActionCounts, RunDocument, RunTotals, SeedResult, StepResult};

/// More steps than any run has; up to here the sums of the statistics are exact.
const MAX_STEPS: u64 = 1 << 31;

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
    pub(crate) header: RunHeader,
    pub(crate) totals: RunTotals,
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
    /// Reads the run document in `dir`.
    ///
    /// # Errors
    /// [`FileError::Io`](axilog_ledger::error::FileError::Io); [`AblationError::Document`], [`AblationError::NotComparable`].
    pub fn read(dir: &Path) -> Result<ComparableRun, AblationError> {
        let path = dir.join(DOCUMENT_FILE);
        let bytes = read_input(&path, "read the run document", MAX_INPUT_BYTES)?;
        let document = RunDocument::parse(&path, &bytes)?;
        let refuse = |reason: String| AblationError::NotComparable {
            path: path.clone(),
            reason,
        };
        if document.status.verdict != "VALID" {
            let status = document.status.summary();
            return Err(refuse(format!(
                "is {status}, and only valid runs are compared"
            )));
        }
        if document.header.constant_length.is_none() {
            let reason = "is of the base harness, whose prompts have no constant length";
            return Err(refuse(reason.to_owned()));
        }
        if !is_whole(&document) {
            let reason = "its actions are not those of every step that its header has; `axilog ablation replay` shows whether it was changed";
            return Err(refuse(reason.to_owned()));
        }
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
        let seeds = document.seeds.into_iter();
        Ok(ComparableRun {
            dir: dir.to_owned(),
            label: document.header.variant.to_string(),
            header: document.header,
            totals: document.result,
            actions: seeds.map(|seed| seed.actions).collect(),
            steps,
            largest_length_gap,
            document_hash: hex(&sha256(&bytes)),
        })
    }

    /// How often the run did `action` under each seed.
    pub(crate) fn counts(&self, action: &str) -> impl Iterator<Item = u64> {
        let seeds = self.actions.iter();
        seeds.map(move |counts| counts.get(action).copied().unwrap_or(0))
    }
}

fn list_steps(seed: &SeedResult) -> Vec<ComparedStep> {
    let steps = seed.episodes.iter().flat_map(|episode| &episode.steps);
    let compared = steps.map(|step: &StepResult| ComparedStep {
        proposed: step.proposed.clone(),
        refused: step.refused.clone(),
    });
    compared.collect()
}

/// Whether the document has each step that its header has, under the same seeds, and counts their actions.
fn is_whole(document: &RunDocument) -> bool {
    let header = &document.header;
    let steps_per_seed = u64::from(header.episodes) * u64::from(header.steps_per_episode);
    let has_every_action = |actions: &ActionCounts| {
        let mut counts = actions.values();
        counts.try_fold(0, |sum: u64, n| sum.checked_add(*n)) == Some(steps_per_seed)
    };
    let counts_its_steps = |seed: &SeedResult| {
        let mut counted = ActionCounts::new();
        for step in seed.episodes.iter().flat_map(|episode| &episode.steps) {
            *counted.entry(step.action.clone()).or_default() += 1;
        }
        counted == seed.actions
    };
    let steps = document.result.steps;
    let mut seeds = document.seeds.iter();
    (1..=MAX_STEPS).contains(&steps)
        && steps_per_seed.checked_mul(header.seeds.len() as u64) == Some(steps)
        && seeds.clone().map(|seed| &seed.seed).eq(&header.seeds)
        && seeds.all(|seed| has_every_action(&seed.actions) && counts_its_steps(seed))
}
