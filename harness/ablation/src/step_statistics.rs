//! The statistics of single steps: what shares of actions do not show.
//!
//! *Agreement* is how often the choice at a step is the action of the last record before it. *Disagreement beyond the
//! replicate* is how often a run chooses otherwise than the baseline at the same episode and step under the same seed,
//! less how often the replicate does. Both count only steps at which every run that they compare had a useful answer,
//! so that an oracle that garbles its answers and chooses alike has neither; the last record is that of the last such
//! step. Where every answer is useful it is the one that stands in the baseline's prompt.
//!
//! The test of both swaps seeds: of the agreement the two runs, of the disagreement the run and the replicate, which
//! differ from the baseline by one law where the memory plays no part. Determinism: D1.

use super::comparable_run::{ComparableRun, ComparedStep};
use super::confidence_interval::{CountedDifference, find_confidence_interval};
use super::decimal::Decimal;
use super::swap_test::{PValue, PairContributions};

/// What is counted under one seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeedCounts {
    /// The steps that count.
    pub steps: u64,
    /// At how many of them it happened in what the run is held against.
    pub reference: u64,
    /// At how many it happened in the run.
    pub run: u64,
}

/// The difference of two shares of the same steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepDifference {
    /// How many seeds have steps that count.
    pub seeds: usize,
    /// The steps that count.
    pub steps: u64,
    /// At how many of them it happened in what the run is held against.
    pub reference_count: u64,
    /// At how many it happened in the run.
    pub run_count: u64,
    /// The share of the run less that of what it is held against: between -1 and 1.
    pub difference: Decimal,
    /// The ends of the difference's 95 % confidence interval.
    pub interval: [Decimal; 2],
    /// The p-value of the seed-swap test, for a difference in either direction.
    pub p_value: PValue,
}

/// Measures the difference of two shares of the same steps. A seed without steps is left out.
#[must_use]
pub fn measure_step_difference(seeds: &[SeedCounts]) -> StepDifference {
    let counted = list_differences(seeds);
    let sum = |count: fn(&SeedCounts) -> u64| seeds.iter().map(count).sum::<u64>();
    let [steps, reference_count, run_count] =
        [sum(|it| it.steps), sum(|it| it.reference), sum(|it| it.run)];
    StepDifference {
        seeds: counted.len(),
        steps,
        reference_count,
        run_count,
        difference: Decimal::from_ratio(
            i128::from(run_count) - i128::from(reference_count),
            steps.into(),
        ),
        interval: find_confidence_interval(&counted),
        p_value: test_step_difference(seeds),
    }
}

/// Tests whether two shares of the same steps differ, by swapping seeds.
#[must_use]
pub fn test_step_difference(seeds: &[SeedCounts]) -> PValue {
    let counted = list_differences(seeds).into_iter();
    let differences: Vec<i128> = counted.map(|seed| seed.difference).collect();
    PairContributions::of_differences(&differences).test_by_swaps()
}

/// The difference under each seed that has steps.
fn list_differences(seeds: &[SeedCounts]) -> Vec<CountedDifference> {
    let counted = seeds.iter().filter(|seed| seed.steps > 0);
    let differences = counted.map(|seed| CountedDifference {
        difference: i128::from(seed.run) - i128::from(seed.reference),
        steps: seed.steps.into(),
    });
    differences.collect()
}

/// Counts under each seed how often the choices of two runs are those of their last records, at their common steps. The
/// first of these has no record before it, and does not count.
pub(crate) fn count_agreement(reference: &ComparableRun, run: &ComparableRun) -> Vec<SeedCounts> {
    let seeds = reference.steps.iter().zip(&run.steps);
    let counts = seeds.map(|(reference, run)| {
        let steps = reference.iter().zip(run);
        let common = steps.filter_map(|(a, b)| a.choice().zip(b.choice()));
        count_seed_agreement(&common.collect::<Vec<_>>())
    });
    counts.collect()
}

/// Counts how often the choices of two runs under one seed are those before them.
#[must_use]
pub fn count_seed_agreement<T: PartialEq>(choices: &[(T, T)]) -> SeedCounts {
    let mut counts = SeedCounts::default();
    for ((last, last_of_run), (choice, choice_of_run)) in choices.iter().zip(choices.iter().skip(1))
    {
        counts.steps += 1;
        counts.reference += u64::from(choice == last);
        counts.run += u64::from(choice_of_run == last_of_run);
    }
    counts
}

/// Counts under each seed how often a run and the replicate choose otherwise than the baseline, at the steps that all
/// three answered usefully.
pub(crate) fn count_disagreement_beyond(
    baseline: &ComparableRun,
    replicate: &ComparableRun,
    run: &ComparableRun,
) -> Vec<SeedCounts> {
    let seeds = baseline.steps.iter().zip(&replicate.steps).zip(&run.steps);
    let counts = seeds.map(|((baseline, replicate), run)| {
        let steps = baseline.iter().zip(replicate).zip(run);
        let choices = steps.filter_map(|((a, b), c)| choose_all([a, b, c]));
        count_seed_disagreement(choices)
    });
    counts.collect()
}

/// What three runs chose at a step; `None` where one of them had no useful answer.
fn choose_all([a, b, c]: [&ComparedStep; 3]) -> Option<[&str; 3]> {
    Some([a.choice()?, b.choice()?, c.choice()?])
}

/// Counts how often a run and the replicate choose otherwise than the baseline under one seed. The choices at a step
/// are those of the baseline, the replicate and the run.
#[must_use]
pub fn count_seed_disagreement<T: PartialEq>(
    choices: impl IntoIterator<Item = [T; 3]>,
) -> SeedCounts {
    let mut counts = SeedCounts::default();
    for [baseline, replicate, run] in choices {
        counts.steps += 1;
        counts.reference += u64::from(replicate != baseline);
        counts.run += u64::from(run != baseline);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_with_the_choice_before() {
        let choices = [(1, 1), (1, 2), (2, 2), (2, 2)];
        let expected = SeedCounts {
            steps: 3,
            reference: 2,
            run: 2,
        };
        assert_eq!(count_seed_agreement(&choices), expected);
        assert_eq!(count_seed_agreement(&choices[..1]), SeedCounts::default());
        assert_eq!(count_seed_agreement::<u8>(&[]), SeedCounts::default());
    }

    #[test]
    fn disagreement_is_with_the_baseline() {
        let found = count_seed_disagreement([[1, 1, 1], [1, 1, 2], [1, 2, 3], [1, 2, 1]]);
        let expected = SeedCounts {
            steps: 4,
            reference: 2,
            run: 2,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn shares_of_the_same_steps_are_compared_in_both_directions() {
        let seed = |steps, reference, run| SeedCounts {
            steps,
            reference,
            run,
        };
        let found = measure_step_difference(&[seed(40, 4, 10); 8]);
        assert_eq!((found.seeds, found.steps), (8, 320));
        assert_eq!((found.reference_count, found.run_count), (32, 80));
        let share = Decimal::from_millionths(150_000);
        assert_eq!((found.difference, found.interval), (share, [share; 2]));
        assert_eq!(found.p_value, PValue::smallest(8));
        let turned = measure_step_difference(&[seed(40, 10, 4); 8]);
        assert_eq!(turned.difference, Decimal::from_millionths(-150_000));
        assert_eq!(turned.p_value, PValue::smallest(8));
        // A seed without steps is left out.
        let mut seeds = [seed(40, 4, 10); 8];
        seeds[3] = seed(0, 0, 0);
        let found = measure_step_difference(&seeds);
        assert_eq!((found.seeds, found.p_value), (7, PValue::smallest(7)));
        let nothing = measure_step_difference(&[]);
        assert_eq!((nothing.seeds, nothing.difference), (0, Decimal::default()));
        // As many to one side as to the other.
        let mixed: Vec<SeedCounts> = (0..8).map(|n| seed(40, n % 2, 1 - n % 2)).collect();
        let found = measure_step_difference(&mixed);
        assert_eq!(found.p_value.to_decimal().to_string(), "1");
    }
}
