//! What follows from the p-values of a family of tests.

use strum::IntoStaticStr;

use super::holm::{WeightedPValue, correct_by_holm};
use super::swap_test::PValue;

/// What follows from a test about two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum TestVerdict {
    /// The two do not have one law.
    ToldApart,
    /// The test does not show a difference.
    NotToldApart,
    /// No difference of any size could have passed the test with so few seeds.
    TooFewSeeds,
    /// The test does not show a difference, and every difference in the confidence interval is smaller than the
    /// margin.
    LessThan,
    /// The useful answers differ, and the useless ones may hide that the choices do not.
    CannotBeTold,
}

impl TestVerdict {
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
    /// The p-value of this test by itself, of the useful answers.
    pub p_value: PValue,
    /// The largest p-value that it could have, whatever the useless answers would have been; `None` where it does not
    /// depend on any.
    pub largest: Option<PValue>,
    /// The largest p-value after Holm's correction over the family.
    pub corrected: PValue,
    /// What follows from the corrected p-value.
    pub verdict: TestVerdict,
}

/// A test of a family, before the family is corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyTest {
    /// How many seeds the test has.
    pub seeds: usize,
    /// The p-value of this test by itself, of the useful answers.
    pub p_value: PValue,
    /// The largest p-value that it could have, whatever the useless answers would have been; `None` where it does not
    /// depend on any.
    pub largest: Option<PValue>,
    /// Its part of the level, beside the weights of the others; above 0.
    pub weight: u64,
}

/// Judges the tests of a family. Each decides by its largest p-value: the chance that any is told apart by luck is at most
/// the level then, whatever the useless answers would have been.
#[must_use]
pub fn judge_tests(tests: &[FamilyTest]) -> Vec<TestResult> {
    let all: u64 = tests.iter().map(|test| test.weight).sum();
    let weigh = |test: &FamilyTest, p_value| WeightedPValue {
        p_value,
        weight: test.weight,
    };
    let correct = |of: fn(&FamilyTest) -> PValue| {
        let p_values = tests.iter().map(|test| weigh(test, of(test)));
        correct_by_holm(&p_values.collect::<Vec<_>>())
    };
    let of_useful = correct(|test| test.p_value);
    let of_any = correct(|test| test.largest.unwrap_or(test.p_value));
    let judge = |((test, of_useful), corrected): ((&FamilyTest, &PValue), &PValue)| {
        let is_open = of_useful.is_below_level() && test.largest.is_some();
        let best = weigh(test, PValue::smallest(test.seeds)).correct(all);
        TestResult {
            seeds: test.seeds,
            p_value: test.p_value,
            largest: test.largest,
            corrected: *corrected,
            verdict: match (corrected.is_below_level(), best.is_below_level()) {
                (true, _) => TestVerdict::ToldApart,
                (false, _) if is_open => TestVerdict::CannotBeTold,
                (false, true) => TestVerdict::NotToldApart,
                (false, false) => TestVerdict::TooFewSeeds,
            },
        }
    };
    let corrected = tests.iter().zip(&of_useful).zip(&of_any);
    corrected.map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh_one(seeds: usize, p_value: PValue) -> FamilyTest {
        FamilyTest {
            seeds,
            p_value,
            largest: None,
            weight: 1,
        }
    }

    #[test]
    fn few_seeds_give_no_verdict() {
        let judge = |seeds, runs| {
            judge_tests(&vec![weigh_one(seeds, PValue::smallest(seeds)); runs])[0].verdict
        };
        // 1/16, 1/32 and 1/64 times the number of runs, against 1/20.
        assert_eq!(judge(5, 1), TestVerdict::TooFewSeeds);
        assert_eq!(judge(6, 1), TestVerdict::ToldApart);
        assert_eq!(judge(6, 2), TestVerdict::TooFewSeeds);
        assert_eq!(judge(7, 2), TestVerdict::ToldApart);
        let above = PValue {
            at_least: 5,
            of: 64,
        };
        let judged = judge_tests(&[weigh_one(7, above)]);
        assert_eq!(judged[0].verdict, TestVerdict::NotToldApart);
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
        assert_eq!(judge_first([2, 1, 1]), TestVerdict::ToldApart);
        assert_eq!(judge_first([1, 2, 1]), TestVerdict::TooFewSeeds);
        assert_eq!(judge_tests(&[]), []);
    }

    /// A test decides by its largest p-value, and so do the others by what that leaves of the level.
    #[test]
    fn what_useless_answers_may_hide_cannot_be_told() {
        let p_value = |at_least| PValue { at_least, of: 512 };
        let tests = [(1, Some(200)), (6, Some(6)), (12, None), (400, Some(512))];
        let tests = tests.map(|(found, largest): (u64, Option<u64>)| FamilyTest {
            largest: largest.map(p_value),
            ..weigh_one(10, p_value(found))
        });
        let judged = judge_tests(&tests);
        let verdicts: Vec<&str> = judged.iter().map(|test| test.verdict.as_str()).collect();
        // 6/512 times 4 is below 1/20, and 12/512 times 3 is not.
        let expected = [
            "CANNOT_BE_TOLD",
            "TOLD_APART",
            "NOT_TOLD_APART",
            "NOT_TOLD_APART",
        ];
        assert_eq!(verdicts, expected);
        assert_eq!(judged[0].corrected, p_value(400));
        let known = tests.map(|test| FamilyTest {
            largest: None,
            ..test
        });
        let judged = judge_tests(&known);
        // Where the first is told apart, twice is enough for the third.
        assert_eq!(judged[2].verdict, TestVerdict::ToldApart);
    }
}
