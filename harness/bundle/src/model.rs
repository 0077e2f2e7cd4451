//! The bundle and its parts (A1). None has a field that can be changed from outside this module, and
//! what the getters give is borrowed.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

use super::budget::TokenBudget;
use super::value::{Object, nfc};

/// The version of the object model.
pub const BUNDLE_VERSION: &str = "1.0.0";

/// What a model gets to see of one step in one run, and what it was made from (A1.1).
///
/// Nothing in it can be changed, neither a field nor what a getter lends (A5.2):
///
/// ```compile_fail,E0616
/// fn change(bundle: &mut axilog_bundle::StepAwarenessBundle) {
///     bundle.step_id = 4;
/// }
/// ```
///
/// ```compile_fail,E0308
/// fn change(bundle: &mut axilog_bundle::StepAwarenessBundle) {
///     let guardrails: &mut [String] = bundle.context().guardrails();
///     guardrails[0].clear();
/// }
/// ```
///
/// ```
/// fn read(bundle: &axilog_bundle::StepAwarenessBundle) -> (u32, &[String]) {
///     (bundle.step_id(), bundle.context().guardrails())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepAwarenessBundle {
    pub(super) bundle_version: &'static str,
    pub(super) step_id: u32,
    pub(super) step_name: String,
    pub(super) run_id: String,
    pub(super) run_number: u64,
    pub(super) is_chapter_13: bool,
    pub(super) context: BundleContext,
    pub(super) budgets: TokenBudget,
    pub(super) provenance: Vec<ProvenanceRecord>,
    pub(super) generated_at: String,
}

impl StepAwarenessBundle {
    /// The version of the object model, [`BUNDLE_VERSION`].
    #[must_use]
    pub fn bundle_version(&self) -> &str {
        self.bundle_version
    }

    /// The step's id in its catalogue.
    #[must_use]
    pub fn step_id(&self) -> u32 {
        self.step_id
    }

    /// The step's name.
    #[must_use]
    pub fn step_name(&self) -> &str {
        &self.step_name
    }

    /// Which run this is about; `step{n}_{UTC time}` where nobody said.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The number of the run, from 1.
    #[must_use]
    pub fn run_number(&self) -> u64 {
        self.run_number
    }

    /// Whether the content is Chapter 13's.
    #[must_use]
    pub fn is_chapter_13(&self) -> bool {
        self.is_chapter_13
    }

    /// What the model gets to see.
    #[must_use]
    pub fn context(&self) -> &BundleContext {
        &self.context
    }

    /// How many tokens each part of the prompt may have.
    #[must_use]
    pub fn budgets(&self) -> &TokenBudget {
        &self.budgets
    }

    /// The files that it was made from.
    #[must_use]
    pub fn provenance(&self) -> &[ProvenanceRecord] {
        &self.provenance
    }

    /// When it was made: UTC, as in `2026-02-02T10:30:00Z`.
    #[must_use]
    pub fn generated_at(&self) -> &str {
        &self.generated_at
    }
}

/// What the model gets to see, by tiers (A1.2).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BundleContext {
    pub(super) mission: String,
    pub(super) schema_excerpt: String,
    pub(super) grammar_name: String,
    pub(super) contracts: Vec<String>,
    pub(super) guardrails: Vec<String>,
    pub(super) inputs_summary: Object,
    pub(super) evaluation_summary: Object,
    pub(super) recent_outcomes: Vec<OutcomeRecord>,
    pub(super) trend_summary: Vec<TrendSummary>,
    pub(super) open_incidents: Vec<String>,
}

impl BundleContext {
    /// Tier 0: what the step is for.
    #[must_use]
    pub fn mission(&self) -> &str {
        &self.mission
    }

    /// Tier 0: what an answer holds.
    #[must_use]
    pub fn schema_excerpt(&self) -> &str {
        &self.schema_excerpt
    }

    /// Tier 0: the name of the grammar that an answer fits.
    #[must_use]
    pub fn grammar_name(&self) -> &str {
        &self.grammar_name
    }

    /// Tier 0: the file names of the authority contracts in force.
    #[must_use]
    pub fn contracts(&self) -> &[String] {
        &self.contracts
    }

    /// Tier 0: the step's hard constraints.
    #[must_use]
    pub fn guardrails(&self) -> &[String] {
        &self.guardrails
    }

    /// Tier 1: the step's key metrics that its results have.
    #[must_use]
    pub fn inputs_summary(&self) -> &Object {
        &self.inputs_summary
    }

    /// Tier 1: the results as they are; `success`, `confidence` and `interpretation` come first, if they are
    /// there.
    #[must_use]
    pub fn evaluation_summary(&self) -> &Object {
        &self.evaluation_summary
    }

    /// Tier 2: what came of earlier runs, newest first.
    #[must_use]
    pub fn recent_outcomes(&self) -> &[OutcomeRecord] {
        &self.recent_outcomes
    }

    /// Tier 2: where the step's metrics go.
    #[must_use]
    pub fn trend_summary(&self) -> &[TrendSummary] {
        &self.trend_summary
    }

    /// Tier 2: failures that nobody has resolved, the last one first.
    #[must_use]
    pub fn open_incidents(&self) -> &[String] {
        &self.open_incidents
    }
}

/// A file that went into a bundle (A6.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProvenanceRecord {
    pub(super) path: String,
    pub(super) sha256: String,
    pub(super) size_bytes: u64,
}

impl ProvenanceRecord {
    /// Its path as it was given, in normalisation form C.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// SHA-256 of its bytes in lower-case hexadecimal, or `FILE_NOT_FOUND`.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Its size in bytes; 0 where it was not found.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }
}

/// What came of an earlier run, as Chapter 13 keeps it (A1.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeRecord {
    step: u32,
    #[serde(deserialize_with = "text")]
    run_id: String,
    #[serde(deserialize_with = "text")]
    result: String,
    metric_delta: Number,
    #[serde(deserialize_with = "text")]
    key_metric: String,
    #[serde(deserialize_with = "text")]
    timestamp: String,
}

impl OutcomeRecord {
    /// Which step ran.
    #[must_use]
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Which run it was.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// What came of it, in a word.
    #[must_use]
    pub fn result(&self) -> &str {
        &self.result
    }

    /// By how much the key metric changed.
    #[must_use]
    pub fn metric_delta(&self) -> &Number {
        &self.metric_delta
    }

    /// Which metric that is.
    #[must_use]
    pub fn key_metric(&self) -> &str {
        &self.key_metric
    }

    /// When, in UTC.
    #[must_use]
    pub fn timestamp(&self) -> &str {
        &self.timestamp
    }
}

/// Where a metric goes (A1.3).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrendSummary {
    pub(super) metric_name: String,
    pub(super) direction: Direction,
    pub(super) recent_values: Vec<Number>,
    pub(super) window_size: usize,
}

impl TrendSummary {
    /// Which metric.
    #[must_use]
    pub fn metric_name(&self) -> &str {
        &self.metric_name
    }

    /// From the first of the recent values to the last.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The last values, oldest first; at least one and at most [`TrendSummary::window_size`].
    #[must_use]
    pub fn recent_values(&self) -> &[Number] {
        &self.recent_values
    }

    /// How many values count as recent.
    #[must_use]
    pub fn window_size(&self) -> usize {
        self.window_size
    }
}

/// Which way a metric goes. Whether that is good, the metric does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The last value is above the first.
    Up,
    /// The last value is below the first.
    Down,
    /// They are equal, or there is only one.
    Flat,
}

/// Text in normalisation form C.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| nfc(&text))
}
