//! A replay in progress.

use std::collections::BTreeSet;

use axilog::hash::Hash;
use axilog_ledger::file::blobs::BlobStore;
use serde_json::Value;

use super::compare::compare_json;
use super::finding::ReplayFinding;
use super::run_ledger::RunLedger;
use super::run_replay::RunReplay;
use crate::log::RunDirectory;

/// A replay in progress.
pub(super) struct Replayer<'r> {
    pub(super) run: &'r RunDirectory,
    pub(super) ledger: &'r RunLedger,
    /// The blobs that the ledger names by hash.
    pub(super) blobs: BTreeSet<Hash>,
    /// The store of these blobs.
    pub(super) answers: BlobStore,
    /// The fingerprint of the calibration's first answer.
    pub(super) fingerprint: Option<String>,
    pub(super) replay: RunReplay,
}

impl Replayer<'_> {
    pub(super) fn add_finding(
        &mut self,
        file: &str,
        field: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let finding = ReplayFinding::new(file, field, found, expected);
        self.replay.findings.push(finding);
    }

    /// Adds a finding for each field below `path` of `file` that differs.
    pub(super) fn compare(&mut self, file: &str, path: &str, found: &Value, expected: &Value) {
        compare_json(found, expected, path, &mut |field, found, expected| {
            self.add_finding(file, field, found, expected);
        });
    }
}
