//! Which endpoint of a comparison is primary: the one that all its runs declare in their headers.
//!
//! Runs of before such declarations have none. An endpoint that is chosen after the answers are known is not primary,
//! so none takes its place: these comparisons are judged and written as they were then.

use super::comparable_run::ComparableRun;
use super::comparison::Comparison;
use super::endpoint::Endpoint;
use super::run_difference::RunDifference;
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
    Declared(Endpoint),
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
            let name = run.header.primary.map_or("none", Endpoint::as_str);
            format!("{} declares {name}", run.label)
        });
        PrimaryEndpoint::Undeclared(declarations.collect::<Vec<_>>().join(", "))
    }
}

impl Comparison {
    /// The endpoint that was declared before the runs, if one was.
    #[must_use]
    pub fn declared_primary(&self) -> Option<Endpoint> {
        match self.primary {
            PrimaryEndpoint::Declared(endpoint) => Some(endpoint),
            PrimaryEndpoint::Undeclared(_) => None,
        }
    }

    /// Says which endpoint is primary and what that means for the correction, in a sentence or two.
    #[must_use]
    pub fn explain_primary(&self) -> String {
        let endpoint = match &self.primary {
            PrimaryEndpoint::Declared(endpoint) => *endpoint,
            PrimaryEndpoint::Undeclared(reason) => {
                return format!(
                    "There is no primary endpoint: {reason}, and one that is chosen when the answers are known is not primary. Choices, answers and actions are judged as before such declarations, each corrected by itself for the number of runs."
                );
            }
        };
        let count = |endpoints: Vec<Endpoint>| {
            let is_primary = |found: &&Endpoint| **found == endpoint;
            let primary = endpoints.iter().filter(is_primary).count() as u64;
            (primary, endpoints.len() as u64)
        };
        let list = |found: &RunDifference| {
            let rows = found.list_endpoints().into_iter();
            rows.map(|row| row.endpoint).collect::<Vec<_>>()
        };
        let (primary, in_differences) = count(self.differences.iter().flat_map(list).collect());
        let controls = self.controls.iter().map(|control| &control.difference);
        let (in_primary_of_controls, in_controls) = count(controls.flat_map(list).collect());
        let unmeasured = match primary + in_primary_of_controls {
            0 => " No replicate of the reference is among the runs, so it was not measured here.",
            _ => "",
        };
        let all = in_differences + in_controls;
        let seeds = self.runs.first().map_or(0, |run| run.header.seeds.len());
        let weight = match weigh_primary(seeds, primary, all - primary) {
            SOLE_WEIGHT if primary > 0 => "the seeds are too few for the others, so those of the primary endpoint have the whole level".to_owned(),
            _ => format!("those of the primary endpoint weigh {PRIMARY_WEIGHT}, all others 1"),
        };
        format!(
            "The primary endpoint is {endpoint}, declared before the runs; the others are secondary.{unmeasured} All {all} p-values are corrected together; {weight}."
        )
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
