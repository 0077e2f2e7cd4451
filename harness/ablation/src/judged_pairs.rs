//! The judgement of all pairs of runs in a comparison: which p-values are corrected together, and what follows.

use std::collections::BTreeMap;

use super::comparable_run::ComparableRun;
use super::controls::{Control, PairedRuns};
use super::endpoint::StudyEndpoint;
use super::judged_tests::{FamilyTest, TestResult, judge_tests};
use super::measured_pair::{MeasuredPair, MeasuredSteps};
use super::primary_endpoint::weigh_primary;
use super::resampling::SeedResamples;
use super::run_difference::{RunDifference, RunPair, TestedSteps};

/// Which p-values are corrected together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Correction {
    /// Those of all endpoints of all pairs: the chance of any false verdict in the comparison is at most the level.
    /// This endpoint is primary, and weighs as [`weigh_primary`] says where no control is judged.
    WholeComparison(StudyEndpoint),
    /// Those of one endpoint in one family of pairs, as in comparisons of before there were primary endpoints.
    EachEndpoint,
}

/// A pair with the control that it judges, if it does, and what was measured on it.
type Measured = (Option<Control>, RunPair, MeasuredPair);

/// The tests of all pairs, each by the place of its pair and its endpoint.
type Tests = BTreeMap<(usize, StudyEndpoint), TestResult>;

/// Measures how the runs of each pair differ, and judges it. `actions` are all actions of the runs, sorted. Single
/// steps are measured where the whole comparison is corrected.
pub(crate) fn judge_pairs(
    paired: &PairedRuns,
    runs: &[ComparableRun],
    actions: &[String],
    correction: Correction,
) -> Vec<(Option<Control>, RunDifference)> {
    let seeds = runs.first().map_or(0, |run| run.actions.len());
    let resamples = SeedResamples::draw(seeds);
    let measure = |(control, pair): &(Option<Control>, RunPair)| -> Option<Measured> {
        let (reference, run) = (runs.get(pair.reference)?, runs.get(pair.run)?);
        let found = MeasuredPair::new(reference, run, actions, &resamples);
        let found = match correction {
            Correction::EachEndpoint => found,
            Correction::WholeComparison(_) => {
                let replicate = paired.find_replicate_beside(*pair);
                let replicate = replicate.and_then(|place| runs.get(place));
                found.with_steps(reference, run, replicate, actions)
            }
        };
        Some((*control, *pair, found))
    };
    let measured: Vec<Measured> = paired.pairs.iter().filter_map(measure).collect();
    let tests = judge_all(&measured, seeds, correction);
    let pairs = measured.iter().enumerate();
    pairs
        .filter_map(|(place, (control, pair, found))| {
            Some((*control, collect_difference(place, *pair, found, &tests)?))
        })
        .collect()
}

/// Judges every test under `seeds` seeds, each among those that it is corrected with.
fn judge_all(measured: &[Measured], seeds: usize, correction: Correction) -> Tests {
    let is_primary = |control: Option<Control>, endpoint| {
        control.is_none() && correction == Correction::WholeComparison(endpoint)
    };
    let mut together: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (place, (control, _, found)) in measured.iter().enumerate() {
        for (endpoint, test) in found.list_tests() {
            let group = match correction {
                Correction::WholeComparison(_) => None,
                Correction::EachEndpoint => Some((*control, endpoint)),
            };
            let members = together.entry(group).or_default();
            members.push(((place, endpoint), is_primary(*control, endpoint), test));
        }
    }
    let mut judged = Tests::new();
    for mut members in together.into_values() {
        let primary = members
            .iter()
            .filter(|(_, is_primary, _)| *is_primary)
            .count();
        let weight = weigh_primary(seeds, primary as u64, (members.len() - primary) as u64);
        let weighed = members.iter_mut().filter(|(_, is_primary, _)| *is_primary);
        weighed.for_each(|(.., test)| test.weight = weight);
        let tests: Vec<FamilyTest> = members.iter().map(|(.., test)| *test).collect();
        let places = members.into_iter().map(|(place, ..)| place);
        judged.extend(places.zip(judge_tests(&tests)));
    }
    judged
}

/// Puts what was measured on a pair beside what was judged of it.
fn collect_difference(
    place: usize,
    pair: RunPair,
    found: &MeasuredPair,
    tests: &Tests,
) -> Option<RunDifference> {
    let test = |endpoint| tests.get(&(place, endpoint)).copied();
    let steps = |MeasuredSteps { found, completed }, endpoint| {
        Some(TestedSteps {
            measured: found,
            completed,
            test: test(endpoint)?,
        })
    };
    Some(RunDifference {
        pair,
        choices: found.choices,
        choices_test: test(StudyEndpoint::Choices)?,
        disagreement: found.disagreement,
        answers: found.answers,
        answers_test: test(StudyEndpoint::Answers)?,
        actions: found.actions,
        actions_test: test(StudyEndpoint::Actions)?,
        agreement: found
            .agreement
            .and_then(|measured| steps(measured, StudyEndpoint::Agreement)),
        beyond_replicate: found
            .beyond_replicate
            .and_then(|measured| steps(measured, StudyEndpoint::Disagreement)),
    })
}
