//! How two runs differ: what is measured, tested and judged.
//!
//! Three questions are asked, and each has a test and a verdict of its own: whether the oracle *chooses*
//! otherwise, whether it *answers* usefully less often or more often, and whether other actions were *done*.
//! The choices are the proposals at the steps at which both runs had a useful answer, so an oracle that
//! garbles its answers and chooses alike is not taken for one that chooses otherwise.

use super::comparable_run::{ComparableRun, ComparedStep};
use super::decimal::Decimal;
use super::resampling::SeedResamples;
use super::run_document::ActionCounts;
use super::statistics::{
    ProfileDifference, ShareDifference, TestResult, Verdict, judge_tests,
    measure_profile_difference, measure_share_difference,
};
use super::swap_test::PValue;

/// Two runs of a comparison, by their places in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPair {
    /// The place of the run that the other is held against.
    pub reference: usize,
    /// The place of the run that is held against it.
    pub run: usize,
}

/// How a run differs from its reference.
#[derive(Clone, Debug)]
pub struct RunDifference {
    /// The two runs.
    pub pair: RunPair,
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
    /// The questions in which the run is told apart, as documents name them, in their order.
    #[must_use]
    pub fn told_apart(&self) -> Vec<&'static str> {
        let tests = [
            ("choices", &self.choices_test),
            ("answers", &self.answers_test),
            ("actions", &self.actions_test),
        ];
        let told_apart = tests
            .into_iter()
            .filter(|(_, test)| test.verdict == Verdict::ToldApart);
        told_apart.map(|(question, _)| question).collect()
    }

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

/// Measures how the runs of each pair differ, and judges them as one family: for each question their
/// p-values are corrected for the number of pairs. `actions` are all actions of the runs, sorted.
pub(crate) fn judge_family(
    pairs: &[RunPair],
    runs: &[ComparableRun],
    actions: &[String],
    resamples: &SeedResamples,
) -> Vec<RunDifference> {
    let measured: Vec<_> = pairs
        .iter()
        .filter_map(|pair| {
            let (reference, run) = (runs.get(pair.reference)?, runs.get(pair.run)?);
            Some((*pair, MeasuredPair::new(reference, run, actions, resamples)))
        })
        .collect();
    let judge = |test: &dyn Fn(&MeasuredPair) -> (usize, PValue)| {
        let tests = measured.iter().map(|(_, found)| test(found));
        judge_tests(&tests.collect::<Vec<_>>()).into_iter()
    };
    let choices = judge(&|found| (found.choices.seeds, found.choices.p_value));
    let answers = judge(&|found| (found.seeds, found.answers.p_value));
    let done = judge(&|found| (found.actions.seeds, found.actions.p_value));
    let tests = choices.zip(answers).zip(done);
    let differences = measured.iter().zip(tests);
    differences
        .map(
            |((pair, found), ((choices, answers), actions))| RunDifference {
                pair: *pair,
                choices: found.choices,
                choices_test: choices,
                disagreement: found.disagreement,
                answers: found.answers,
                answers_test: answers,
                actions: found.actions,
                actions_test: actions,
            },
        )
        .collect()
}

/// What is measured on two runs.
struct MeasuredPair {
    seeds: usize,
    choices: ProfileDifference,
    disagreement: Disagreement,
    answers: ShareDifference,
    actions: ProfileDifference,
}

impl MeasuredPair {
    fn new(
        reference: &ComparableRun,
        run: &ComparableRun,
        actions: &[String],
        resamples: &SeedResamples,
    ) -> MeasuredPair {
        let seeds = reference.actions.len();
        let steps = reference.totals.steps / (seeds as u64).max(1);
        let common = tabulate_choices(reference, run, actions);
        let (useless, useless_of_run) = (count_useless(reference), count_useless(run));
        let (done, done_by_run) = (
            tabulate_actions(reference, actions),
            tabulate_actions(run, actions),
        );
        MeasuredPair {
            seeds,
            choices: measure_profile_difference(&common.reference, &common.run, resamples),
            disagreement: count_disagreement(reference, run),
            answers: measure_share_difference(&useless, &useless_of_run, steps, resamples),
            actions: measure_profile_difference(&done, &done_by_run, resamples),
        }
    }
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
