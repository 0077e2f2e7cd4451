//! The comparison of several runs with the first of them.
//!
//! Three questions are asked of each run, and each has a test and a verdict of its own: whether its oracle
//! *chooses* otherwise, whether it *answers* usefully less often or more often, and whether other actions
//! were *done*. The choices are the proposals at the steps at which both runs had a useful answer, so an
//! oracle that garbles its answers and chooses alike is not taken for one that chooses otherwise.

use std::collections::BTreeSet;

use super::comparable_run::{ComparableRun, ComparedStep};
use super::decimal::Decimal;
use super::error::AblationError;
use super::resampling::SeedResamples;
use super::run_document::ActionCounts;
use super::statistics::{
    ProfileDifference, ShareDifference, TestResult, Verdict, judge_tests,
    measure_profile_difference, measure_share_difference,
};

/// Several runs, and how each but the first differs from the first.
#[derive(Debug)]
pub struct Comparison {
    /// The runs; the first is the reference, with which the others are compared.
    pub runs: Vec<ComparableRun>,
    /// Every action that any of the runs did or that was proposed in it.
    pub actions: Vec<String>,
    /// How each run but the first differs from the first.
    pub differences: Vec<RunDifference>,
}

/// How a run differs from the reference.
#[derive(Clone, Debug)]
pub struct RunDifference {
    /// The difference of what was proposed at the common steps.
    pub choices: ProfileDifference,
    /// The test of that difference.
    pub choices_test: TestResult,
    /// How often the two proposed different actions at one step.
    pub disagreement: Disagreement,
    /// The difference of how often an answer was not useful.
    pub answers: ShareDifference,
    /// The test of that difference.
    pub answers_test: TestResult,
    /// The difference of what was done at all steps.
    pub actions: ProfileDifference,
    /// The test of that difference.
    pub actions_test: TestResult,
}

impl RunDifference {
    /// Whether the oracle chooses otherwise, as documents name it.
    #[must_use]
    pub fn choices_verdict(&self) -> &'static str {
        name_verdict(self.choices_test.verdict, "CHOOSES_OTHERWISE")
    }

    /// Whether the oracle answers worse or better, as documents name it.
    #[must_use]
    pub fn answers_verdict(&self) -> &'static str {
        let is_worse = self.answers.difference > Decimal::default();
        let direction = if is_worse {
            "ANSWERS_WORSE"
        } else {
            "ANSWERS_BETTER"
        };
        name_verdict(self.answers_test.verdict, direction)
    }

    /// Whether other actions were done, as documents name it.
    #[must_use]
    pub fn actions_verdict(&self) -> &'static str {
        name_verdict(self.actions_test.verdict, "ACTS_OTHERWISE")
    }
}

/// Names a verdict; `told_apart` says how the run differs.
fn name_verdict(verdict: Verdict, told_apart: &'static str) -> &'static str {
    match verdict {
        Verdict::ToldApart => told_apart,
        Verdict::NotToldApart | Verdict::TooFewSeeds => verdict.as_str(),
    }
}

/// How often two runs proposed different actions at one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disagreement {
    /// The steps at which both had a useful answer.
    pub common_steps: u64,
    /// Of these, the steps at which the proposed actions differ.
    pub differing_steps: u64,
}

impl Disagreement {
    /// The share of the common steps at which the proposed actions differ; 0 without common steps.
    #[must_use]
    pub fn share(self) -> Decimal {
        Decimal::from_ratio(self.differing_steps.into(), self.common_steps.into())
    }
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
    let actions = list_actions(&runs);
    let resamples = SeedResamples::draw(reference.actions.len());
    let others = || runs.iter().skip(1);
    let choices: Vec<_> = others()
        .map(|run| {
            let common = tabulate_choices(reference, run, &actions);
            measure_profile_difference(&common.reference, &common.run, &resamples)
        })
        .collect();
    let steps = reference.totals.steps / (reference.actions.len() as u64).max(1);
    let answers: Vec<_> = others()
        .map(|run| {
            let (a, b) = (count_useless(reference), count_useless(run));
            measure_share_difference(&a, &b, steps, &resamples)
        })
        .collect();
    let done: Vec<_> = others()
        .map(|run| {
            let (a, b) = (
                tabulate_actions(reference, &actions),
                tabulate_actions(run, &actions),
            );
            measure_profile_difference(&a, &b, &resamples)
        })
        .collect();
    let judge_profiles = |found: &[ProfileDifference]| {
        let tests = found.iter().map(|found| (found.seeds, found.p_value));
        judge_tests(&tests.collect::<Vec<_>>())
    };
    let seeds = reference.actions.len();
    let answers_tests = answers.iter().map(|found| (seeds, found.p_value));
    let tests = judge_profiles(&choices)
        .into_iter()
        .zip(judge_tests(&answers_tests.collect::<Vec<_>>()))
        .zip(judge_profiles(&done));
    let measured = choices.iter().zip(&answers).zip(&done);
    let differences = others()
        .zip(measured)
        .zip(tests)
        .map(|((run, ((choices, answers), actions)), tests)| {
            let ((choices_test, answers_test), actions_test) = tests;
            RunDifference {
                choices: *choices,
                choices_test,
                disagreement: count_disagreement(reference, run),
                answers: *answers,
                answers_test,
                actions: *actions,
                actions_test,
            }
        })
        .collect();
    label_runs(&mut runs);
    Ok(Comparison {
        runs,
        actions,
        differences,
    })
}

impl Comparison {
    /// The runs but the first, with their differences.
    pub fn differing(&self) -> impl Iterator<Item = (&ComparableRun, &RunDifference)> {
        self.runs.iter().skip(1).zip(&self.differences)
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

/// For each seed, how often each action was proposed in two runs at their common steps.
struct CommonChoices {
    reference: Vec<Vec<u64>>,
    run: Vec<Vec<u64>>,
}

fn tabulate_choices(
    reference: &ComparableRun,
    run: &ComparableRun,
    actions: &[String],
) -> CommonChoices {
    let mut common = CommonChoices {
        reference: Vec::new(),
        run: Vec::new(),
    };
    for (a, b) in reference.steps.iter().zip(&run.steps) {
        let (mut counts, mut counts_of_run) = (vec![0; actions.len()], vec![0; actions.len()]);
        for (a, b) in a.iter().zip(b) {
            if let (Some(a), Some(b)) = (a.choice(), b.choice()) {
                count_action(actions, a, &mut counts);
                count_action(actions, b, &mut counts_of_run);
            }
        }
        common.reference.push(counts);
        common.run.push(counts_of_run);
    }
    common
}

/// Adds one to the count of `action`.
fn count_action(actions: &[String], action: &str, counts: &mut [u64]) {
    let place = actions.binary_search_by(|known| known.as_str().cmp(action));
    if let Some(count) = place.ok().and_then(|place| counts.get_mut(place)) {
        *count += 1;
    }
}

fn count_disagreement(reference: &ComparableRun, run: &ComparableRun) -> Disagreement {
    let mut found = Disagreement::default();
    let steps = reference
        .steps
        .iter()
        .flatten()
        .zip(run.steps.iter().flatten());
    for (a, b) in steps.filter_map(|(a, b)| a.choice().zip(b.choice())) {
        found.common_steps += 1;
        found.differing_steps += u64::from(a != b);
    }
    found
}

/// For each seed, how many answers were not useful.
fn count_useless(run: &ComparableRun) -> Vec<u64> {
    let is_useless = |step: &&ComparedStep| step.choice().is_none();
    let seeds = run.steps.iter();
    seeds
        .map(|steps| steps.iter().filter(is_useless).count() as u64)
        .collect()
}

/// For each seed of `run`, how often each of `actions` was done.
fn tabulate_actions(run: &ComparableRun, actions: &[String]) -> Vec<Vec<u64>> {
    let count = |counts: &ActionCounts, action: &String| counts.get(action).copied().unwrap_or(0);
    run.actions
        .iter()
        .map(|counts| actions.iter().map(|action| count(counts, action)).collect())
        .collect()
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
