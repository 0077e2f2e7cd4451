//! The comparison of several runs with the first of them, and the controls that stand beside it.

use std::collections::{BTreeMap, BTreeSet};

use super::arm_conditions::{check_conditions, check_environments, describe_environment};
use super::comparable_run::ComparableRun;
use super::controls::{ControlDifference, PairedRuns};
use super::error::AblationError;
use super::judged_pairs::{Correction, judge_pairs};
use super::margin::Margin;
use super::primary_endpoint::PrimaryEndpoint;
use super::run_difference::RunDifference;
use super::run_document::ActionCounts;

/// Several runs, and how they differ.
#[derive(Debug)]
pub struct RunComparison {
    /// The runs; the first is the reference, with which the others are compared.
    pub runs: Vec<ComparableRun>,
    /// Every action that any of the runs did or that was proposed in it.
    pub actions: Vec<String>,
    /// How each run that is no control differs from the first.
    pub differences: Vec<RunDifference>,
    /// How the controls of the first run differ from what they are held against.
    pub controls: Vec<ControlDifference>,
    /// The endpoint that was declared before the runs, if one was.
    pub primary: PrimaryEndpoint,
    /// Below which a difference in the primary endpoint does not matter, if its reader says so.
    pub margin: Option<Margin>,
}

/// Compares `runs` with the first of them. Where they declare one primary endpoint, the p-values of all endpoints and
/// all runs are corrected together. Else those of each endpoint are, and those of controls apart.
///
/// # Errors
/// As [`check_runs`].
pub fn compare_runs(mut runs: Vec<ComparableRun>) -> Result<RunComparison, AblationError> {
    check_runs(&runs)?;
    let actions = list_actions(&runs);
    label_runs(&mut runs);
    let primary = PrimaryEndpoint::find(&runs);
    let correction = match primary {
        PrimaryEndpoint::Declared(endpoint) => Correction::WholeComparison(endpoint),
        PrimaryEndpoint::Undeclared(_) => Correction::EachEndpoint,
    };
    let (mut differences, mut controls) = (Vec::new(), Vec::new());
    for (control, difference) in judge_pairs(&PairedRuns::new(&runs), &runs, &actions, correction) {
        match control {
            None => differences.push(difference),
            Some(control) => controls.push(ControlDifference {
                control,
                difference,
            }),
        }
    }
    Ok(RunComparison {
        runs,
        actions,
        differences,
        controls,
        primary,
        margin: None,
    })
}

/// Checks that `runs` can be compared with the first of them, which is given back.
///
/// # Errors
/// [`AblationError::NothingToCompare`] for less than two runs; [`AblationError::NotComparable`] where a run
/// met other seeds, situations or lengths than the first; [`AblationError::InvalidComparison`] where runs are of
/// different environments, or those of one oracle were sampled otherwise, answered by another model, or counted in other
/// tokens.
pub fn check_runs(runs: &[ComparableRun]) -> Result<&ComparableRun, AblationError> {
    let (Some(reference), true) = (runs.first(), runs.len() > 1) else {
        let only = runs.first().map(|run| run.dir.clone());
        return Err(AblationError::NothingToCompare(only.unwrap_or_default()));
    };
    let conditions: Vec<_> = runs.iter().map(ComparableRun::conditions).collect();
    check_environments(&conditions)?;
    for run in runs {
        check_same_conditions(reference, run)?;
    }
    check_conditions(&conditions)?;
    Ok(reference)
}

impl RunComparison {
    /// Judges the primary endpoint, where it is not told apart, as `LESS_THAN` the margin where its whole confidence
    /// interval is.
    ///
    /// # Errors
    /// [`AblationError::MarginOfNothing`] where the primary endpoint is no share of steps.
    pub fn with_margin(mut self, margin: Margin) -> Result<RunComparison, AblationError> {
        let endpoint = match self.primary {
            PrimaryEndpoint::Declared(endpoint) if endpoint.is_share_of_steps() => endpoint,
            _ => return Err(AblationError::MarginOfNothing(self.explain_primary())),
        };
        let controls = self
            .controls
            .iter_mut()
            .map(|control| &mut control.difference);
        for found in self.differences.iter_mut().chain(controls) {
            found.judge_margin(endpoint, margin);
        }
        self.margin = Some(margin);
        Ok(self)
    }

    /// The runs that are no controls, but the first, with their differences.
    pub fn differing(&self) -> impl Iterator<Item = (&ComparableRun, &RunDifference)> {
        let differences = self.differences.iter();
        differences.filter_map(|found| Some((self.runs.get(found.pair.run)?, found)))
    }

    /// The environment of the runs, and SHA-256 of its file where its id alone does not say which one it is.
    #[must_use]
    pub fn describe_environment(&self) -> String {
        let reference = self.runs.first();
        reference.map_or_else(String::new, |run| {
            describe_environment(run.header.environment_key())
        })
    }

    /// The label of the run at a place; empty where there is none.
    pub(crate) fn label(&self, place: usize) -> &str {
        self.runs.get(place).map_or("", |run| run.label.as_str())
    }
}

/// Every action that was done or proposed, sorted.
fn list_actions(runs: &[ComparableRun]) -> Vec<String> {
    let done = runs
        .iter()
        .flat_map(|run| &run.actions)
        .flat_map(ActionCounts::keys);
    let steps = runs.iter().flat_map(|run| &run.steps).flatten();
    let proposed = steps.filter_map(|step| step.proposed.as_ref());
    let actions: BTreeSet<&String> = done.chain(proposed).collect();
    actions.into_iter().cloned().collect()
}

/// Checks that `run` met what `reference` met.
fn check_same_conditions(
    reference: &ComparableRun,
    run: &ComparableRun,
) -> Result<(), AblationError> {
    let (expected, found) = (&reference.header, &run.header);
    let conditions = [
        ("skeleton", expected.skeleton_hash == found.skeleton_hash),
        ("seeds", expected.seeds == found.seeds),
        ("number of episodes", expected.episodes == found.episodes),
        (
            "episode length",
            expected.steps_per_episode == found.steps_per_episode,
        ),
        (
            "prompt length (calibration, tokenizer or padding)",
            expected.constant_length == found.constant_length,
        ),
    ];
    match conditions.into_iter().find(|(_, is_same)| !is_same) {
        None => Ok(()),
        Some((condition, _)) => Err(AblationError::NotComparable {
            path: run.dir.clone(),
            reason: format!(
                "differs from {} in its {condition}",
                reference.dir.display()
            ),
        }),
    }
}

/// Labels each run by its variant; where several oracles answered, by oracle and variant. Runs that would
/// have the same label are told apart by their paths.
fn label_runs(runs: &mut [ComparableRun]) {
    let oracles: BTreeSet<(&str, &str)> = runs
        .iter()
        .map(|run| (run.header.provider.as_str(), run.header.model_id.as_str()))
        .collect();
    let several = oracles.len() > 1;
    for run in runs.iter_mut() {
        let header = &run.header;
        run.label = match (several, header.provider == header.model_id) {
            (false, _) => header.variant.to_string(),
            (true, true) => format!("{} {}", header.provider, header.variant),
            (true, false) => format!("{} {} {}", header.provider, header.model_id, header.variant),
        };
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for run in runs.iter() {
        *counts.entry(run.label.clone()).or_default() += 1;
    }
    for run in runs {
        if counts.get(&run.label).is_some_and(|count| *count > 1) {
            run.label = format!("{} ({})", run.label, run.path);
        }
    }
}
