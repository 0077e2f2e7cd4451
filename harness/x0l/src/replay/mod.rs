//! Replay of a run, without the model and without a network (Q19 to Q21; E1 to E3).
//!
//! Everything in a run's directory is made again from what it rests on, and compared: the ledger under its
//! own rules; each cycle from its raw text through canonicalizer and parser, and through the kernel; how
//! the run ended, from its cycles; the hashes of the files, from the files. Every difference is named.
//!
//! | file | what it holds |
//! |---|---|
//! | `finding.rs` | a difference, and how two values are compared |
//! | `ledger.rs` | the ledger: verified, replayed, and in the order it must have |
//! | `calibration.rs` | the calibration's verdict, from its answers |
//! | `cycle.rs` | a cycle made again |
//! | `order.rs` | which cycle comes when |
//! | `end.rs` | how the run ended |
//! | `prompts.rs` | what each cycle was to be asked |
//! | `files.rs` | files that are missing, altered or too many |

mod calibration;
mod cycle;
mod end;
pub(super) mod files;
mod finding;
mod ledger;
mod order;
mod prompts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufReader};

use axilog::evidence::observation::{Completion, Failure};
use axilog::hash::Hash;
use axilog_ledger::error::FileError;
use axilog_oracle::canonicalizer::{self_test_hash, source_hash};

use super::budget::Budget;
use super::calibration::prompt;
use super::document::to_value;
use super::kernel::{KernelState, RejectionReason};
use super::log::{
    Condition, ConditionOutcome, Cycle, CycleReader, FrozenSettings, LogLine, RunDirectory,
    SessionMetadata, SessionOutcome, SessionStatus,
};
use crate::X0lError;
use cycle::{Called, Grounds};
use finding::differences;
use ledger::{Ledger, Observed};
use prompts::{Inputs, Prompts};

pub use finding::{Finding, Place};
pub use order::{MOST_REFUSALS, Order};

/// What replay found of a run, but for what is made from the rest: the report and its plots.
#[derive(Debug, Default)]
pub struct Replay {
    /// Its metadata, where they could be read.
    pub metadata: Option<SessionMetadata>,
    /// What is not as it should be.
    pub findings: Vec<Finding>,
    /// What is worth saying besides.
    pub notes: Vec<String>,
    /// Cycles made again.
    pub cycles: u64,
    /// What became of each condition, as its cycles show.
    pub outcomes: Vec<ConditionOutcome>,
    /// How many cycles of each condition, and how many of them were not as they should be.
    pub conditions: BTreeMap<Condition, (u64, u64)>,
    /// Whether the run came to an end of its own: its ledger is sealed.
    pub ended: bool,
    /// Records of the ledger.
    pub entries: u64,
    /// The chain value of the last.
    pub head: Hash,
    /// Files that nothing here accounts for.
    pub others: BTreeSet<String>,
}

impl Replay {
    /// Whether everything is as it should be.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Replays a run. `see` is shown every cycle that could be read, in order.
///
/// # Errors
/// [`FileError::Io`] where a file cannot be read that is there. One that is missing is a finding.
pub fn replay(run: &RunDirectory, see: &mut dyn FnMut(&Cycle)) -> Result<Replay, X0lError> {
    let mut replay = Replay::default();
    replay.metadata = match run.read_metadata() {
        Ok(metadata) => Some(metadata),
        Err(X0lError::Log(error)) => {
            let finding = Finding::wrong(RunDirectory::METADATA, error.error);
            replay.findings.push(finding.on_line(error.line));
            None
        }
        Err(X0lError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            replay
                .findings
                .push(Finding::missing(RunDirectory::METADATA));
            None
        }
        Err(error) => return Err(error),
    };
    let metadata = replay.metadata.clone();
    let ledger = ledger::read(
        run,
        metadata.as_ref(),
        &mut replay.findings,
        &mut replay.notes,
    )?;
    (replay.entries, replay.head) = (ledger.entries, ledger.head);
    replay.ended = ledger.sealed;
    let mut pass = Pass {
        run,
        ledger: &ledger,
        blobs: ledger.named.clone(),
        unmatched: 0,
        replay,
    };
    match &metadata {
        Some(metadata) => pass.with(metadata, see)?,
        None => pass.without(see)?,
    }
    pass.files(metadata.as_ref())?;
    Ok(pass.replay)
}

/// A replay under way.
struct Pass<'r> {
    run: &'r RunDirectory,
    ledger: &'r Ledger,
    /// What the ledger and the cycles name by hash.
    blobs: BTreeSet<Hash>,
    /// Answers that were kept as blobs and that no cycle names.
    unmatched: usize,
    replay: Replay,
}

impl Pass<'_> {
    fn found(&mut self, finding: Finding) {
        self.replay.findings.push(finding);
    }

    fn with(
        &mut self,
        metadata: &SessionMetadata,
        see: &mut dyn FnMut(&Cycle),
    ) -> Result<(), X0lError> {
        let frozen = &metadata.frozen;
        files::closed(self.run, frozen, self.ledger, &mut self.replay.findings)?;
        let mut inputs = Inputs::new();
        for file in frozen.inputs() {
            let bytes = files::input(self.run, file, &mut self.replay.findings)?;
            inputs.extend(bytes.map(|bytes| (file.name.clone(), bytes)));
        }
        let prompts = Prompts::read(frozen, &inputs, &mut self.replay.findings);
        self.versions(frozen);
        let calls = self.calibration(metadata);
        let ledger = self.ledger;
        let (asked, rest) = ledger.calls.split_at(calls.min(ledger.calls.len()));
        self.unmatched = asked.iter().filter(|call| kept(call)).count();
        let mut log = Log {
            order: Order::new(frozen),
            calls: rest.iter(),
            state: KernelState::default(),
            spent: 0,
            skipped: false,
            last: None,
        };
        self.each_line(&mut |pass, line, cycle| {
            match (cycle, &prompts) {
                (Some(cycle), Some(prompts)) => pass.cycle(&mut log, line, cycle, prompts, frozen),
                (Some(cycle), None) => log.order.take(cycle),
                (None, _) => {
                    log.order.skip();
                    log.skipped = true;
                }
            }
            cycle.into_iter().for_each(&mut *see);
        })?;
        self.end(metadata, log);
        Ok(())
    }

    /// Nothing can be made again without the metadata; the lines are read all the same.
    fn without(&mut self, see: &mut dyn FnMut(&Cycle)) -> Result<(), X0lError> {
        self.each_line(&mut |_, _, cycle| cycle.into_iter().for_each(&mut *see))
    }

    /// Says where the run was made by other code; what that changes is found all the same.
    fn versions(&mut self, frozen: &FrozenSettings) {
        let here = env!("CARGO_PKG_VERSION");
        if frozen.axilog != here {
            let note = format!(
                "the run was made by axilog {}, this is {here}",
                frozen.axilog
            );
            self.replay.notes.push(note);
        }
        let hashes = [
            (frozen.canonicalizer.source_hash, source_hash()),
            (frozen.canonicalizer.self_test_hash, self_test_hash()),
        ];
        if hashes.iter().any(|(run, here)| run != here) {
            let note = "the run was made with another canonicalizer than this one";
            self.replay.notes.push(note.to_owned());
        }
    }

    /// Compares the calibration with its answers; how many calls were its.
    fn calibration(&mut self, metadata: &SessionMetadata) -> usize {
        let Some(logged) = &metadata.calibration else {
            let aborted = |outcome: &SessionOutcome| outcome.status == SessionStatus::Aborted;
            if !self.ledger.calls.is_empty() && !metadata.outcome.as_ref().is_none_or(aborted) {
                let found = "null, and calls in the ledger";
                self.found(Finding::new(
                    RunDirectory::METADATA,
                    "calibration",
                    found,
                    "one",
                ));
            }
            return self.ledger.calls.len();
        };
        let count = logged.ledger_seqs.len();
        if self.ledger.whole {
            let calls = self.ledger.calls.get(..count).unwrap_or(&self.ledger.calls);
            // What another version of axilog asked is not known here.
            let same_version = metadata.frozen.axilog == env!("CARGO_PKG_VERSION");
            let asked = prompt().input().ok().filter(|_| same_version);
            let asked = asked.map_or(logged.input_hash, |input| input.hash());
            let again = calibration::again(logged, calls, asked);
            let (found, expected) = (to_value(logged), to_value(&again));
            differences(
                &found,
                &expected,
                "calibration",
                &mut |field, found, expected| {
                    self.found(Finding::new(RunDirectory::METADATA, field, found, expected));
                },
            );
        }
        count
    }

    /// Hands `each` every line with its cycle; `None` for one that is none, which has been named.
    fn each_line(
        &mut self,
        each: &mut dyn FnMut(&mut Self, u64, Option<&Cycle>),
    ) -> Result<(), X0lError> {
        let path = self.run.cycles();
        let file = match fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // It is made before the ledger says what is frozen.
                if self.ledger.opened || self.ledger.sealed {
                    self.found(Finding::missing(RunDirectory::CYCLES));
                }
                return Ok(());
            }
            Err(error) => return Err(FileError::at(&path, "open the cycle log")(error).into()),
        };
        let mut reader = CycleReader::new(BufReader::new(file), &path);
        while let Some(read) = reader.next_line()? {
            let line = reader.line();
            match read {
                LogLine::Cycle(cycle) => each(self, line, Some(&cycle)),
                LogLine::Malformed(error) => {
                    let finding = Finding::wrong(RunDirectory::CYCLES, error.error);
                    self.found(finding.on_line(line));
                    each(self, line, None);
                }
                LogLine::Torn(bytes) if self.replay.ended => {
                    let found = format!("{bytes} bytes without a line feed");
                    let finding = Finding::new(RunDirectory::CYCLES, "", found, "a whole line");
                    self.found(finding.on_line(line));
                }
                LogLine::Torn(bytes) => self.replay.notes.push(format!(
                    "{}:{line}: the last line is torn, {bytes} bytes without a line feed; it counts for nothing",
                    RunDirectory::CYCLES
                )),
            }
        }
        Ok(())
    }

    /// The call of a cycle: the one that it names, if that is still to come, else the next. Those in
    /// between have no cycle.
    fn call<'l>(&mut self, log: &mut Log<'l>, logged: &Cycle) -> Called<'l> {
        let Some(seq) = logged.ledger_seq else {
            return Called::Nothing;
        };
        let named = log.calls.as_slice().iter().position(|call| call.seq == seq);
        for call in log.calls.by_ref().take(named.unwrap_or_default()) {
            self.unmatched += usize::from(kept(call));
            let field = format!("record {}", call.seq);
            let finding = Finding::new(
                RunDirectory::LEDGER,
                field,
                "a call",
                "none without a cycle",
            );
            self.replay.findings.push(finding);
        }
        match log.calls.next() {
            Some(call) => Called::Yes(call),
            None if self.ledger.whole => Called::Nothing,
            None => Called::Unknown,
        }
    }

    fn cycle(
        &mut self,
        log: &mut Log<'_>,
        line: u64,
        logged: &Cycle,
        prompts: &Prompts,
        frozen: &FrozenSettings,
    ) {
        self.replay.cycles += 1;
        let before = self.replay.findings.len();
        let called = self.call(log, logged);
        let mut found = |field: &str, found: String, expected: String| {
            let finding = Finding::new(RunDirectory::CYCLES, field, found, expected);
            self.replay.findings.push(finding.in_cycle(line, logged));
        };
        let place = log.order.next();
        let (condition, cycle) = place.unwrap_or((logged.condition, logged.cycle));
        let grounds = Grounds {
            called,
            asked: prompts.asked(condition, cycle, line),
            constitution: &prompts.constitution,
            frozen,
            state: &log.state,
            budget: Budget {
                spent: log.spent,
                ..Budget::new(frozen)
            },
            skipped: log.skipped,
        };
        let (mut again, next) = cycle::again(logged, &grounds);
        (again.condition, again.cycle) = (condition, cycle);
        if place.is_none() {
            let expected = "none: the session, or every condition of it, has ended";
            found("", "a cycle".to_owned(), expected.to_owned());
        }
        again.number = line;
        differences(&to_value(logged), &to_value(&again), "", &mut found);
        if let Some(last) = attempts(logged) {
            found(
                "attempts",
                last,
                "the last one without a fault, and those before with one".to_owned(),
            );
        }
        if let Some((call, expected)) = cycle::against_budget(logged, &grounds) {
            found("ledger_seq", call.to_owned(), expected.to_owned());
        }
        if let Some(hash) = cycle::raw_blob(logged, &grounds.called) {
            self.blobs.insert(hash);
        }
        if logged.ledger_seq.is_some() {
            log.spent = log.spent.saturating_add(logged.tokens());
        }
        log.last = logged.rejection_reason;
        log.order.take(logged);
        log.state = cycle::go_on(logged, &log.state, next);
        let differs = self.replay.findings.len() > before;
        let counts = self.replay.conditions.entry(logged.condition).or_default();
        counts.0 += 1;
        counts.1 += u64::from(differs);
    }
}

/// What goes on from cycle to cycle.
struct Log<'l> {
    order: Order,
    calls: std::slice::Iter<'l, Observed>,
    state: KernelState,
    spent: u64,
    /// Whether a line could not be read.
    skipped: bool,
    last: Option<RejectionReason>,
}

/// Whether an answer was kept as a blob, since the ledger could not have it, or not all of it.
fn kept(call: &Observed) -> bool {
    call.failure == Some(Failure::InvalidOutput) || call.completion == Completion::Truncated
}

/// What is wrong with the attempts of a cycle, if anything.
fn attempts(cycle: &Cycle) -> Option<String> {
    let faults: Vec<bool> = cycle
        .attempts
        .iter()
        .map(|one| one.fault.is_some())
        .collect();
    let good = match faults.split_last() {
        None => cycle.ledger_seq.is_none(),
        Some((last, before)) => !last && before.iter().all(|fault| *fault),
    };
    (!good).then(|| format!("{} attempts", faults.len()))
}
