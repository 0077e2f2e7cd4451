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
//! | `prompts.rs` | what each cycle was to be asked |
//! | `files.rs` | files that are missing, altered or too many |

mod calibration;
mod cycle;
pub(super) mod files;
mod finding;
mod ledger;
mod order;
mod prompts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufReader};

use axilog::evidence::observation::Failure;
use axilog::hash::Hash;

use super::kernel::{Rejection, State};
use super::log::{
    CalibrationVerdict, Condition, ConditionOutcome, ConditionStatus, Cycle, CycleReader, Frozen,
    Line, Metadata, Outcome, RunDirectory, Status,
};
use crate::canonicalizer::{self_test_hash, source_hash};
use crate::error::Error;
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
    pub metadata: Option<Metadata>,
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
/// [`Error::Io`] where a file cannot be read that is there. One that is missing is a finding.
pub fn replay(run: &RunDirectory, see: &mut dyn FnMut(&Cycle)) -> Result<Replay, Error> {
    let mut replay = Replay::default();
    replay.metadata = match run.read_metadata() {
        Ok(metadata) => Some(metadata),
        Err(Error::Log(error)) => {
            let finding = Finding::wrong(RunDirectory::METADATA, error.wrong);
            replay.findings.push(finding.on_line(error.line));
            None
        }
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
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

    fn with(&mut self, metadata: &Metadata, see: &mut dyn FnMut(&Cycle)) -> Result<(), Error> {
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
            state: State::default(),
            spent: 0,
            last: None,
        };
        self.each_line(&mut |pass, line, cycle| {
            match &prompts {
                Some(prompts) => pass.cycle(&mut log, line, cycle, prompts, frozen),
                None => log.order.take(cycle),
            }
            see(cycle);
        })?;
        self.end(metadata, log);
        Ok(())
    }

    /// Nothing can be made again without the metadata; the lines are read all the same.
    fn without(&mut self, see: &mut dyn FnMut(&Cycle)) -> Result<(), Error> {
        self.each_line(&mut |_, _, cycle| see(cycle))
    }

    /// Says where the run was made by other code; what that changes is found all the same.
    fn versions(&mut self, frozen: &Frozen) {
        let here = env!("CARGO_PKG_VERSION");
        if frozen.axilog != here {
            let note = format!(
                "the run was made by axilog {}, this is {here}",
                frozen.axilog
            );
            self.replay.notes.push(note);
        }
        let hashes = [
            (frozen.canonicalizer_source_hash, source_hash()),
            (frozen.canonicalizer_self_test_hash, self_test_hash()),
        ];
        if hashes.iter().any(|(run, here)| run != here) {
            let note = "the run was made with another canonicalizer than this one";
            self.replay.notes.push(note.to_owned());
        }
    }

    /// Compares the calibration with its answers; how many calls were its.
    fn calibration(&mut self, metadata: &Metadata) -> usize {
        let Some(logged) = &metadata.calibration else {
            let aborted = |outcome: &Outcome| outcome.status == Status::Aborted;
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
            let again = calibration::again(logged, calls);
            let (found, expected) = (logged.to_json(), again.to_json());
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

    fn each_line(&mut self, each: &mut dyn FnMut(&mut Self, u64, &Cycle)) -> Result<(), Error> {
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
            Err(error) => return Err(Error::io(&path, "open the cycle log")(error)),
        };
        let mut reader = CycleReader::new(BufReader::new(file), &path);
        while let Some(read) = reader.next_line()? {
            let line = reader.line();
            match read {
                Line::Cycle(cycle) => each(self, line, &cycle),
                Line::Wrong(error) => {
                    let finding = Finding::wrong(RunDirectory::CYCLES, error.wrong);
                    self.found(finding.on_line(line));
                }
                Line::Torn(bytes) if self.replay.ended => {
                    let found = format!("{bytes} bytes without a line feed");
                    let finding = Finding::new(RunDirectory::CYCLES, "", found, "a whole line");
                    self.found(finding.on_line(line));
                }
                Line::Torn(bytes) => self.replay.notes.push(format!(
                    "{}:{line}: the last line is torn, {bytes} bytes without a line feed; it counts for nothing",
                    RunDirectory::CYCLES
                )),
            }
        }
        Ok(())
    }

    fn cycle(
        &mut self,
        log: &mut Log<'_>,
        line: u64,
        logged: &Cycle,
        prompts: &Prompts,
        frozen: &Frozen,
    ) {
        self.replay.cycles += 1;
        let before = self.replay.findings.len();
        let mut found = |field: &str, found: String, expected: String| {
            let finding = Finding::new(RunDirectory::CYCLES, field, found, expected);
            self.replay.findings.push(finding.in_cycle(line, logged));
        };
        let called = match (logged.ledger_seq, self.ledger.whole) {
            (None, _) => Called::Nothing,
            (Some(_), whole) => match log.calls.next() {
                Some(call) => Called::Yes(call),
                None if whole => Called::Nothing,
                None => Called::Unknown,
            },
        };
        let place = log.order.next();
        let (condition, cycle) = place.unwrap_or((logged.condition, logged.cycle));
        let grounds = Grounds {
            called,
            asked: prompts.asked(condition, cycle, line),
            constitution: &prompts.constitution,
            frozen,
            state: &log.state,
        };
        let (mut again, next) = cycle::again(logged, &grounds);
        (again.condition, again.cycle) = (condition, cycle);
        if place.is_none() {
            let expected = "none: the session, or every condition of it, has ended";
            found("", "a cycle".to_owned(), expected.to_owned());
        }
        again.number = line;
        differences(&logged.to_json(), &again.to_json(), "", &mut found);
        if let Some(last) = attempts(logged) {
            found(
                "attempts",
                last,
                "the last one without a fault, and those before with one".to_owned(),
            );
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

    /// Compares how the run ended with its cycles.
    fn end(&mut self, metadata: &Metadata, log: Log<'_>) {
        let left: Vec<&Observed> = log.calls.collect();
        self.unmatched += left.iter().filter(|call| kept(call)).count();
        let failed = left.first().is_some_and(|call| call.failure.is_some());
        let exhausted = log.last == Some(Rejection::BudgetExhaustedSession);
        let exited = log.state.ended;
        let conditions = log.order.end();
        self.replay.outcomes.clone_from(&conditions);
        let finished = |status| status != ConditionStatus::NotFinished;
        let complete = conditions
            .iter()
            .all(|condition| finished(condition.status));
        let Some(logged) = &metadata.outcome else {
            self.replay.notes.push(format!(
                "the run has no outcome: it was killed, or is still going on; {} cycles are there",
                self.replay.cycles
            ));
            if !left.is_empty() {
                self.replay.notes.push(format!(
                    "the ledger has {} calls behind the last cycle of the log",
                    left.len()
                ));
            }
            return;
        };
        let verdict = metadata
            .calibration
            .as_ref()
            .map(|calibration| calibration.verdict);
        let possible: &[Status] = match verdict {
            Some(CalibrationVerdict::Drift) => &[Status::ModelDriftDetected],
            Some(CalibrationVerdict::TransportFailure) => &[Status::TransportFailureAbort],
            _ if exited => &[Status::IntegrityRisk],
            _ if exhausted => &[Status::SessionBudgetExhausted],
            _ if failed => &[Status::TransportFailureAbort, Status::Aborted],
            _ if !left.is_empty() => &[Status::Aborted],
            _ if complete => &[Status::Complete],
            _ => &[Status::Interrupted, Status::Aborted],
        };
        let status = match possible {
            _ if possible.contains(&logged.status) => logged.status,
            [first, ..] => *first,
            [] => logged.status,
        };
        let again = Outcome {
            status,
            reason: logged.reason.clone(),
            conditions,
            cycles: self.replay.cycles,
            tokens_spent: log.spent,
        };
        if let Some(surplus) = left.get(1) {
            let field = format!("record {}", surplus.seq);
            let found = format!("{} calls without a cycle", left.len());
            self.found(Finding::new(
                RunDirectory::LEDGER,
                field,
                found,
                "one at most",
            ));
        }
        self.outcome(RunDirectory::METADATA, "outcome", logged, &again);
        if let Some(closing) = &self.ledger.closing {
            self.outcome(
                RunDirectory::LEDGER,
                "the end: outcome",
                &closing.outcome,
                logged,
            );
        }
    }

    fn outcome(&mut self, file: &str, field: &str, found: &Outcome, expected: &Outcome) {
        let (found, expected) = (found.to_json(), expected.to_json());
        differences(&found, &expected, field, &mut |field, found, expected| {
            self.replay
                .findings
                .push(Finding::new(file, field, found, expected));
        });
    }

    /// Names files that are missing, altered, or accounted for by nothing.
    fn files(&mut self, metadata: Option<&Metadata>) -> Result<(), Error> {
        let path = self.run.ledger();
        files::blobs(self.run, &path, &self.blobs, &mut self.replay.findings)?;
        let mut others = files::list(self.run)?;
        for name in [
            RunDirectory::LEDGER,
            RunDirectory::METADATA,
            RunDirectory::CYCLES,
        ] {
            others.remove(name);
        }
        for file in metadata
            .iter()
            .flat_map(|metadata| metadata.frozen.inputs())
        {
            others.remove(&format!("{}/{}", RunDirectory::INPUTS, file.name));
        }
        for name in files::blob_names(self.run, &path, &self.blobs) {
            others.remove(&name);
        }
        // An answer without a cycle was kept under a hash that only its blob says.
        let blobs = format!("{}.blobs/", RunDirectory::LEDGER);
        let spare: Vec<String> = others
            .iter()
            .filter(|name| name.starts_with(&blobs))
            .cloned()
            .collect();
        if spare.len() <= self.unmatched {
            others.retain(|name| !name.starts_with(&blobs));
        }
        if !self.replay.ended {
            let left = |name: &String| {
                name.ends_with(".tmp")
                    || *name == format!("{}.lock", RunDirectory::LEDGER)
                    // Blobs are there before the record that names them.
                    || name.strip_prefix(&blobs).is_some_and(files::is_blob)
            };
            for name in others.iter().filter(|name| left(name)) {
                let note = format!("{name}: left behind; it counts for nothing");
                self.replay.notes.push(note);
            }
            others.retain(|name| !left(name));
        }
        self.replay.others = others;
        Ok(())
    }
}

/// What goes on from cycle to cycle.
struct Log<'l> {
    order: Order,
    calls: std::slice::Iter<'l, Observed>,
    state: State,
    spent: u64,
    last: Option<Rejection>,
}

/// Whether an answer was kept as a blob, since the ledger could not have it.
fn kept(call: &Observed) -> bool {
    call.failure == Some(Failure::InvalidOutput)
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
