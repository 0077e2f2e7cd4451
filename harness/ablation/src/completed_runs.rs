//! What the useless answers of compared runs may hide: see [`completed_steps`](super::completed_steps) and
//! [`completed_profiles`](super::completed_profiles). Nothing is told where every answer was useful.

use super::comparable_run::{ComparableRun, ComparedStep};
use super::completed_profiles::{SeedAnswers, bound_profile_p_value};
use super::completed_steps::{
    CompletedSteps, DifferenceRange, bound_seed_agreement, bound_seed_disagreement, bound_steps,
};
use super::swap_test::PValue;

/// The largest p-value that the choices of two runs have in any completion; `actions` are all actions, sorted.
pub(crate) fn bound_choices(
    reference: &ComparableRun,
    run: &ComparableRun,
    actions: &[String],
) -> Option<PValue> {
    let count = |run: &ComparableRun| -> Vec<SeedAnswers> {
        let seeds = run.steps.iter();
        seeds.map(|steps| count_answers(steps, actions)).collect()
    };
    has_useless_answer(&[reference, run])
        .then(|| bound_profile_p_value(&count(reference), &count(run)))
}

/// What holds of the agreement of two runs in every completion.
pub(crate) fn bound_agreement(
    reference: &ComparableRun,
    run: &ComparableRun,
) -> Option<CompletedSteps> {
    let seeds = reference.steps.iter().zip(&run.steps);
    let ranges = seeds.map(|(a, b)| bound_seed_agreement(&list_choices(a), &list_choices(b)));
    has_useless_answer(&[reference, run])
        .then(|| bound_steps(&ranges.collect::<Vec<DifferenceRange>>()))
}

/// What holds in every completion of how much more often a run chooses otherwise than the baseline than the replicate does.
pub(crate) fn bound_disagreement(
    baseline: &ComparableRun,
    replicate: &ComparableRun,
    run: &ComparableRun,
) -> Option<CompletedSteps> {
    let seeds = baseline.steps.iter().zip(&replicate.steps).zip(&run.steps);
    let ranges = seeds.map(|((baseline, replicate), run)| {
        let steps = baseline.iter().zip(replicate).zip(run);
        bound_seed_disagreement(steps.map(|((a, b), c)| [a.choice(), b.choice(), c.choice()]))
    });
    has_useless_answer(&[baseline, replicate, run])
        .then(|| bound_steps(&ranges.collect::<Vec<DifferenceRange>>()))
}

fn has_useless_answer(runs: &[&ComparableRun]) -> bool {
    let mut steps = runs.iter().flat_map(|run| run.steps.iter().flatten());
    steps.any(|step| step.choice().is_none())
}

fn list_choices(steps: &[ComparedStep]) -> Vec<Option<&str>> {
    steps.iter().map(ComparedStep::choice).collect()
}

fn count_answers(steps: &[ComparedStep], actions: &[String]) -> SeedAnswers {
    let chose = |action: &str| {
        let choices = steps.iter().filter_map(ComparedStep::choice);
        choices.filter(|choice| *choice == action).count() as u64
    };
    SeedAnswers {
        chosen: actions.iter().map(|action| chose(action)).collect(),
        useless: steps.iter().filter(|step| step.choice().is_none()).count() as u64,
    }
}
