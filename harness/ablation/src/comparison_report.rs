//! The comparison document, comparison.json.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::comparable_run::ComparableRun;
use super::comparison::RunComparison;
use super::controls::ControlDifference;
use super::decimal::Decimal;
use super::endpoint::StudyEndpoint;
use super::json_document::to_canonical_json;
use super::judged_tests::TestResult;
use super::margin::Margin;
use super::resampling::RESAMPLES;
use super::run_difference::{RunDifference, TestedSteps};
use super::run_document::ActionCounts;
use super::swap_test::{LEVEL_ONE_IN, PValue};

/// The version of the document's form where a primary endpoint was declared.
pub(crate) const VERSION: u32 = 3;
/// The version where none was: as before there were any, byte for byte. Version 1 had a distance of mean shares in place
/// of the tests.
pub(crate) const UNDECLARED_VERSION: u32 = 2;

/// The members of comparison.json.
#[derive(Serialize)]
struct ComparisonDocument<'a> {
    axilog_ablation_comparison: u32,
    controls: Vec<ControlReport<'a>>,
    differences: Vec<DifferenceReport<'a>>,
    /// The environment of the runs; absent for the harbour, which the id in each run's document names.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<EnvironmentReport<'a>>,
    /// The label of the first run.
    reference: Option<&'a str>,
    runs: Vec<RunReport<'a>>,
    statistics: StatisticsReport<'a>,
}

#[derive(Serialize)]
struct EnvironmentReport<'a> {
    /// SHA-256 of the environment's file.
    file_hash: &'a str,
    id: &'a str,
}

#[derive(Serialize)]
struct DifferenceReport<'a> {
    actions: ActionsReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<StepsReport>,
    answers: AnswersReport,
    choices: ChoicesReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    disagreement: Option<StepsReport>,
    /// The label of the run that differs.
    run: &'a str,
}

impl<'a> DifferenceReport<'a> {
    fn new(comparison: &'a RunComparison, found: &RunDifference) -> DifferenceReport<'a> {
        DifferenceReport {
            actions: report_actions(found),
            agreement: found.agreement.as_ref().map(report_agreement),
            answers: report_answers(found),
            choices: report_choices(found),
            disagreement: found.beyond_replicate.as_ref().map(report_disagreement),
            run: comparison.label(found.pair.run),
        }
    }
}

/// How a control differs from the run that it is held against.
#[derive(Serialize)]
struct ControlReport<'a> {
    /// `PLACEBO` or `REPLICATE`: also the family in which p-values are corrected.
    control: &'static str,
    #[serde(flatten)]
    difference: DifferenceReport<'a>,
    /// The label of the run that it is held against.
    reference: &'a str,
    /// The questions in which the two are told apart.
    told_apart: Vec<&'static str>,
}

impl<'a> ControlReport<'a> {
    fn new(comparison: &'a RunComparison, found: &ControlDifference) -> ControlReport<'a> {
        ControlReport {
            control: found.control.as_str(),
            difference: DifferenceReport::new(comparison, &found.difference),
            reference: comparison.label(found.difference.pair.reference),
            told_apart: found.difference.told_apart(),
        }
    }
}

#[derive(Serialize)]
struct ActionsReport {
    distance: Decimal,
    resampling_interval: [Decimal; 2],
    test: TestReport,
    total_variation: Decimal,
    verdict: &'static str,
}

#[derive(Serialize)]
struct AnswersReport {
    /// The share of answers that were not useful, less that of the reference.
    difference: Decimal,
    resampling_interval: [Decimal; 2],
    test: TestReport,
    verdict: &'static str,
}

#[derive(Serialize)]
struct ChoicesReport {
    common_steps: u64,
    differing_share: Decimal,
    differing_steps: u64,
    distance: Decimal,
    resampling_interval: [Decimal; 2],
    test: TestReport,
    total_variation: Decimal,
    verdict: &'static str,
}

/// A difference of shares of steps.
#[derive(Serialize)]
struct StepsReport {
    common_steps: u64,
    confidence_interval: [Decimal; 2],
    difference: Decimal,
    /// At how many steps it happened in the reference, or in the replicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference_steps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replicate_steps: Option<u64>,
    /// At how many steps it happened in the run.
    run_steps: u64,
    test: TestReport,
    verdict: &'static str,
    /// The ends between which the interval lies, whatever the useless answers would have been; absent without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    widest_interval: Option<[Decimal; 2]>,
}

impl StepsReport {
    fn new(found: &TestedSteps, endpoint: StudyEndpoint) -> StepsReport {
        StepsReport {
            common_steps: found.measured.steps,
            confidence_interval: found.measured.interval,
            difference: found.measured.difference,
            reference_steps: None,
            replicate_steps: None,
            run_steps: found.measured.run_count,
            test: TestReport::new(&found.test),
            verdict: found.verdict(endpoint),
            widest_interval: found.completed.map(|completed| completed.interval),
        }
    }
}

#[derive(Serialize)]
struct TestReport {
    p: Decimal,
    p_error: Decimal,
    /// Corrected from the largest p-value, where there is one.
    p_holm: Decimal,
    /// The largest p-value, whatever the useless answers would have been; absent where the test depends on none.
    #[serde(skip_serializing_if = "Option::is_none")]
    p_largest: Option<Decimal>,
    seeds: usize,
    swaps: u64,
}

impl TestReport {
    fn new(test: &TestResult) -> TestReport {
        TestReport {
            p: test.p_value.to_decimal(),
            p_error: test.p_value.standard_error(),
            p_holm: test.corrected.to_decimal(),
            p_largest: test.largest.map(PValue::to_decimal),
            seeds: test.seeds,
            swaps: test.p_value.of,
        }
    }
}

#[derive(Serialize)]
struct RunReport<'a> {
    actions: ActionCounts,
    document_hash: &'a str,
    label: &'a str,
    /// By how many tokens a placebo and the record that it replaced differ at most; absent without placebos.
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_length_gap: Option<u64>,
    ledger_head: Option<&'a str>,
    model_id: &'a str,
    path: &'a str,
    proposed: ActionCounts,
    provider: &'a str,
    /// How many answers held an artifact that did not compile, by code.
    refusals: BTreeMap<&'a str, u64>,
    /// How many answers held no artifact, by code.
    rejections: BTreeMap<&'a str, u64>,
    steps: u64,
    token_jitter: Option<u64>,
    useful_answers: u64,
    variant: &'static str,
    writes_blocked: u64,
    written: u64,
}

#[derive(Serialize)]
struct StatisticsReport<'a> {
    correction: &'static str,
    level: Decimal,
    /// Below which a difference in the primary endpoint does not matter; absent where its reader names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<Margin>,
    /// The endpoint that was declared before the runs; absent where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    primary: Option<StudyEndpoint>,
    resamples: u32,
    resampling_share: &'static str,
    seeds: Option<&'a [u64]>,
    /// The smallest p-value that so many seeds can give.
    smallest_p: Decimal,
    test: &'static str,
}

/// How the answers of a run were taken.
pub(crate) struct AnswerCounts<'a> {
    /// How many artifacts compiled.
    pub(crate) useful: u64,
    /// How many answers held an artifact that did not compile, by code.
    pub(crate) refusals: BTreeMap<&'a str, u64>,
    /// How many answers held no artifact, by code.
    pub(crate) rejections: BTreeMap<&'a str, u64>,
    /// How often each action was proposed.
    pub(crate) proposed: BTreeMap<&'a str, u64>,
}

impl<'a> AnswerCounts<'a> {
    pub(crate) fn new(run: &'a ComparableRun) -> AnswerCounts<'a> {
        let mut found = AnswerCounts {
            useful: 0,
            refusals: BTreeMap::new(),
            rejections: BTreeMap::new(),
            proposed: BTreeMap::new(),
        };
        for step in run.steps.iter().flatten() {
            if let Some(action) = step.proposed.as_deref() {
                *found.proposed.entry(action).or_default() += 1;
            }
            let counts = match (step.refused.as_deref(), &step.proposed) {
                (Some(code), Some(_)) => found.refusals.entry(code).or_default(),
                (Some(code), None) => found.rejections.entry(code).or_default(),
                (None, _) => &mut found.useful,
            };
            *counts += 1;
        }
        found
    }
}

impl RunComparison {
    /// The comparison document.
    #[must_use]
    pub fn document(&self) -> Value {
        let differences = self.differences.iter();
        let differences = differences.map(|found| DifferenceReport::new(self, found));
        let controls = self.controls.iter();
        let controls = controls.map(|found| ControlReport::new(self, found));
        let runs = self.runs.iter().map(|run| self.report_run(run));
        let reference = self.runs.first();
        let seeds = reference.map_or(0, |run| run.header.seeds.len());
        let primary = self.declared_primary();
        let version = match primary {
            Some(_) => VERSION,
            None => UNDECLARED_VERSION,
        };
        let document = ComparisonDocument {
            axilog_ablation_comparison: version,
            controls: controls.collect(),
            differences: differences.collect(),
            environment: reference.and_then(|run| {
                let (id, file_hash) = run.header.environment_key();
                file_hash.map(|file_hash| EnvironmentReport { file_hash, id })
            }),
            reference: reference.map(|run| run.label.as_str()),
            runs: runs.collect(),
            statistics: StatisticsReport {
                correction: "HOLM",
                level: Decimal::from_ratio(1, LEVEL_ONE_IN.into()),
                margin: self.margin,
                primary,
                resamples: RESAMPLES,
                resampling_share: "0.95",
                seeds: reference.map(|run| run.header.seeds.as_slice()),
                smallest_p: PValue::smallest(seeds).to_decimal(),
                test: "SEED_SWAPS",
            },
        };
        serde_json::to_value(document).unwrap_or_default()
    }

    /// The text of the document's file: a line of canonical JSON.
    #[must_use]
    pub fn to_file_text(&self) -> String {
        to_canonical_json(&self.document()) + "\n"
    }

    fn report_run<'a>(&'a self, run: &'a ComparableRun) -> RunReport<'a> {
        let answers = AnswerCounts::new(run);
        let count_each = |count: &dyn Fn(&str) -> u64| -> ActionCounts {
            let actions = self.actions.iter();
            actions
                .map(|action| (action.clone(), count(action)))
                .collect()
        };
        RunReport {
            actions: count_each(&|action| run.counts(action).sum()),
            document_hash: &run.document_hash,
            label: &run.label,
            largest_length_gap: run.largest_length_gap,
            ledger_head: run.ledger_head.as_deref(),
            model_id: &run.header.model_id,
            path: &run.path,
            proposed: count_each(&|action| answers.proposed.get(action).copied().unwrap_or(0)),
            provider: &run.header.provider,
            refusals: answers.refusals,
            rejections: answers.rejections,
            steps: run.totals.steps,
            token_jitter: run.totals.token_jitter,
            useful_answers: answers.useful,
            variant: run.header.variant.as_str(),
            writes_blocked: run.totals.writes_blocked,
            written: run.totals.written,
        }
    }
}

fn report_actions(found: &RunDifference) -> ActionsReport {
    ActionsReport {
        distance: found.actions.distance,
        resampling_interval: found.actions.interval,
        test: TestReport::new(&found.actions_test),
        total_variation: found.actions.total_variation,
        verdict: found.actions_verdict(),
    }
}

fn report_answers(found: &RunDifference) -> AnswersReport {
    AnswersReport {
        difference: found.answers.difference,
        resampling_interval: found.answers.interval,
        test: TestReport::new(&found.answers_test),
        verdict: found.answers_verdict(),
    }
}

fn report_choices(found: &RunDifference) -> ChoicesReport {
    ChoicesReport {
        common_steps: found.disagreement.common_steps,
        differing_share: found.disagreement.share(),
        differing_steps: found.disagreement.differing_steps,
        distance: found.choices.distance,
        resampling_interval: found.choices.interval,
        test: TestReport::new(&found.choices_test),
        total_variation: found.choices.total_variation,
        verdict: found.choices_verdict(),
    }
}

fn report_agreement(found: &TestedSteps) -> StepsReport {
    StepsReport {
        reference_steps: Some(found.measured.reference_count),
        ..StepsReport::new(found, StudyEndpoint::Agreement)
    }
}

fn report_disagreement(found: &TestedSteps) -> StepsReport {
    StepsReport {
        replicate_steps: Some(found.measured.reference_count),
        ..StepsReport::new(found, StudyEndpoint::Disagreement)
    }
}
