//! Replay of a run, without the model and without a network (Q19 to Q21; E1 to E3).
//!
//! Everything in a run's directory is recomputed from what it follows from, and compared: the ledger under
//! its own rules; each cycle from its raw text through canonicalizer, parser and kernel; the outcome from
//! the cycles; the hashes of the files from the files. Every difference is a [`ReplayFinding`].
//!
//! | file | what it holds |
//! |---|---|
//! | `finding.rs` | a difference, and the cycle it is in |
//! | `compare.rs` | two JSON values compared field by field |
//! | `ledger.rs` | the run's ledger: verified, replayed, and in the order it must have |
//! | `bindings.rs` | the lines of the cycle log compared with their hashes in the ledger |
//! | `calibration.rs` | the calibration's verdict, recomputed from its answers |
//! | `walk.rs` | the walk through the cycle log, with what one cycle hands to the next |
//! | `cycle.rs` | a cycle recomputed |
//! | `check.rs` | a cycle's record checked against the recomputed one |
//! | `noted_head.rs` | a head that the report has seen, looked for in its ledger |
//! | `order.rs` | which cycle follows which |
//! | `end.rs` | the outcome, recomputed from the cycles |
//! | `prompts.rs` | the prompt that each cycle should have sent |
//! | `fingerprint.rs` | the answers under another fingerprint than the calibration's |
//! | `sentinels.rs` | the sentinels, each in its place, and the drift that they show |
//! | `files.rs` | files that are missing, altered or too many |

mod bindings;
mod calibration;
mod check;
mod compare;
mod cycle;
mod end;
pub(super) mod files;
mod finding;
mod fingerprint;
mod ledger;
pub(super) mod noted_head;
mod order;
mod prompts;
mod sentinels;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::blobs::BlobStore;
use serde_json::Value;

use super::log::{
    Condition, ConditionOutcome, Cycle, FrozenSettings, RunDirectory, SessionMetadata,
};
use crate::X0lError;
use crate::frozen_code::{canonicalizer_hashes, kernel_hashes};
pub(crate) use bindings::LoggedLine;
pub(crate) use compare::compare_json;
use ledger::RunLedger;
use prompts::{Inputs, PromptInputs};
use walk::SessionWalk;

pub use finding::{CycleId, ReplayFinding};
pub use fingerprint::{ChangedFingerprint, describe_changes};
pub use order::{CycleOrder, MOST_REFUSALS};
pub use sentinels::{ModelDrift, SentinelReplay};

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
    pub(super) fn add_conflict(&mut self, finding: ReplayFinding) {
        self.findings.push(finding.clone());
        self.conflicts.push(finding);
    }

    /// Whether there is no difference.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Replays a run and calls `on_cycle` with every cycle that could be read, in order.
///
/// # Errors
/// [`FileError::Io`] where an existing file cannot be read. A missing file is a finding.
pub fn replay_run(
    run: &RunDirectory,
    on_cycle: &mut dyn FnMut(&Cycle),
) -> Result<RunReplay, X0lError> {
    replay_lines(run, &mut |line| {
        line.cycle.into_iter().for_each(&mut *on_cycle)
    })
}

/// Replays a run and calls `on_line` with every whole line of its cycle log, in order.
///
/// # Errors
/// As [`replay_run`].
pub(crate) fn replay_lines(
    run: &RunDirectory,
    on_line: &mut dyn FnMut(&LoggedLine<'_>),
) -> Result<RunReplay, X0lError> {
    let mut replay = RunReplay::default();
    replay.metadata = match run.read_metadata() {
        Ok(metadata) => Some(metadata),
        Err(X0lError::Log(error)) => {
            let finding = ReplayFinding::unreadable(RunDirectory::METADATA, error.error);
            replay.findings.push(finding.on_line(error.line));
            None
        }
        Err(X0lError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            let missing = ReplayFinding::missing(RunDirectory::METADATA);
            replay.findings.push(missing);
            None
        }
        Err(error) => return Err(error),
    };
    let metadata = replay.metadata.clone();
    let ledger = ledger::read_ledger(run, metadata.as_ref(), &mut replay)?;
    (replay.entries, replay.head) = (ledger.entries, ledger.head);
    replay.ended = ledger.sealed;
    replay.bound = ledger.bindings.iter().map(|binding| binding.seq).collect();
    let mut replayer = Replayer {
        run,
        ledger: &ledger,
        blobs: ledger.named.clone(),
        answers: BlobStore::of_ledger(&run.ledger()),
        fingerprint: None,
        replay,
    };
    match &metadata {
        Some(metadata) => replayer.replay_session(metadata, on_line)?,
        // Without the metadata nothing can be recomputed; the cycles are still read and counted.
        None => replayer.read_cycle_log(&mut |_, line| on_line(&line))?,
    }
    replayer.check_files(metadata.as_ref())?;
    Ok(replayer.replay)
}

/// A replay in progress.
struct Replayer<'r> {
    run: &'r RunDirectory,
    ledger: &'r RunLedger,
    /// The blobs that the ledger names by hash.
    blobs: BTreeSet<Hash>,
    /// The store of these blobs.
    answers: BlobStore,
    /// The fingerprint of the calibration's first answer.
    fingerprint: Option<String>,
    replay: RunReplay,
}

impl Replayer<'_> {
    fn add_finding(
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
    fn compare(&mut self, file: &str, path: &str, found: &Value, expected: &Value) {
        compare_json(found, expected, path, &mut |field, found, expected| {
            self.add_finding(file, field, found, expected);
        });
    }

    fn replay_session(
        &mut self,
        metadata: &SessionMetadata,
        on_line: &mut dyn FnMut(&LoggedLine<'_>),
    ) -> Result<(), X0lError> {
        let frozen = &metadata.frozen;
        files::check_sealed_files(self.run, frozen, self.ledger, &mut self.replay.findings)?;
        let mut inputs = Inputs::new();
        for file in frozen.inputs() {
            let bytes = files::read_input(self.run, file, &mut self.replay.findings)?;
            inputs.extend(bytes.map(|bytes| (file.name.clone(), bytes)));
        }
        let prompts = PromptInputs::read(frozen, &inputs, &mut self.replay.findings);
        self.note_versions(frozen);
        let calls = self.check_calibration(metadata);
        let calibration = metadata.calibration.as_ref();
        self.fingerprint = calibration.and_then(|found| found.system_fingerprint.clone());
        self.note_calibration_fingerprints(calls);
        let ledger = self.ledger;
        let (_, rest) = ledger.calls.split_at(calls.min(ledger.calls.len()));
        let mut walk = SessionWalk::new(frozen, rest);
        self.read_cycle_log(&mut |replayer, line| {
            replayer.replay_line(&mut walk, &line, prompts.as_ref(), frozen);
            replayer.check_binding(&mut walk, &line, frozen);
            on_line(&line);
        })?;
        self.check_all_bound(metadata, &walk.unbound_lines);
        self.note_sentinel_fingerprints();
        self.report_fingerprints();
        self.check_outcome(metadata, walk);
        Ok(())
    }

    /// Notes that the run was made by another version of the program. A difference that follows from that
    /// is a finding all the same.
    fn note_versions(&mut self, frozen: &FrozenSettings) {
        let here = env!("CARGO_PKG_VERSION");
        if frozen.axilog != here {
            let note = format!(
                "the run was made by axilog {}, this is {here}",
                frozen.axilog
            );
            self.replay.notes.push(note);
        }
        for (what, run, here) in [
            (
                "canonicalizer",
                frozen.canonicalizer,
                canonicalizer_hashes(),
            ),
            ("kernel", frozen.kernel, kernel_hashes()),
        ] {
            if run != here {
                let note = format!(
                    "the run was written by axilog {} with another {what} (source hash {}) than this program's ({}): its decisions are recomputed by this program's rules, so a difference may be a change of the rules; replay it with the version that wrote it. A build that hashed the text of its source files has another hash for the same code",
                    frozen.axilog,
                    hex(&run.source_hash),
                    hex(&here.source_hash),
                );
                self.replay.notes.push(note);
            }
        }
    }
}
