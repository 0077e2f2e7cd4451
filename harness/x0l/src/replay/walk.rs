//! The walk through the cycle log: each line is matched with its call in the ledger, recomputed and checked.

use std::io::{self, BufReader};

use axilog_ledger::error::FileError;
use axilog_ledger::file::regular_file;

use super::bindings::{LoggedLine, check_call_follows};
use super::check::check_cycle;
use super::cycle::{CallLookup, CycleInputs, choose_next_state, recompute_cycle};
use super::finding::ReplayFinding;
use super::fingerprint::note_fingerprint;
use super::prompts::PromptInputs;
use super::replayer::Replayer;
use super::session_walk::SessionWalk;
use crate::budget::Budget;
use crate::error::X0lError;
use crate::log::{Cycle, CycleReader, FrozenSettings, LogLine, RunDirectory};

/// Reads the cycle log and calls `on_line` with every whole line. A line that cannot be read has a
/// finding, and `None` for its cycle.
pub(super) fn read_cycle_log(
    replayer: &mut Replayer<'_>,
    on_line: &mut dyn FnMut(&mut Replayer<'_>, LoggedLine<'_>),
) -> Result<(), X0lError> {
    let path = replayer.run.cycles();
    let file = match regular_file::open_for_reading(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // The log is created before the ledger records what is frozen.
            if replayer.ledger.opened || replayer.ledger.sealed {
                let missing = ReplayFinding::missing(RunDirectory::CYCLES);
                replayer.replay.findings.push(missing);
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
        replayer.replay.lines += u64::from(!matches!(read, LogLine::Torn(_)));
        match &read {
            LogLine::Cycle(cycle) => on_line(replayer, logged(Some(cycle))),
            LogLine::Malformed(error) => {
                let finding = ReplayFinding::unreadable(RunDirectory::CYCLES, error.error.clone());
                replayer.replay.findings.push(finding.on_line(line));
                on_line(replayer, logged(None));
            }
            LogLine::Torn(bytes) if replayer.replay.ended => {
                let found = format!("{bytes} bytes without a line feed");
                let finding =
                    ReplayFinding::new(RunDirectory::CYCLES, "", found, "a whole line");
                replayer.replay.findings.push(finding.on_line(line));
            }
            LogLine::Torn(bytes) => replayer.replay.notes.push(format!(
                "{}:{line}: the last line is torn, {bytes} bytes without a line feed; it counts for nothing",
                RunDirectory::CYCLES
            )),
        }
    }
    Ok(())
}

/// Replays one line of the cycle log.
pub(super) fn replay_line(
    replayer: &mut Replayer<'_>,
    walk: &mut SessionWalk<'_>,
    line: &LoggedLine<'_>,
    prompts: Option<&PromptInputs>,
    frozen: &FrozenSettings,
) {
    match (line.cycle, prompts) {
        (Some(logged), Some(prompts)) => {
            replay_cycle(replayer, walk, line.number, logged, prompts, frozen);
        }
        (Some(logged), None) => walk.order.count_cycle(logged),
        (None, _) => {
            walk.order.count_unreadable_cycle();
            walk.lines_lost = true;
        }
    }
}

fn replay_cycle(
    replayer: &mut Replayer<'_>,
    walk: &mut SessionWalk<'_>,
    line: u64,
    logged: &Cycle,
    prompts: &PromptInputs,
    frozen: &FrozenSettings,
) {
    replayer.replay.cycles += 1;
    let findings_before = replayer.replay.findings.len();
    let call = claim_call(replayer, walk, logged);
    let next_cycle = walk.order.next_cycle();
    let (condition, cycle) = next_cycle.unwrap_or((logged.condition, logged.cycle));
    let inputs = CycleInputs {
        call,
        prompt: prompts.render(condition, cycle, line),
        constitution: &prompts.constitution,
        blobs: &replayer.answers,
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
        replayer
            .replay
            .findings
            .push(finding.in_cycle(line, logged));
    }
    check_cycle(
        logged,
        &recomputed,
        &inputs,
        line,
        &mut replayer.replay.findings,
    );
    if logged.ledger_seq.is_some() {
        walk.spent = walk.spent.saturating_add(logged.tokens());
    }
    note_fingerprint(replayer, logged);
    walk.last_rejection = logged.rejection_reason;
    walk.order.count_cycle(logged);
    walk.state = choose_next_state(logged, &walk.state, state);
    let differs = replayer.replay.findings.len() > findings_before;
    let counts = replayer
        .replay
        .conditions
        .entry(logged.condition)
        .or_default();
    counts.0 += 1;
    counts.1 += u64::from(differs);
}

/// Takes the cycle's call from the ledger: the one that the cycle names, if it is still to come, else
/// the next. Each call that is passed over has no cycle, which is a finding.
fn claim_call<'l>(
    replayer: &mut Replayer<'_>,
    walk: &mut SessionWalk<'l>,
    logged: &Cycle,
) -> CallLookup<'l> {
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
        replayer.add_finding(RunDirectory::LEDGER, field, "a call", expected);
    }
    match walk.calls.next() {
        Some(call) => {
            check_call_follows(replayer, call.seq, walk.last_bound);
            CallLookup::Recorded(call)
        }
        None if replayer.ledger.intact => CallLookup::Missing,
        None => CallLookup::Unknown,
    }
}
