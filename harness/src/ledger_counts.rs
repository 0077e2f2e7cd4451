//! Counts over a ledger as the JSON of `axilog stats` and of a page has them.

use std::collections::BTreeMap;

use serde::Serialize;

/// What a summary of a ledger counts.
#[derive(Serialize)]
pub(crate) struct LedgerCounts {
    /// The number of records with each tag.
    pub(crate) tags: BTreeMap<&'static str, u64>,
    pub(crate) oracles: Vec<CountedOracle>,
    pub(crate) policies: Vec<CountedPolicy>,
    /// The number of transitions with each violation.
    pub(crate) violations: BTreeMap<&'static str, u64>,
    /// The first and the last accepted time; `None` where no time was accepted.
    pub(crate) times: Option<TimeSpan>,
}

/// The observations of an oracle with one model.
#[derive(Serialize)]
pub(crate) struct CountedOracle {
    pub(crate) oracle_id: String,
    pub(crate) model_id: String,
    pub(crate) observations: u64,
    pub(crate) complete: u64,
    pub(crate) truncated: u64,
    /// The number of failures, however the oracle failed.
    pub(crate) error: u64,
    /// The number of failures of each type.
    pub(crate) failures: BTreeMap<&'static str, u64>,
}

/// The evaluations of a policy. The least and the greatest value are raw Q16.16, and in decimal.
#[derive(Serialize)]
pub(crate) struct CountedPolicy {
    pub(crate) policy_id: String,
    pub(crate) evaluated: u64,
    pub(crate) breaches: u64,
    pub(crate) no_value: u64,
    pub(crate) min: Option<i32>,
    pub(crate) min_decimal: Option<String>,
    pub(crate) max: Option<i32>,
    pub(crate) max_decimal: Option<String>,
}

/// The transitions from one state to another.
#[derive(Serialize)]
pub(crate) struct CountedTransition {
    pub(crate) prev_state: &'static str,
    pub(crate) next_state: &'static str,
    pub(crate) count: u64,
}

/// Times in the unit of the ledger.
#[derive(Serialize)]
pub(crate) struct TimeSpan {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) span: u64,
}

/// The sizes of answers in bytes; `None` where there is no answer.
#[derive(Serialize)]
pub(crate) struct AnswerSizes {
    /// The number of answers.
    pub(crate) count: u64,
    pub(crate) size_min: Option<u64>,
    /// The mean, rounded down.
    pub(crate) size_mean: Option<u64>,
    pub(crate) size_max: Option<u64>,
}
