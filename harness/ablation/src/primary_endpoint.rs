//! Which endpoint of a comparison is primary: the one that all its runs declare in their headers.
//!
//! Runs of before such declarations have none. An endpoint that is chosen after the answers are known is not primary,
//! so none takes its place: these comparisons are judged and written as they were then.

use super::comparable_run::ComparableRun;
use super::endpoint::StudyEndpoint;
use super::swap_test::PValue;

/// The weight of each test of the primary endpoint where the weight of each other test is 1. With two it leaves them
/// verdicts under the ten seeds that a run has by default.
pub const PRIMARY_WEIGHT: u64 = 2;

/// The weight where there are so few seeds that no other test could be told apart first, whatever was found. Then the
/// level would be wasted on them.
pub const SOLE_WEIGHT: u64 = 1_000_000;

/// The weight of each test of the primary endpoint under `seeds` seeds. It follows from the plan alone.
#[must_use]
pub fn weigh_primary(seeds: usize, primary_tests: u64, other_tests: u64) -> u64 {
    let all = PRIMARY_WEIGHT * primary_tests + other_tests;
    match PValue::smallest(seeds).multiply(all).is_below_level() {
        true => PRIMARY_WEIGHT,
        false => SOLE_WEIGHT,
    }
}

/// The primary endpoint of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrimaryEndpoint {
    /// Every run declares this one.
    Declared(StudyEndpoint),
    /// No endpoint is primary; what the runs declare, as half a sentence.
    Undeclared(String),
}

impl PrimaryEndpoint {
    /// Finds what the runs, which are labelled, declare.
    pub(crate) fn find(runs: &[ComparableRun]) -> PrimaryEndpoint {
        let first = runs.first().and_then(|run| run.header.primary);
        if runs.iter().all(|run| run.header.primary == first) {
            return match first {
                Some(endpoint) => PrimaryEndpoint::Declared(endpoint),
                None => PrimaryEndpoint::Undeclared("their headers declare none".to_owned()),
            };
        }
        let declarations = runs.iter().map(|run| {
            let name = run.header.primary.map_or("none", StudyEndpoint::as_str);
            format!("{} declares {name}", run.label)
        });
        PrimaryEndpoint::Undeclared(declarations.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Run B and run C, without and with both controls: 8 and 23 tests, of which two are primary.
    #[test]
    fn the_primary_endpoint_has_the_level_where_no_other_could_have_a_verdict() {
        for (seeds, others, expected) in [
            (8, 6, SOLE_WEIGHT),
            (9, 6, PRIMARY_WEIGHT),
            (9, 21, SOLE_WEIGHT),
            (10, 21, PRIMARY_WEIGHT),
        ] {
            assert_eq!(
                weigh_primary(seeds, 2, others),
                expected,
                "{seeds} {others}"
            );
        }
    }
}
