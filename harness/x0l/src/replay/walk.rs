//! The walk through the cycle log: each line is matched with its call in the ledger, recomputed and checked.

use std::io::{self, BufReader};

use axilog_ledger::error::FileError;
use axilog_ledger::file::regular_file;

use super::bindings::LoggedLine;
use super::check::check_cycle;
use super::cycle::{CallLookup, CycleInputs, choose_next_state, recompute_cycle};
use super::ledger::RecordedCall;
use super::prompts::PromptInputs;
use super::{CycleOrder, ReplayFinding, Replayer};
use crate::X0lError;
use crate::budget::Budget;
use crate::kernel::{KernelState, RejectionReason};
use crate::log::{Cycle, CycleReader, FrozenSettings, LogLine, RunDirectory};

/// What one cycle of a session hands to the next.
pub(super) struct SessionWalk<'l> {
    pub(super) order: CycleOrder,
    /// The calls in the ledger that no cycle has claimed yet.
    pub(super) calls: std::slice::Iter<'l, RecordedCall>,
    pub(super) state: KernelState,
    /// Tokens spent so far.
    pub(super) spent: u64,
    /// Whether a line could not be read.
    pub(super) lines_lost: bool,
    pub(super) last_rejection: Option<RejectionReason>,
    /// The lines that have no hash in the ledger.
    pub(super) unbound_lines: Vec<u64>,
    /// The sequence number of the last hash of a line.
    pub(super) last_bound: u64,
}

impl<'l> SessionWalk<'l> {
    pub(super) fn new(frozen: &FrozenSettings, calls: &'l [RecordedCall]) -> SessionWalk<'l> {
        SessionWalk {
            order: CycleOrder::new(frozen),
            calls: calls.iter(),
            state: KernelState::default(),
            spent: 0,
            lines_lost: false,
            last_rejection: None,
            unbound_lines: Vec::new(),
            last_bound: 0,
        }
    }
}

impl Replayer<'_> {
    /// Reads the cycle log and calls `on_line` with every whole line. A line that cannot be read has a
    /// finding, and `None` for its cycle.
    pub(super) fn read_cycle_log(
        &mut self,
        on_line: &mut dyn FnMut(&mut Self, LoggedLine<'_>),
    ) -> Result<(), X0lError> {
        let path = self.run.cycles();
        let file = match regular_file::open_for_reading(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // The log is created before the ledger records what is frozen.
                if self.ledger.opened || self.ledger.sealed {
                    let missing = ReplayFinding::missing(RunDirectory::CYCLES);
                    self.replay.findings.push(missing);
                }
                return Ok(());
            }
            Err(error) => return Err(FileError::from_io(&path, "open the cycle log")(error).into()),
        };
        let mut reader = CycleReader::new(BufReader::new(file), &path);
        while let Some(read) = reader.next_line()? {
            let line = reader.line();
            let logged = |cycle| LoggedLine {
                number: line,
                sha256: reader.line_hash(),
                cycle,
            };
            self.replay.lines += u64::from(!matches!(read, LogLine::Torn(_)));
            match &read {
                LogLine::Cycle(cycle) => on_line(self, logged(Some(cycle))),
                LogLine::Malformed(error) => {
                    let finding = ReplayFinding::unreadable(RunDirectory::CYCLES, error.error.clone());
                    self.replay.findings.push(finding.on_line(line));
                    on_line(self, logged(None));
                }
                LogLine::Torn(bytes) if self.replay.ended => {
                    let found = format!("{bytes} bytes without a line feed");
                    let finding =
                        ReplayFinding::new(RunDirectory::CYCLES, "", found, "a whole line");
                    self.replay.findings.push(finding.on_line(line));
                }
                LogLine::Torn(bytes) => self.replay.notes.push(format!(
                    "{}:{line}: the last line is torn, {bytes} bytes without a line feed; it counts for nothing",
                    RunDirectory::CYCLES
                )),
            }
        }
        Ok(())
    }

    /// Replays one line of the cycle log.
    pub(super) fn replay_line(
        &mut self,
        walk: &mut SessionWalk<'_>,
        line: &LoggedLine<'_>,
        prompts: Option<&PromptInputs>,
        frozen: &FrozenSettings,
    ) {
        match (line.cycle, prompts) {
            (Some(logged), Some(prompts)) => {
                self.replay_cycle(walk, line.number, logged, prompts, frozen);
            }
            (Some(logged), None) => walk.order.count_cycle(logged),
            (None, _) => {
                walk.order.count_unreadable_cycle();
                walk.lines_lost = true;
            }
        }
    }

    fn replay_cycle(
        &mut self,
        walk: &mut SessionWalk<'_>,
        line: u64,
        logged: &Cycle,
        prompts: &PromptInputs,
        frozen: &FrozenSettings,
    ) {
        self.replay.cycles += 1;
        let findings_before = self.replay.findings.len();
        let call = self.claim_call(walk, logged);
        let next_cycle = walk.order.next_cycle();
        let (condition, cycle) = next_cycle.unwrap_or((logged.condition, logged.cycle));
        let inputs = CycleInputs {
            call,
            prompt: prompts.render(condition, cycle, line),
            constitution: &prompts.constitution,
            blobs: &self.answers,
            field_names: prompts.field_names(),
            frozen,
            state: &walk.state,
            budget: Budget {
                spent: walk.spent,
                ..Budget::new(frozen)
            },
            lines_lost: walk.lines_lost,
        };
        let (mut recomputed, state) = recompute_cycle(logged, &inputs);
        (recomputed.condition, recomputed.cycle) = (condition, cycle);
        recomputed.number = line;
        if next_cycle.is_none() {
            let expected = "none: the session, or every condition of it, has ended";
            let finding = ReplayFinding::new(RunDirectory::CYCLES, "", "a cycle", expected);
            self.replay.findings.push(finding.in_cycle(line, logged));
        }
        check_cycle(
            logged,
            &recomputed,
            &inputs,
            line,
            &mut self.replay.findings,
        );
        if logged.ledger_seq.is_some() {
            walk.spent = walk.spent.saturating_add(logged.tokens());
        }
        self.note_fingerprint(logged);
        walk.last_rejection = logged.rejection_reason;
        walk.order.count_cycle(logged);
        walk.state = choose_next_state(logged, &walk.state, state);
        let differs = self.replay.findings.len() > findings_before;
        let counts = self.replay.conditions.entry(logged.condition).or_default();
        counts.0 += 1;
        counts.1 += u64::from(differs);
    }

    /// Takes the cycle's call from the ledger: the one that the cycle names, if it is still to come, else
    /// the next. Each call that is passed over has no cycle, which is a finding.
    fn claim_call<'l>(&mut self, walk: &mut SessionWalk<'l>, logged: &Cycle) -> CallLookup<'l> {
        let Some(seq) = logged.ledger_seq else {
            return CallLookup::Missing;
        };
        let named = walk
            .calls
            .as_slice()
            .iter()
            .position(|call| call.seq == seq);
        for call in walk.calls.by_ref().take(named.unwrap_or_default()) {
            let field = format!("record {}", call.seq);
            let expected = "none without a cycle";
            self.add_finding(RunDirectory::LEDGER, field, "a call", expected);
        }
        match walk.calls.next() {
            Some(call) => {
                self.check_call_follows(call.seq, walk.last_bound);
                CallLookup::Recorded(call)
            }
            None if self.ledger.intact => CallLookup::Missing,
            None => CallLookup::Unknown,
        }
    }
}
