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
//! | `attempts.rs` | the place among the attempts under a plan, and the corrections of this run |
//! | `bindings.rs` | the lines of the cycle log compared with their hashes in the ledger |
//! | `calibration.rs` | the calibration's verdict, recomputed from its answers |
//! | `run_replay.rs` | the result of a replay |
//! | `replayer.rs` | a replay in progress |
//! | `run_ledger.rs` | what replay keeps of the run's ledger |
//! | `walk.rs` | the walk through the cycle log |
//! | `session_walk.rs` | what one cycle hands to the next |
//! | `cycle.rs` | a cycle recomputed |
//! | `check.rs` | a cycle's record checked against the recomputed one |
//! | `noted_head.rs` | a head that the report has seen, looked for in its ledger |
//! | `order.rs` | which cycle follows which |
//! | `end.rs` | the outcome, recomputed from the cycles |
//! | `prompts.rs` | the prompt that each cycle should have sent |
//! | `fingerprint.rs` | the answers under another fingerprint than the calibration's |
//! | `sentinels.rs` | the sentinels, each in its place, and the drift that they show |
//! | `files.rs` | files that are missing, altered or too many |

mod attempts;
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
mod replayer;
mod run_ledger;
mod run_replay;
mod sentinels;
mod session_walk;
mod walk;

use std::io;

use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::blobs::BlobStore;

use super::log::{Cycle, FrozenSettings, RunDirectory, SessionMetadata};
use crate::error::X0lError;
use crate::frozen_code::{canonicalizer_hashes, kernel_hashes};
use attempts::{check_corrections, check_places};
use bindings::{check_all_bound, check_binding};
use calibration::check_calibration;
use end::check_outcome;
use fingerprint::{note_calibration_fingerprints, note_sentinel_fingerprints, report_fingerprints};
use prompts::{Inputs, PromptInputs};
use replayer::Replayer;
use session_walk::SessionWalk;
use walk::{read_cycle_log, replay_line};

pub(crate) use bindings::LoggedLine;
pub(crate) use compare::compare_json;
pub use finding::{CycleId, ReplayFinding};
pub use fingerprint::describe_changes;
pub use order::{CycleOrder, MOST_REFUSALS};
pub use run_replay::{ChangedFingerprint, ModelDrift, RunReplay, SentinelReplay};

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
        Some(metadata) => replay_session(&mut replayer, metadata, on_line)?,
        // Without the metadata nothing can be recomputed; the cycles are still read and counted.
        None => read_cycle_log(&mut replayer, &mut |_, line| on_line(&line))?,
    }
    files::check_files(&mut replayer, metadata.as_ref())?;
    check_corrections(&mut replayer)?;
    Ok(replayer.replay)
}

fn replay_session(
    replayer: &mut Replayer<'_>,
    metadata: &SessionMetadata,
    on_line: &mut dyn FnMut(&LoggedLine<'_>),
) -> Result<(), X0lError> {
    let frozen = &metadata.frozen;
    files::check_sealed_files(
        replayer.run,
        frozen,
        replayer.ledger,
        &mut replayer.replay.findings,
    )?;
    let mut inputs = Inputs::new();
    for file in frozen.inputs() {
        let bytes = files::read_input(replayer.run, file, &mut replayer.replay.findings)?;
        inputs.extend(bytes.map(|bytes| (file.name.clone(), bytes)));
    }
    let prompts = PromptInputs::read(frozen, &inputs, &mut replayer.replay.findings);
    note_versions(replayer, frozen);
    check_places(replayer, frozen);
    let calls = check_calibration(replayer, metadata);
    let calibration = metadata.calibration.as_ref();
    replayer.fingerprint = calibration.and_then(|found| found.system_fingerprint.clone());
    note_calibration_fingerprints(replayer, calls);
    let ledger = replayer.ledger;
    let (_, rest) = ledger.calls.split_at(calls.min(ledger.calls.len()));
    let mut walk = SessionWalk::new(frozen, rest);
    read_cycle_log(replayer, &mut |replayer, line| {
        replay_line(replayer, &mut walk, &line, prompts.as_ref(), frozen);
        check_binding(replayer, &mut walk, &line, frozen);
        on_line(&line);
    })?;
    check_all_bound(replayer, metadata, &walk.unbound_lines);
    note_sentinel_fingerprints(replayer);
    report_fingerprints(replayer);
    check_outcome(replayer, metadata, walk);
    Ok(())
}

/// Notes that the run was made by another version of the program. A difference that follows from that
/// is a finding all the same.
fn note_versions(replayer: &mut Replayer<'_>, frozen: &FrozenSettings) {
    let here = env!("CARGO_PKG_VERSION");
    if frozen.axilog != here {
        let note = format!(
            "the run was made by axilog {}, this is {here}",
            frozen.axilog
        );
        replayer.replay.notes.push(note);
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
            replayer.replay.notes.push(note);
        }
    }
}
