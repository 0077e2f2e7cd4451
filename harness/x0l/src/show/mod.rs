//! One cycle of a run, for a person who wants to know what happened in it.
//!
//! The whole run is replayed for it, so that what is shown is checked: the line of the cycle log against its
//! hash in the ledger and against the recomputed cycle, the prompt against the hash that names its blob.
//!
//! | file | what it holds |
//! |---|---|
//! | `explanation.rs` | the codes of a cycle in words |
//! | `verdict.rs` | what the gates said of a candidate |

mod explanation;
mod verdict;

use axilog::hash::{Hash, sha256};
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::file::writer::LedgerWriter;
use serde::{Deserialize, Serialize};

use crate::error::X0lError;
use crate::log::{Cycle, RunDirectory};
use crate::replay::{ReplayFinding, RunReplay, files, replay_lines};

pub use explanation::{
    explain_canonicalization, explain_code, explain_decision, explain_refusal_type,
};
pub use verdict::{GateVerdict, find_verdict};

/// The longest prompt that is read: more than any record's question holds.
const MAX_PROMPT_BYTES: u64 = 64 << 20;

/// A cycle as it is shown.
#[derive(Debug)]
pub struct ShownCycle {
    /// The cycle's number in the session, from 1, which is its line in the cycle log.
    pub number: u64,
    /// The record of the cycle; `None` where its line is missing or cannot be read.
    pub cycle: Option<Cycle>,
    /// SHA-256 of the line, where there is one.
    pub line_hash: Option<Hash>,
    /// The messages that the model got; `None` where it was not asked, and where they are missing or altered.
    pub messages: Option<Vec<PromptMessage>>,
    /// The ledger's record that has the hash of the line.
    pub bound_by: Option<u64>,
    /// Every difference in what is shown, and in what vouches for it.
    pub differences: Vec<ReplayFinding>,
    /// The number of differences in the rest of the run.
    pub differences_elsewhere: usize,
    /// The process that is still writing the run.
    pub writer: Option<LedgerWriter>,
}

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptMessage {
    /// The text.
    pub content: String,
    /// Who speaks: `system` or `user`.
    pub role: String,
}

/// Reads the cycle `number` of a run, counted from 1 through the session, and checks it.
///
/// Of a run that is still being written, a cycle is there once the ledger has the hash of its line.
///
/// # Errors
/// [`X0lError::NoSuchCycle`] with the cycles that there are; as
/// [`replay_run`](crate::replay::replay_run).
pub fn show_cycle(run: &RunDirectory, number: u64) -> Result<ShownCycle, X0lError> {
    let writer = run.find_writer()?;
    let mut found = None;
    let replay = replay_lines(run, &mut |line| {
        if line.number == number {
            found = Some((line.sha256, line.cycle.cloned()));
        }
    })?;
    let bound = replay.bound.len() as u64;
    let last = match writer {
        Some(_) => bound,
        None => replay.lines.max(bound),
    };
    if number == 0 || number > last {
        return Err(X0lError::NoSuchCycle {
            path: run.path().to_owned(),
            cycle: number,
            last,
            live: writer.is_some(),
        });
    }
    let (line_hash, cycle) = found.unzip();
    let cycle = cycle.flatten();
    let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
    let mut shown = ShownCycle {
        number,
        line_hash,
        messages: None,
        bound_by: replay.bound.get(index).copied(),
        differences: Vec::new(),
        differences_elsewhere: 0,
        writer,
        cycle,
    };
    shown.sort_differences(run, replay);
    shown.read_messages(run)?;
    Ok(shown)
}

impl ShownCycle {
    /// Whether nothing that is shown differs from what it should be.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.differences.is_empty()
    }

    /// The hashes of the blobs that the cycle names.
    fn blobs(&self) -> impl Iterator<Item = Hash> {
        let cycle = self.cycle.as_ref();
        let hashes = cycle.map(|cycle| [cycle.input_hash, cycle.raw_llm_hash]);
        hashes.into_iter().flatten().flatten()
    }

    /// Tells the differences of this cycle from those of the rest of the run.
    fn sort_differences(&mut self, run: &RunDirectory, replay: RunReplay) {
        let blobs = files::blob_names(run, &run.ledger(), &self.blobs().collect());
        let line = format!("line {}", self.number);
        let concerns_cycle = |finding: &ReplayFinding| {
            let id = finding.cycle.map(|id| id.number);
            let of_log = finding.file == RunDirectory::CYCLES
                && match finding.line {
                    Some(number) => number == self.number,
                    None => finding.field.is_empty() || finding.field == line,
                };
            // The settings, the inputs and the ledger vouch for every cycle. While they are being written they
            // are ahead of one another, and the hash of the line was there when the ledger was read.
            let vouches = [RunDirectory::METADATA, RunDirectory::LEDGER]
                .contains(&finding.file.as_str())
                || finding.file.starts_with(RunDirectory::INPUTS);
            id == Some(self.number)
                || of_log
                || blobs.contains(&finding.file)
                || vouches && self.writer.is_none()
        };
        let findings = replay.findings.into_iter();
        let (here, elsewhere): (Vec<_>, Vec<_>) = findings.partition(concerns_cycle);
        self.differences = here;
        self.differences_elsewhere = elsewhere.len();
    }

    /// Reads the messages from the blob of the prompt. Bytes with another hash are not the prompt.
    fn read_messages(&mut self, run: &RunDirectory) -> Result<(), X0lError> {
        let hash = self.cycle.as_ref().and_then(|cycle| cycle.input_hash);
        let Some(hash) = hash else {
            return Ok(());
        };
        let store = BlobStore::of_ledger(&run.ledger());
        let bytes = store.read(&hash, MAX_PROMPT_BYTES)?;
        let Some(bytes) = bytes else {
            self.add_blob_difference(run, hash, "no such file", "the prompt");
            return Ok(());
        };
        if sha256(&bytes) != hash {
            self.add_blob_difference(
                run,
                hash,
                "other bytes",
                "the prompt, whose SHA-256 is its name",
            );
            return Ok(());
        }
        match serde_json::from_slice(&bytes) {
            Ok(messages) => self.messages = Some(messages),
            Err(error) => {
                let found = format!("what is no list of messages: {error}");
                self.add_blob_difference(run, hash, &found, "the prompt");
            }
        }
        Ok(())
    }

    /// Adds a difference in a blob, unless replay has found one there.
    fn add_blob_difference(&mut self, run: &RunDirectory, hash: Hash, found: &str, expected: &str) {
        for name in files::blob_names(run, &run.ledger(), &[hash].into()) {
            if !self.differences.iter().any(|known| known.file == name) {
                let difference = ReplayFinding::new(name, "", found, expected);
                self.differences.push(difference);
            }
        }
    }
}
