//! The comparison of several runs with the first of them.

use std::collections::BTreeSet;

use super::comparable_run::ComparableRun;
use super::error::AblationError;
use super::run_document::ActionCounts;
use super::statistics::{Difference, measure_difference};

/// Several runs, and how each but the first differs from the first.
#[derive(Debug)]
pub struct Comparison {
    /// The runs; the first is the reference, with which the others are compared.
    pub runs: Vec<ComparableRun>,
    /// Every action that any of the runs did.
    pub actions: Vec<String>,
    /// How each run but the first differs from the first.
    pub differences: Vec<Difference>,
}

/// Compares `runs` with the first of them.
///
/// # Errors
/// [`AblationError::NotComparable`] where a run met other seeds, situations or lengths than the first.
pub fn compare_runs(mut runs: Vec<ComparableRun>) -> Result<Comparison, AblationError> {
    let Some(reference) = runs.first() else {
        return Err(AblationError::EmptyPlan);
    };
    for run in &runs {
        check_same_conditions(reference, run)?;
    }
    label_runs(&mut runs);
    let counts = runs.iter().flat_map(|run| &run.actions);
    let actions: BTreeSet<String> = counts.flat_map(|counts| counts.keys().cloned()).collect();
    let actions = Vec::from_iter(actions);
    let mut tables = runs.iter().map(|run| tabulate(run, &actions));
    let reference = tables.next().unwrap_or_default();
    let differences = tables
        .map(|table| measure_difference(&reference, &table))
        .collect();
    Ok(Comparison {
        runs,
        actions,
        differences,
    })
}

impl Comparison {
    /// The runs but the first, with their differences.
    pub fn differing(&self) -> impl Iterator<Item = (&ComparableRun, &Difference)> {
        self.runs.iter().skip(1).zip(&self.differences)
    }
}

/// Checks that `run` met what `reference` met.
fn check_same_conditions(
    reference: &ComparableRun,
    run: &ComparableRun,
) -> Result<(), AblationError> {
    let (expected, found) = (&reference.header, &run.header);
    let conditions = [
        ("environment", expected.environment == found.environment),
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

/// Labels each run by its variant; where several oracles answered, by oracle and variant.
fn label_runs(runs: &mut [ComparableRun]) {
    let oracles: BTreeSet<(&str, &str)> = runs
        .iter()
        .map(|run| (run.header.provider.as_str(), run.header.model_id.as_str()))
        .collect();
    let several = oracles.len() > 1;
    for run in runs {
        let header = &run.header;
        run.label = match (several, header.provider == header.model_id) {
            (false, _) => header.variant.to_string(),
            (true, true) => format!("{} {}", header.provider, header.variant),
            (true, false) => format!("{} {} {}", header.provider, header.model_id, header.variant),
        };
    }
}

/// For each seed of `run`, how often each of `actions` was done.
fn tabulate(run: &ComparableRun, actions: &[String]) -> Vec<Vec<i64>> {
    let count = |counts: &ActionCounts, action: &String| {
        let n = counts.get(action).copied().unwrap_or(0);
        i64::try_from(n).unwrap_or(0)
    };
    run.actions
        .iter()
        .map(|counts| actions.iter().map(|action| count(counts, action)).collect())
        .collect()
}
