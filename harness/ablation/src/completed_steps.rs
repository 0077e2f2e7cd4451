//! What useless answers may hide from the statistics of single steps.
//!
//! Nobody knows what an oracle would have chosen where its answer was not useful. A *completion* takes some action for each
//! such answer. Here stands between which ends the difference under a seed lies in all completions, every action being
//! possible everywhere, and what follows: the largest p-value of the seed-swap test, and the widest interval.
//!
//! Of a completed run every step counts. The record of a step is then the choice at the step before. The p-value is the
//! part of the sets of seeds whose differences add up to nothing or to the other side: it falls as any of them grows to
//! the side of their sum. So it is largest where each is the least that it can be, and this is exact. Determinism: D1.

use super::confidence_interval::{CountedDifference, find_confidence_interval};
use super::decimal::Decimal;
use super::swap_test::{PValue, PairContributions};

/// Between which ends a difference of counts under one seed lies, in every completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DifferenceRange {
    /// The steps that count.
    pub steps: u64,
    /// The smallest difference.
    pub least: i128,
    /// The largest difference.
    pub most: i128,
}

/// What holds in every completion of useless answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedSteps {
    /// The largest p-value of the seed-swap test.
    pub p_value: PValue,
    /// The ends between which the 95 % confidence interval lies.
    pub interval: [Decimal; 2],
}

/// Finds what holds in every completion, from the range under each seed.
#[must_use]
pub fn bound_steps(seeds: &[DifferenceRange]) -> CompletedSteps {
    let list = |end: fn(&DifferenceRange) -> i128| -> Vec<i128> { seeds.iter().map(end).collect() };
    let (least, most) = (list(|seed| seed.least), list(|seed| seed.most));
    let test =
        |differences: &[i128]| PairContributions::of_differences(differences).test_by_swaps();
    let p_value = match (least.iter().sum::<i128>(), most.iter().sum::<i128>()) {
        (1.., _) => test(&least),
        (_, ..=-1) => test(&most),
        // Some completion may have no difference.
        _ => PValue { at_least: 1, of: 1 },
    };
    let find_end = |differences: Vec<i128>| {
        let counted = differences.into_iter().zip(seeds);
        let counted = counted.map(|(difference, seed)| CountedDifference {
            difference,
            steps: seed.steps.into(),
        });
        find_confidence_interval(&counted.collect::<Vec<_>>())
    };
    let ([low, _], [_, high]) = (find_end(least), find_end(most));
    CompletedSteps {
        p_value,
        interval: [low, high],
    }
}

/// The range of how much more often the choices of a run are those before them than the choices of the reference, under
/// one seed. A choice is `None` where the answer was not useful.
#[must_use]
pub fn bound_seed_agreement<T: PartialEq>(
    reference: &[Option<T>],
    run: &[Option<T>],
) -> DifferenceRange {
    let [least, most] = bound_repeats(reference);
    let [least_of_run, most_of_run] = bound_repeats(run);
    DifferenceRange {
        steps: reference.len().saturating_sub(1) as u64,
        least: least_of_run - most,
        most: most_of_run - least,
    }
}

/// The fewest and the most choices that are the one before, in any completion. At the fewest every open choice is another
/// than its neighbours; at the most it is the last known one, so that only known choices change.
fn bound_repeats<T: PartialEq>(choices: &[Option<T>]) -> [i128; 2] {
    let (mut least, mut most) = (0, choices.len().saturating_sub(1) as i128);
    for pair in choices.windows(2) {
        least += i128::from(matches!(pair, [Some(last), Some(choice)] if last == choice));
    }
    let known: Vec<&T> = choices.iter().flatten().collect();
    for pair in known.windows(2) {
        most -= i128::from(matches!(pair, [last, choice] if last != choice));
    }
    [least, most]
}

/// The range of how much more often a run chooses otherwise than the baseline than the replicate does, under one seed. The
/// choices at a step are those of the baseline, the replicate and the run.
#[must_use]
pub fn bound_seed_disagreement<T: PartialEq>(
    choices: impl IntoIterator<Item = [Option<T>; 3]>,
) -> DifferenceRange {
    let mut range = DifferenceRange::default();
    for step in choices {
        let [least, most] = match step {
            [Some(baseline), Some(replicate), Some(run)] => {
                [i128::from(run != baseline) - i128::from(replicate != baseline); 2]
            }
            [None, Some(replicate), Some(run)] if replicate == run => [0; 2],
            [Some(baseline), Some(replicate), None] => {
                let differs = i128::from(replicate != baseline);
                [-differs, 1 - differs]
            }
            [Some(baseline), None, Some(run)] => {
                let differs = i128::from(run != baseline);
                [differs - 1, differs]
            }
            _ => [-1, 1],
        };
        range.steps += 1;
        range.least += least;
        range.most += most;
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step_statistics::{
        SeedCounts, count_seed_agreement, count_seed_disagreement, measure_step_difference,
    };

    /// Four actions: more than a choice and its two neighbours.
    const ACTIONS: u8 = 4;

    /// Every completion of a sequence of choices.
    fn complete(choices: &[Option<u8>]) -> Vec<Vec<u8>> {
        choices.iter().fold(vec![vec![]], |begun, choice| {
            let possible = choice.map_or((0..ACTIONS).collect(), |known| vec![known]);
            let go_on = |begin: Vec<u8>| {
                let ends = possible.clone().into_iter();
                ends.map(move |end| [begin.clone(), vec![end]].concat())
            };
            begun.into_iter().flat_map(go_on).collect()
        })
    }

    fn find_range(differences: impl IntoIterator<Item = i128>) -> [i128; 2] {
        let found: Vec<i128> = differences.into_iter().collect();
        [*found.iter().min().unwrap(), *found.iter().max().unwrap()]
    }

    fn subtract(counts: SeedCounts) -> i128 {
        i128::from(counts.run) - i128::from(counts.reference)
    }

    /// Sequences of five choices among two actions and none, as many as `step` leaves.
    fn list_sequences(step: usize) -> impl Iterator<Item = Vec<Option<u8>>> {
        let digits = |number: usize| (0..5).map(move |place| number / 3_usize.pow(place) % 3);
        (0..243).step_by(step).map(move |number| {
            let choices = digits(number).map(|digit| [None, Some(0), Some(1)][digit]);
            choices.collect()
        })
    }

    #[test]
    fn the_range_of_agreement_is_that_of_all_completions() {
        for reference in list_sequences(10) {
            for run in list_sequences(7) {
                let found = bound_seed_agreement(&reference, &run);
                let runs = complete(&run);
                let pairs = complete(&reference).into_iter().flat_map(|a| {
                    let pair = |b: &Vec<u8>| a.iter().copied().zip(b.iter().copied()).collect();
                    runs.iter().map(pair).collect::<Vec<Vec<_>>>()
                });
                let expected = find_range(pairs.map(|it| subtract(count_seed_agreement(&it))));
                assert_eq!([found.least, found.most], expected, "{reference:?} {run:?}");
                assert_eq!(found.steps, 4);
            }
        }
        assert_eq!(
            bound_seed_agreement::<u8>(&[], &[]),
            DifferenceRange::default()
        );
    }

    #[test]
    fn the_range_of_disagreement_is_that_of_all_completions() {
        for number in 0..64 {
            let choice =
                |place: u32| [None, Some(0), Some(1), Some(2)][number / 4_usize.pow(place) % 4];
            let step = [choice(0), choice(1), choice(2)];
            let found = bound_seed_disagreement([step]);
            let completed = complete(&step).into_iter();
            let expected = find_range(
                completed.map(|it| subtract(count_seed_disagreement([[it[0], it[1], it[2]]]))),
            );
            assert_eq!([found.least, found.most], expected, "{step:?}");
        }
    }

    /// Of ranges of three differences each, every completion has at most the p-value and lies in the interval.
    #[test]
    fn no_completion_has_a_larger_p_value_or_a_wider_interval() {
        for begins in [
            [2, 1, 3, 1, 2, 1, 2],
            [0, 3, -1, 2, 4, 1, 3],
            [-4, -3, -6, -3, -5, -3, -4],
        ] {
            let range = |least: &i128| DifferenceRange {
                steps: 20,
                least: *least,
                most: least + 2,
            };
            let ranges: Vec<DifferenceRange> = begins.iter().map(range).collect();
            let bound = bound_steps(&ranges);
            let mut largest = PValue::smallest(7);
            for number in 0..3_usize.pow(7) {
                let seeds: Vec<SeedCounts> = begins
                    .iter()
                    .zip(0..)
                    .map(|(least, place)| {
                        let difference = least + (number / 3_usize.pow(place) % 3) as i128;
                        SeedCounts {
                            steps: 20,
                            reference: 10,
                            run: u64::try_from(10 + difference).unwrap(),
                        }
                    })
                    .collect();
                let found = measure_step_difference(&seeds);
                largest = largest.max(found.p_value);
                assert!(bound.interval[0] <= found.interval[0]);
                assert!(bound.interval[1] >= found.interval[1]);
            }
            assert_eq!(largest, bound.p_value, "{begins:?}");
        }
    }
}
