//! How two runs differ: what was measured, tested and judged.
//!
//! Each endpoint has a test and a verdict of its own: whether the oracle *chooses* otherwise, whether it *answers*
//! usefully less often or more often, and whether other actions were *done*; and of single steps, whether its choices
//! *agree* with the last record less often or more often, and whether they *differ* from the baseline's more often than
//! the replicate's do. The choices are the proposals at the steps at which both runs had a useful answer, so an oracle
//! that garbles its answers and chooses alike is not taken for one that chooses otherwise. Nor is one whose garbling depends
//! on the choice: a difference must hold whatever the useless answers would have been.

use super::completed_steps::CompletedSteps;
use super::decimal::Decimal;
use super::endpoint::StudyEndpoint;
use super::judged_tests::{TestResult, TestVerdict};
use super::margin::Margin;
use super::statistics::{ProfileDifference, ShareDifference};
use super::step_statistics::StepDifference;

/// Two runs of a comparison, by their places in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPair {
    /// The place of the run that the other is held against.
    pub reference: usize,
    /// The place of the run that is held against it.
    pub run: usize,
}

/// How a run differs from its reference.
#[derive(Clone, Debug)]
pub struct RunDifference {
    /// The two runs.
    pub pair: RunPair,
    /// The difference of what was proposed at the common steps.
    pub choices: ProfileDifference,
    /// The test of that difference.
    pub choices_test: TestResult,
    /// How often the two proposed different actions at one step.
    pub disagreement: Disagreement,
    /// The difference of how often an answer was not useful.
    pub answers: ShareDifference,
    /// The test of that difference.
    pub answers_test: TestResult,
    /// The difference of what was done at all steps.
    pub actions: ProfileDifference,
    /// The test of that difference.
    pub actions_test: TestResult,
    /// The difference of how often a choice is that of the last record; `None` where no primary endpoint was
    /// declared.
    pub agreement: Option<TestedSteps>,
    /// How much more often the run differs from the baseline at the same step than the replicate does; `None` without
    /// a replicate, too.
    pub beyond_replicate: Option<TestedSteps>,
}

/// A difference of shares of steps, with its test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestedSteps {
    /// The difference at the steps that were answered usefully.
    pub measured: StepDifference,
    /// What holds of it in every completion of the useless answers; `None` without any.
    pub completed: Option<CompletedSteps>,
    /// The test of that difference.
    pub test: TestResult,
}

/// An endpoint of two runs, as tables show it.
#[derive(Clone, Copy, Debug)]
pub struct EndpointRow {
    /// The endpoint.
    pub endpoint: StudyEndpoint,
    /// The energy distance, or the difference of shares.
    pub size: Decimal,
    /// The ends of its interval: of resamples for a distance or a share of answers, of confidence for a share of steps.
    pub interval: [Decimal; 2],
    /// The test.
    pub test: TestResult,
    /// The verdict, as documents name it.
    pub verdict: &'static str,
}

impl RunDifference {
    /// The endpoints that were measured, in the order of documents.
    #[must_use]
    pub fn list_endpoints(&self) -> Vec<EndpointRow> {
        let profile = |endpoint, found: &ProfileDifference, test, verdict| EndpointRow {
            endpoint,
            size: found.distance,
            interval: found.interval,
            test,
            verdict,
        };
        let steps = |endpoint, found: &TestedSteps| EndpointRow {
            endpoint,
            size: found.measured.difference,
            interval: found.measured.interval,
            test: found.test,
            verdict: found.verdict(endpoint),
        };
        let (choices, done) = (self.choices_verdict(), self.actions_verdict());
        let mut rows = vec![
            profile(
                StudyEndpoint::Choices,
                &self.choices,
                self.choices_test,
                choices,
            ),
            EndpointRow {
                endpoint: StudyEndpoint::Answers,
                size: self.answers.difference,
                interval: self.answers.interval,
                test: self.answers_test,
                verdict: self.answers_verdict(),
            },
            profile(
                StudyEndpoint::Actions,
                &self.actions,
                self.actions_test,
                done,
            ),
        ];
        let (agreement, beyond) = (&self.agreement, &self.beyond_replicate);
        rows.extend(
            agreement
                .iter()
                .map(|found| steps(StudyEndpoint::Agreement, found)),
        );
        rows.extend(
            beyond
                .iter()
                .map(|found| steps(StudyEndpoint::Disagreement, found)),
        );
        rows
    }

    /// The endpoints in which the run is told apart, as documents name them, in their order.
    #[must_use]
    pub fn told_apart(&self) -> Vec<&'static str> {
        let rows = self.list_endpoints().into_iter();
        let told_apart = rows.filter(|row| row.test.verdict == TestVerdict::ToldApart);
        told_apart.map(|row| row.endpoint.as_str()).collect()
    }

    /// Judges a share of steps that was not told apart as less than `margin`, where its whole interval is, whatever the
    /// useless answers would have been.
    pub(crate) fn judge_margin(&mut self, endpoint: StudyEndpoint, margin: Margin) {
        let tested = match endpoint {
            StudyEndpoint::Agreement => self.agreement.as_mut(),
            StudyEndpoint::Disagreement => self.beyond_replicate.as_mut(),
            StudyEndpoint::Choices | StudyEndpoint::Answers | StudyEndpoint::Actions => None,
        };
        if let Some(found) = tested
            && found.test.verdict == TestVerdict::NotToldApart
            && margin.holds_interval(found.measured.interval)
            && found
                .completed
                .is_none_or(|it| margin.holds_interval(it.interval))
        {
            found.test.verdict = TestVerdict::LessThan;
        }
    }

    /// Whether the oracle chooses otherwise, as documents name it.
    #[must_use]
    pub fn choices_verdict(&self) -> &'static str {
        name_verdict(self.choices_test.verdict, "CHOOSES_OTHERWISE")
    }

    /// Whether the oracle answers worse or better, as documents name it.
    #[must_use]
    pub fn answers_verdict(&self) -> &'static str {
        let is_worse = self.answers.difference > Decimal::default();
        let direction = if is_worse {
            "ANSWERS_WORSE"
        } else {
            "ANSWERS_BETTER"
        };
        name_verdict(self.answers_test.verdict, direction)
    }

    /// Whether other actions were done, as documents name it.
    #[must_use]
    pub fn actions_verdict(&self) -> &'static str {
        name_verdict(self.actions_test.verdict, "ACTS_OTHERWISE")
    }
}

impl TestedSteps {
    /// The verdict on `endpoint`, as documents name it.
    #[must_use]
    pub fn verdict(&self, endpoint: StudyEndpoint) -> &'static str {
        let is_more = self.measured.difference > Decimal::default();
        let told_apart = match (endpoint, is_more) {
            (StudyEndpoint::Agreement, true) => "AGREES_MORE",
            (StudyEndpoint::Agreement, false) => "AGREES_LESS",
            (_, true) => "DIFFERS_MORE",
            (_, false) => "DIFFERS_LESS",
        };
        name_verdict(self.test.verdict, told_apart)
    }
}

/// Names a verdict; `told_apart` says how the run differs.
fn name_verdict(verdict: TestVerdict, told_apart: &'static str) -> &'static str {
    match verdict {
        TestVerdict::ToldApart => told_apart,
        TestVerdict::NotToldApart
        | TestVerdict::TooFewSeeds
        | TestVerdict::LessThan
        | TestVerdict::CannotBeTold => verdict.as_str(),
    }
}

/// How often two runs proposed different actions at one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disagreement {
    /// The steps at which both had a useful answer.
    pub common_steps: u64,
    /// Of these, the steps at which the proposed actions differ.
    pub differing_steps: u64,
}

impl Disagreement {
    /// The share of the common steps at which the proposed actions differ; 0 without common steps.
    #[must_use]
    pub fn share(self) -> Decimal {
        Decimal::from_ratio(self.differing_steps.into(), self.common_steps.into())
    }
}
