//! What useless answers may hide from the energy distance of two runs: a bound of the seed-swap test's p-value over all
//! *completions*, which take some action for each useless answer. Every action is possible everywhere.
//!
//! A way of swapping reaches the difference that was found where what the pairs of a swapped and another seed add is 0 or
//! less. Completions make of that sum a function that has no simple least value: it grows with distances between the runs,
//! and falls with distances within them. So it is bounded from below by a function that is linear in each completed
//! profile, whose least value stands at one of its corners, where all useless answers take one action:
//!
//! - A distance between two runs is at least its tangent, `|y| ≥ w·y` for every `w` of at most length 1.
//! - A distance within a run is at most a tangent parabola, `|y| ≤ s/2 + y·y/2s` for every `s` above 0. With
//!   `y = x + d`, `d` no longer than `r`, and `s² = x·x + r²` this is `s + x·d/s`.
//!
//! A way that reaches in any completion reaches by the bound, so no completion has a larger p-value. Without a useless
//! answer it is the p-value of [`contribute_profiles`](super::statistics::contribute_profiles). Determinism: D1.

use super::profile::{ActionProfile, UNITS};
use super::swap_test::{PValue, SeedSwaps, count_reaching_ways};

/// The answers of a run under one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedAnswers {
    /// How often a useful answer chose each action.
    pub chosen: Vec<u64>,
    /// How many answers were not useful.
    pub useless: u64,
}

/// Bounds the p-value of the seed-swap test on the energy distance of two runs, over all completions. Both runs have the
/// same seeds and actions in the same order, and an answer at least under each seed.
#[must_use]
pub fn bound_profile_p_value(reference: &[SeedAnswers], run: &[SeedAnswers]) -> PValue {
    let of_run = |answers: &[SeedAnswers]| answers.iter().map(OpenProfile::new).collect();
    let runs = [of_run(reference), of_run(run)];
    let mut bound = SwappedBound::new(&runs);
    count_reaching_ways(bound.is_swapped.len(), &mut bound)
}

/// A profile of which a part is open: that of the useful answers, from which completions lead away.
struct OpenProfile {
    /// The shares, in [`UNITS`]; after those of the known actions that of all which no run shows.
    shares: Vec<i128>,
    useless: i128,
    answers: i128,
    /// How far a completion may be away, in [`UNITS`].
    radius: i128,
}

impl OpenProfile {
    fn new(seed: &SeedAnswers) -> OpenProfile {
        let useful: u64 = seed.chosen.iter().sum();
        let counted = match useful {
            0 => vec![1; seed.chosen.len()],
            _ => seed.chosen.clone(),
        };
        let profile = ActionProfile::from_counts(&[counted.as_slice(), &[0]].concat());
        let shares = profile.map_or_else(Vec::new, ActionProfile::into_shares);
        let (useless, answers) = (
            seed.useless.into(),
            i128::from(useful + seed.useless).max(1),
        );
        // The farthest corner is the action that no run shows.
        let square = UNITS * UNITS + multiply(&shares, &shares);
        OpenProfile {
            radius: match useless {
                0 => 0,
                _ => useless * (square.isqrt() + 1) / answers + 1,
            },
            shares,
            useless,
            answers,
        }
    }

    fn subtract(&self, other: &OpenProfile) -> Vec<i128> {
        let shares = self.shares.iter().zip(&other.shares);
        shares.map(|(a, b)| a - b).collect()
    }

    /// The least value that a linear function of the completed profile has beyond its value here, rounded down.
    fn find_least(&self, slope: &[i128]) -> i128 {
        if self.useless == 0 {
            return 0;
        }
        let here = multiply(slope, &self.shares).div_euclid(UNITS) + 1;
        let least = slope.iter().min().copied().unwrap_or(0);
        (self.useless * (least - here)).div_euclid(self.answers)
    }
}

fn multiply(a: &[i128], b: &[i128]) -> i128 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A linear bound of what a pair of seeds adds: its value at the profiles as they are, and its slopes in the profiles of
/// the first of the two seeds, in either run.
struct PairBound {
    value: i128,
    slopes: [Vec<i128>; 2],
}

impl PairBound {
    /// The bound for one seed's profiles in both runs, and another's.
    fn new(first: [&OpenProfile; 2], second: [&OpenProfile; 2]) -> PairBound {
        let ([a, b], [c, d]) = (first, second);
        let mut value = 0;
        let slopes = [(a, d, c), (b, c, d)].map(|(own, across, within)| {
            let apart = own.subtract(across);
            let length = multiply(&apart, &apart).isqrt() + 1;
            let inner = own.subtract(within);
            let radius = own.radius + within.radius;
            let bound = (multiply(&inner, &inner) + radius * radius).isqrt() + 1;
            let both = apart.iter().zip(&inner);
            // Rounded to 0, so that the tangent's length is at most 1.
            let slope = both.map(|(x, y)| (x * UNITS / length, y * UNITS / bound));
            let (tangent, parabola): (Vec<i128>, Vec<i128>) = slope.unzip();
            value += multiply(&tangent, &apart).div_euclid(UNITS) - bound;
            let slope = tangent.iter().zip(&parabola);
            slope.map(|(x, y)| x - y).collect()
        });
        PairBound { value, slopes }
    }
}

/// The bound of the sum over all pairs of a swapped and another seed.
struct SwappedBound<'a> {
    runs: &'a [Vec<OpenProfile>; 2],
    /// For each seed its pairs with every seed; that with itself is not used.
    pairs: Vec<Vec<PairBound>>,
    is_swapped: Vec<bool>,
    value: i128,
    /// For each seed the sums of the slopes of the pairs that count.
    slopes: Vec<[Vec<i128>; 2]>,
    /// By how much the bound may be wrong because of what is rounded.
    error: i128,
}

impl SwappedBound<'_> {
    fn new(runs: &[Vec<OpenProfile>; 2]) -> SwappedBound<'_> {
        let [reference, run] = runs;
        let seeds: Vec<[&OpenProfile; 2]> =
            reference.iter().zip(run).map(|(a, b)| [a, b]).collect();
        let bound_row = |first: &[&OpenProfile; 2]| {
            let others = seeds.iter();
            others
                .map(|second| PairBound::new(*first, *second))
                .collect()
        };
        let count = seeds.len() as i128;
        let shares = reference.first().map_or(0, |profile| profile.shares.len());
        SwappedBound {
            runs,
            pairs: seeds.iter().map(bound_row).collect(),
            is_swapped: vec![false; seeds.len()],
            value: 0,
            slopes: seeds
                .iter()
                .map(|_| [vec![0; shares], vec![0; shares]])
                .collect(),
            // For each pair half a unit of each share in four distances, and as much again in slopes.
            error: count * count * (4 * shares as i128 + 10),
        }
    }
}

impl SeedSwaps for SwappedBound<'_> {
    fn swap(&mut self, seed: usize) {
        let (Some(row), Some(own)) = (self.pairs.get(seed), self.is_swapped.get_mut(seed)) else {
            return;
        };
        *own = !*own;
        let own = *own;
        let mut sums = self.slopes.get(seed).cloned().unwrap_or_default();
        let column = self.pairs.iter().filter_map(|row| row.get(seed));
        let pairs = row.iter().zip(column).zip(&self.is_swapped);
        for (place, ((pair, turned), other)) in
            pairs.enumerate().filter(|(place, _)| *place != seed)
        {
            let sign = if own == *other { -1 } else { 1 };
            self.value += sign * pair.value;
            add_slopes(&mut sums, &pair.slopes, sign);
            if let Some(others) = self.slopes.get_mut(place) {
                add_slopes(others, &turned.slopes, sign);
            }
        }
        if let Some(place) = self.slopes.get_mut(seed) {
            *place = sums;
        }
    }

    fn reaches_found(&self) -> bool {
        let [reference, run] = self.runs;
        let seeds = reference.iter().zip(run).zip(&self.slopes);
        let least = seeds.map(|((a, b), [of_a, of_b])| a.find_least(of_a) + b.find_least(of_b));
        self.value + least.sum::<i128>() <= self.error
    }
}

fn add_slopes(sums: &mut [Vec<i128>; 2], added: &[Vec<i128>; 2], sign: i128) {
    for (sum, added) in sums.iter_mut().zip(added) {
        for (sum, added) in sum.iter_mut().zip(added) {
            *sum += sign * added;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::draw_digest;
    use crate::environment::Place;
    use crate::statistics::contribute_profiles;

    /// Numbers below `limit` that look random.
    fn draw(seed: u64, episode: u32, step: u32, limit: u64) -> u64 {
        let place = Place {
            seed,
            episode,
            step,
        };
        let [a, b, c, d, ..] = draw_digest(place, "completion");
        u64::from(u32::from_be_bytes([a, b, c, d])) % limit
    }

    /// Answers of nine seeds among four actions, of which the first is chosen `more` often.
    fn draw_answers(number: u64, more: u64, useless: u64) -> Vec<SeedAnswers> {
        let seed = |seed: u32| SeedAnswers {
            chosen: (0..4)
                .map(|action| draw(number, seed, action, 8) + if action == 0 { more } else { 9 })
                .collect(),
            useless: draw(number, seed, 9, useless + 1),
        };
        (0..9).map(seed).collect()
    }

    fn list_chosen(answers: &[SeedAnswers]) -> Vec<Vec<u64>> {
        answers.iter().map(|seed| seed.chosen.clone()).collect()
    }

    #[test]
    fn without_useless_answers_the_bound_is_the_p_value() {
        for number in 0..40 {
            let [a, b] = [9, 12].map(|more| draw_answers(number * 2 + more, more, 0));
            let expected = contribute_profiles(&list_chosen(&a), &list_chosen(&b)).test_by_swaps();
            assert_eq!(bound_profile_p_value(&a, &b), expected, "{number}");
        }
        assert_eq!(
            bound_profile_p_value(&[], &[]),
            PValue { at_least: 1, of: 1 }
        );
    }

    /// Completions in one direction, drawn ones, and those that make of the runs what is alike.
    #[test]
    fn no_completion_has_a_larger_p_value() {
        let mut told_apart = 0;
        for number in 0..30 {
            let [a, b] = [9, 40].map(|more| draw_answers(number * 2 + more, more, 4));
            let bound = bound_profile_p_value(&a, &b);
            told_apart += u32::from(bound.is_below_level());
            let complete = |answers: &[SeedAnswers], way: u32| -> Vec<Vec<u64>> {
                let seeds = answers.iter().zip(0_u32..);
                seeds
                    .map(|(answers, seed)| {
                        let mut chosen = [answers.chosen.clone(), vec![0]].concat();
                        for answer in 0..answers.useless as u32 {
                            let drawn = draw(number, seed * 100 + way, answer, 5);
                            let action = if way < 5 { u64::from(way) } else { drawn };
                            chosen[action as usize] += 1;
                        }
                        chosen
                    })
                    .collect()
            };
            for way in 0..20 {
                for way_of_run in [0, 1, 4, way] {
                    let (a, b) = (complete(&a, way), complete(&b, way_of_run));
                    let found = contribute_profiles(&a, &b).test_by_swaps();
                    assert!(
                        found.compare(bound).is_le(),
                        "{number}: {found:?} {bound:?}"
                    );
                }
            }
        }
        assert!(told_apart > 5, "{told_apart}");
    }

    /// Where a seed has no useful answer, and where there are more useless answers than differences, nothing is shown.
    #[test]
    fn what_may_be_hidden_is_not_shown() {
        let seeds = |first, second, useless| {
            let seed = SeedAnswers {
                chosen: vec![first, second],
                useless,
            };
            vec![seed; 8]
        };
        let (a, b) = (seeds(20, 10, 0), seeds(12, 8, 10));
        assert_eq!(bound_profile_p_value(&a, &b).to_decimal().to_string(), "1");
        let b = seeds(5, 24, 1);
        assert_eq!(bound_profile_p_value(&a, &b), PValue::smallest(8));
        assert_eq!(
            bound_profile_p_value(&a, &seeds(0, 0, 30))
                .to_decimal()
                .to_string(),
            "1"
        );
    }
}
