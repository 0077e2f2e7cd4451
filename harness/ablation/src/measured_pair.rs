//! What is measured on two runs of a comparison, before it is judged.

use super::comparable_run::{ComparableRun, ComparedStep};
use super::completed_runs::{bound_agreement, bound_choices, bound_disagreement};
use super::completed_steps::CompletedSteps;
use super::endpoint::StudyEndpoint;
use super::judged_tests::FamilyTest;
use super::resampling::SeedResamples;
use super::run_difference::Disagreement;
use super::run_document::ActionCounts;
use super::statistics::{
    ProfileDifference, ShareDifference, measure_profile_difference, measure_share_difference,
};
use super::step_statistics::{
    StepDifference, count_agreement, count_disagreement_beyond, measure_step_difference,
};
use super::swap_test::PValue;

/// What is measured on two runs.
pub(crate) struct MeasuredPair {
    seeds: usize,
    pub(crate) choices: ProfileDifference,
    /// The largest p-value of the choices, whatever the useless answers would have been; `None` without any, and where
    /// no primary endpoint was declared.
    pub(crate) completed_choices: Option<PValue>,
    pub(crate) disagreement: Disagreement,
    pub(crate) answers: ShareDifference,
    pub(crate) actions: ProfileDifference,
    /// `None` where no primary endpoint was declared.
    pub(crate) agreement: Option<MeasuredSteps>,
    /// `None` without a replicate of the reference, too.
    pub(crate) beyond_replicate: Option<MeasuredSteps>,
}

/// A difference of shares of steps.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredSteps {
    /// The difference at the steps that were answered usefully.
    pub(crate) found: StepDifference,
    /// What holds of it in every completion of the useless answers; `None` without any.
    pub(crate) completed: Option<CompletedSteps>,
}

impl MeasuredPair {
    pub(crate) fn new(
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
            completed_choices: None,
            disagreement: count_disagreement(reference, run),
            answers: measure_share_difference(&useless, &useless_of_run, steps, resamples),
            actions: measure_profile_difference(&done, &done_by_run, resamples),
            agreement: None,
            beyond_replicate: None,
        }
    }

    /// Measures the statistics of single steps, too, and what useless answers may hide.
    #[must_use]
    pub(crate) fn with_steps(
        mut self,
        reference: &ComparableRun,
        run: &ComparableRun,
        replicate: Option<&ComparableRun>,
        actions: &[String],
    ) -> MeasuredPair {
        self.completed_choices = bound_choices(reference, run, actions);
        self.agreement = Some(MeasuredSteps {
            found: measure_step_difference(&count_agreement(reference, run)),
            completed: bound_agreement(reference, run),
        });
        self.beyond_replicate = replicate.map(|replicate| {
            let counts = count_disagreement_beyond(reference, replicate, run);
            MeasuredSteps {
                found: measure_step_difference(&counts),
                completed: bound_disagreement(reference, replicate, run),
            }
        });
        self
    }

    /// The test of each endpoint that was measured, with the weight 1.
    pub(crate) fn list_tests(&self) -> Vec<(StudyEndpoint, FamilyTest)> {
        let test = |seeds, p_value: PValue, completed: Option<PValue>| FamilyTest {
            seeds,
            p_value,
            // The useful answers by themselves must differ, too.
            largest: completed.map(|largest| largest.max(p_value)),
            weight: 1,
        };
        let profile = |it: &ProfileDifference, completed| test(it.seeds, it.p_value, completed);
        let steps = |MeasuredSteps { found, completed }: MeasuredSteps| {
            test(found.seeds, found.p_value, completed.map(|it| it.p_value))
        };
        let measured = [
            (
                StudyEndpoint::Choices,
                Some(profile(&self.choices, self.completed_choices)),
            ),
            (
                StudyEndpoint::Answers,
                Some(test(self.seeds, self.answers.p_value, None)),
            ),
            (StudyEndpoint::Actions, Some(profile(&self.actions, None))),
            (StudyEndpoint::Agreement, self.agreement.map(steps)),
            (
                StudyEndpoint::Disagreement,
                self.beyond_replicate.map(steps),
            ),
        ];
        let tests = measured.into_iter();
        tests
            .filter_map(|(endpoint, test)| Some((endpoint, test?)))
            .collect()
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
