//! The lines of the cycle log, compared with the hashes that the ledger bound as each cycle ended.
//!
//! Where the raw answer, the decision and the ids follow from other records, usage, attempts and the server's
//! names are in the log alone. The ledger binds the line before the next call, so that none of it can be
//! rewritten afterwards.

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;

use super::finding::ReplayFinding;
use super::replayer::Replayer;
use super::run_ledger::CycleBinding;
use super::session_walk::SessionWalk;
use crate::document;
use crate::log::{Cycle, CycleStatement, FrozenSettings, RunDirectory, RunFormat, SessionMetadata};

/// A line of the cycle log, and the cycle in it; `None` where the line cannot be read.
pub(crate) struct LoggedLine<'c> {
    pub(crate) number: u64,
    pub(crate) sha256: Hash,
    pub(crate) cycle: Option<&'c Cycle>,
}

/// Reads the statement that binds the line `number`, or describes what is there instead.
pub(super) fn read_binding(seq: u64, text: &str, number: u64) -> Result<CycleBinding, String> {
    match document::read::<CycleStatement>(text.as_bytes()) {
        Ok(line) if line.cycle == number => Ok(CycleBinding {
            seq,
            sha256: line.sha256,
        }),
        Ok(line) => Err(format!("the hash of line {}", line.cycle)),
        Err(error) => Err(error.to_string()),
    }
}

/// The line's hash in the ledger.
fn binding(replayer: &Replayer<'_>, line: u64) -> Option<CycleBinding> {
    let index = usize::try_from(line.checked_sub(1)?).ok()?;
    replayer.ledger.bindings.get(index).copied()
}

/// Compares a line with its hash in the ledger, which must follow the cycle's call.
pub(super) fn check_binding(
    replayer: &mut Replayer<'_>,
    walk: &mut SessionWalk<'_>,
    line: &LoggedLine<'_>,
    frozen: &FrozenSettings,
) {
    if frozen.format == RunFormat::V1 {
        return;
    }
    let Some(binding) = binding(replayer, line.number) else {
        walk.unbound_lines.push(line.number);
        return;
    };
    if binding.sha256 != line.sha256 {
        let (found, bound) = (hex(&line.sha256), hex(&binding.sha256));
        let expected = format!("{bound}, as record {} of the ledger has it", binding.seq);
        let finding = ReplayFinding::new(RunDirectory::CYCLES, "its SHA-256", found, expected);
        replayer.replay.findings.push(match line.cycle {
            Some(cycle) => finding.in_cycle(line.number, cycle),
            None => finding.on_line(line.number),
        });
    }
    let call = line.cycle.and_then(|cycle| cycle.ledger_seq);
    if call.is_some_and(|call| call > binding.seq) {
        let field = format!("record {}", binding.seq);
        let found = format!("the hash of line {} before its call", line.number);
        replayer.add_finding(RunDirectory::LEDGER, field, found, "it after the call");
    }
    walk.last_bound = binding.seq;
}

/// Adds a finding for a call that the ledger has before the end of an earlier cycle.
pub(super) fn check_call_follows(replayer: &mut Replayer<'_>, call: u64, last_bound: u64) {
    if call < last_bound {
        let found = "a call before the earlier cycle had its hash";
        let expected = format!("it after record {last_bound}");
        replayer.add_finding(
            RunDirectory::LEDGER,
            format!("record {call}"),
            found,
            expected,
        );
    }
}

/// Checks that every line of the log has a hash in the ledger and every hash a line. A run that was
/// killed may have a last line whose hash it did not come to record.
pub(super) fn check_all_bound(
    replayer: &mut Replayer<'_>,
    metadata: &SessionMetadata,
    unbound: &[u64],
) {
    if metadata.frozen.format == RunFormat::V1 {
        replayer.replay.notes.push(
            "the run's format is X0L:RUN:v1: its ledger does not bind the cycles as they ended, so the session cannot close positive"
                .to_owned(),
        );
        return;
    }
    let bound = replayer.ledger.bindings.len() as u64;
    let lines = replayer.replay.lines;
    for number in lines.saturating_add(1)..=bound {
        let field = format!("line {number}");
        let expected = "the line whose hash the ledger has";
        replayer.add_finding(RunDirectory::CYCLES, field, "no such line", expected);
    }
    match unbound {
        _ if !replayer.ledger.intact => {}
        [last] if *last == lines && metadata.outcome.is_none() && !replayer.replay.ended => {
            replayer.replay.notes.push(format!(
                "{}:{last}: the ledger has no hash of the last line: the run was killed before it was recorded",
                RunDirectory::CYCLES
            ));
        }
        unbound => {
            for line in unbound {
                let expected = "one, recorded as the cycle ended";
                let found = "no hash of it in the ledger";
                let finding =
                    ReplayFinding::new(RunDirectory::CYCLES, "its SHA-256", found, expected);
                replayer.replay.findings.push(finding.on_line(*line));
            }
        }
    }
}
