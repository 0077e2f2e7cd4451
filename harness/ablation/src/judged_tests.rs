//! What follows from the p-values of a family of tests.

use strum::IntoStaticStr;

use super::holm::{WeightedPValue, correct_by_holm};
use super::swap_test::PValue;

/// What follows from a test about two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// The two do not have one law.
    ToldApart,
    /// The test does not show a difference.
    NotToldApart,
    /// No difference of any size could have passed the test with so few seeds.
    TooFewSeeds,
    /// The test does not show a difference, and every difference in the confidence interval is smaller than the
    /// margin.
    LessThan,
}

impl Verdict {
    /// The verdict as documents name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A p-value, corrected for the tests of its family, and the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestResult {
    /// How many seeds the test has.
    pub seeds: usize,
    /// The p-value of this test by itself.
    pub p_value: PValue,
    /// The p-value after Holm's correction over the family.
    pub corrected: PValue,
    /// What follows from the corrected p-value.
    pub verdict: Verdict,
}

/// A test of a family, before the family is corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyTest {
    /// How many seeds the test has.
    pub seeds: usize,
    /// The p-value of this test by itself.
    pub p_value: PValue,
    /// Its part of the level, beside the weights of the others; above 0.
    pub weight: u64,
}

/// Judges the tests of a family.
#[must_use]
pub fn judge_tests(tests: &[FamilyTest]) -> Vec<TestResult> {
    let all: u64 = tests.iter().map(|test| test.weight).sum();
    let weigh = |test: &FamilyTest, p_value| WeightedPValue {
        p_value,
        weight: test.weight,
    };
    let p_values = tests.iter().map(|test| weigh(test, test.p_value));
    let corrected = correct_by_holm(&p_values.collect::<Vec<_>>());
    let judge = |(test, corrected): (&FamilyTest, &PValue)| {
        let best = weigh(test, PValue::smallest(test.seeds)).correct(all);
        TestResult {
            seeds: test.seeds,
            p_value: test.p_value,
            corrected: *corrected,
            verdict: match (corrected.is_below_level(), best.is_below_level()) {
                (true, _) => Verdict::ToldApart,
                (false, true) => Verdict::NotToldApart,
                (false, false) => Verdict::TooFewSeeds,
            },
        }
    };
    tests.iter().zip(&corrected).map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh_one(seeds: usize, p_value: PValue) -> FamilyTest {
        FamilyTest {
            seeds,
            p_value,
            weight: 1,
        }
    }

    #[test]
    fn few_seeds_give_no_verdict() {
        let judge = |seeds, runs| {
            judge_tests(&vec![weigh_one(seeds, PValue::smallest(seeds)); runs])[0].verdict
        };
        // 1/16, 1/32 and 1/64 times the number of runs, against 1/20.
        assert_eq!(judge(5, 1), Verdict::TooFewSeeds);
        assert_eq!(judge(6, 1), Verdict::ToldApart);
        assert_eq!(judge(6, 2), Verdict::TooFewSeeds);
        assert_eq!(judge(7, 2), Verdict::ToldApart);
        let above = PValue {
            at_least: 5,
            of: 64,
        };
        let judged = judge_tests(&[weigh_one(7, above)]);
        assert_eq!(judged[0].verdict, Verdict::NotToldApart);
        // Of the weights 2, 1 and 1 the first makes of 1/64 half of what the others do: 1/32 and 1/16.
        let judge_first = |weights: [u64; 3]| {
            let one = PValue {
                at_least: 64,
                of: 64,
            };
            let mut tests = weights.map(|weight| FamilyTest {
                weight,
                ..weigh_one(7, one)
            });
            tests[0].p_value = PValue::smallest(7);
            judge_tests(&tests)[0].verdict
        };
        assert_eq!(judge_first([2, 1, 1]), Verdict::ToldApart);
        assert_eq!(judge_first([1, 2, 1]), Verdict::TooFewSeeds);
        assert_eq!(judge_tests(&[]), []);
    }
}
