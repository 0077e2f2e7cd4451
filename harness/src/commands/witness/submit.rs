//! `axilog witness submit`: has witnesses sign a checkpoint.

use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use axilog_checkpoints::{WitnessOutcome, submit_checkpoint};
use axilog_heads::{Checkpoint, WitnessPolicy};
use humantime::format_rfc3339_seconds;
use serde::Serialize;

use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;
use crate::output::table;
use crate::replay_ledger::open_regular_file;

/// The last second of the year 9999, after which RFC 3339 has no dates.
const LAST_DATE: u64 = 253_402_300_799;

/// Have the witnesses of a policy sign a checkpoint, and add their signatures to it.
///
/// Each witness gets the proof from the head that it signed last. One that is away holds up no other. OK: those who have
/// signed are enough.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The checkpoint, to which the signatures are added.
    checkpoint: PathBuf,
    /// The ledger, from which the proofs are made.
    #[arg(long, value_name = "FILE")]
    ledger: PathBuf,
    /// The witnesses, and how many of them are enough (C2SP tlog-policy).
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// The seconds that a witness has for each answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

/// A checkpoint that witnesses were asked to sign.
#[derive(Serialize)]
struct SubmitResult<'a> {
    checkpoint: String,
    origin: &'a str,
    size: u64,
    /// Whether those who have signed are enough.
    ok: bool,
    witnesses: Vec<AskedWitness<'a>>,
}

/// A witness, with the time of its signature in seconds since 1970, or the reason why it gave none.
#[derive(Serialize)]
struct AskedWitness<'a> {
    name: &'a str,
    time: Option<u64>,
    reason: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<Report, Failure> {
    let policy = WitnessPolicy::read(&args.policy)?;
    let mut checkpoint = Checkpoint::read(&args.checkpoint)?;
    let mut ledger = open_regular_file(&args.ledger)?;
    let time_limit = Duration::from_secs(args.timeout);
    let outcomes = submit_checkpoint(
        &mut ledger,
        &args.ledger,
        &mut checkpoint,
        &policy,
        time_limit,
    )?;
    if outcomes.iter().any(|outcome| outcome.signed.is_ok()) {
        keep(args, &checkpoint)?;
    }
    Ok(report(args, &checkpoint, &policy, &outcomes))
}

/// Writes the checkpoint with its signatures, unless that of another head has taken its place meanwhile.
fn keep(args: &Args, checkpoint: &Checkpoint) -> Result<(), CommandError> {
    let now = Checkpoint::read(&args.checkpoint)?;
    let is_same = (now.size(), now.root()) == (checkpoint.size(), checkpoint.root());
    match is_same && now.origin() == checkpoint.origin() {
        true => Ok(checkpoint.write(&args.checkpoint)?),
        false => Err(CommandError::CheckpointReplaced(args.checkpoint.clone())),
    }
}

fn report(
    args: &Args,
    checkpoint: &Checkpoint,
    policy: &WitnessPolicy,
    outcomes: &[WitnessOutcome],
) -> Report {
    // Signatures from before count too.
    let quorum = policy.check(checkpoint);
    let path = args.checkpoint.display().to_string();
    let verdict = if quorum.is_reached { "OK" } else { "FAILED" };
    let mut rows = vec![
        (verdict, path.clone()),
        ("origin", checkpoint.origin().to_owned()),
        ("records", checkpoint.size().to_string()),
        ("witnesses", quorum.to_string()),
    ];
    let mut witnesses = Vec::new();
    for WitnessOutcome { name, signed } in outcomes {
        let (row, time, reason) = match signed {
            Ok(time) => {
                let row = format!("{name} signed at {}", format_time(*time));
                (row, Some(*time), None)
            }
            Err(reason) => {
                let reason = reason.to_string();
                (format!("{name}: {reason}"), None, Some(reason))
            }
        };
        rows.push(("asked", row));
        witnesses.push(AskedWitness { name, time, reason });
    }
    let result = SubmitResult {
        checkpoint: path,
        origin: checkpoint.origin(),
        size: checkpoint.size(),
        ok: quorum.is_reached,
        witnesses,
    };
    Report::new(quorum.is_reached, table::format_pairs(&rows), &result)
}

/// A time in seconds since 1970, as a date where it is one. A witness may sign with any.
fn format_time(seconds: u64) -> String {
    match seconds <= LAST_DATE {
        true => format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string(),
        false => format!("{seconds} seconds after 1970 began"),
    }
}
