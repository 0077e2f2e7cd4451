//! The primary endpoint of a comparison, in words: which one it is, and what that means for the correction.

use super::comparison::RunComparison;
use super::endpoint::StudyEndpoint;
use super::primary_endpoint::{PRIMARY_WEIGHT, PrimaryEndpoint, SOLE_WEIGHT, weigh_primary};
use super::run_difference::RunDifference;

impl RunComparison {
    /// The endpoint that was declared before the runs, if one was.
    #[must_use]
    pub fn declared_primary(&self) -> Option<StudyEndpoint> {
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
        let count = |endpoints: Vec<StudyEndpoint>| {
            let is_primary = |found: &&StudyEndpoint| **found == endpoint;
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
        let useless = self.explain_useless_answers();
        format!(
            "The primary endpoint is {endpoint}, declared before the runs; the others are secondary.{unmeasured} All {all} p-values are corrected together; {weight}.{useless}"
        )
    }

    /// Says what of the verdicts depends on useless answers, after a space; nothing where every answer was useful.
    fn explain_useless_answers(&self) -> String {
        let steps = self.runs.iter().flat_map(|run| run.steps.iter().flatten());
        match steps.filter(|step| step.choice().is_none()).count() {
            0 => String::new(),
            useless => format!(
                " {useless} answers were not useful, and nobody knows what they would have chosen: choices, agreement and disagreement are told apart only where they would be in every case."
            ),
        }
    }
}
