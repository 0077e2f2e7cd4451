//! The result of replaying a run.

use std::collections::{BTreeMap, BTreeSet};

use axilog::hash::Hash;
use serde::Serialize;

use super::finding::{CycleId, ReplayFinding};
use crate::log::{Condition, ConditionOutcome, SessionMetadata};

/// The result of replaying a run. The report and its plots are made from it, and compared afterwards.
#[derive(Debug, Default)]
pub struct RunReplay {
    /// The run's metadata, where they could be read.
    pub metadata: Option<SessionMetadata>,
    /// Every difference.
    pub findings: Vec<ReplayFinding>,
    /// Those of the differences that contradict the report in the run's directory, or what the caller expects
    /// of the run. Where there is one, no report is written.
    pub conflicts: Vec<ReplayFinding>,
    /// The answers under another fingerprint than the calibration's first one.
    pub changed_fingerprints: Vec<ChangedFingerprint>,
    /// What became of the sentinels; `None` of a run that has none, or has them in other places than it must.
    pub sentinels: Option<SentinelReplay>,
    /// Remarks that are no differences.
    pub notes: Vec<String>,
    /// The number of recomputed cycles.
    pub cycles: u64,
    /// The number of whole lines of the cycle log, readable or not.
    pub lines: u64,
    /// The outcome of each condition, as its cycles show it.
    pub outcomes: Vec<ConditionOutcome>,
    /// For each condition, the number of its cycles and the number of those with a difference.
    pub conditions: BTreeMap<Condition, (u64, u64)>,
    /// Whether the run came to its end, so that its ledger is sealed.
    pub ended: bool,
    /// For each line of the cycle log whose hash the ledger has, in order, the record that has it.
    pub bound: Vec<u64>,
    /// The number of records in the ledger.
    pub entries: u64,
    /// The chain value of the ledger's last record.
    pub head: Hash,
    /// Files that belong to no part of the run.
    pub others: BTreeSet<String>,
}

impl RunReplay {
    /// Adds a finding that contradicts the report, or what the caller expects.
    pub(crate) fn add_conflict(&mut self, finding: ReplayFinding) {
        self.findings.push(finding.clone());
        self.conflicts.push(finding);
    }

    /// Whether there is no difference.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.findings.is_empty()
    }
}

/// An answer under another fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFingerprint {
    /// The sequence of the call in the ledger.
    pub ledger_seq: u64,
    /// The cycle; `None` for a call of the calibration and for a sentinel.
    #[serde(flatten)]
    pub cycle: Option<CycleId>,
    /// Whether the call is one of a sentinel.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sentinel: bool,
    /// The fingerprint, as [`ProviderFacts`](crate::log::ProviderFacts) has it.
    pub system_fingerprint: Option<String>,
}

/// What became of the sentinels of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SentinelReplay {
    /// The number of different sentinels.
    pub prompts: u64,
    /// The number of answers.
    pub answers: u64,
    /// The sentinels, by their numbers from 1, that were answered in two ways in one round: what they were answered in
    /// other rounds shows nothing.
    pub unsteady: Vec<u64>,
    /// The conditions during which the answers to other sentinels changed.
    pub drifts: Vec<ModelDrift>,
}

/// A condition before and after which sentinels were answered differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelDrift {
    /// The condition.
    pub condition: Condition,
    /// The first cycle of the condition, by its number in the session.
    pub first_cycle: u64,
    /// The last cycle of the condition.
    pub last_cycle: u64,
    /// The sentinels whose answers differ, by their numbers, from 1.
    pub sentinels: Vec<u64>,
}

impl ModelDrift {
    /// The drift in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let numbers: Vec<String> = self.sentinels.iter().map(u64::to_string).collect();
        let sentinels = match numbers.as_slice() {
            [one] => format!("sentinel {one} was"),
            several => format!("sentinels {} were", several.join(", ")),
        };
        format!(
            "{sentinels} answered differently before and after {} (cycles {} to {})",
            self.condition, self.first_cycle, self.last_cycle
        )
    }
}
