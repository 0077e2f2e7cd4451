//! `axilog time`: records the time.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use axilog_ledger::session::Session;

use super::output::Report;
use super::{Failure, decision, now, read_named_policies};

/// Record the time, which policies on `elapsed` judge.
///
/// Without TIME the command waits for the next second where the last time is this second's. Exits 0
/// where nothing breached and the agent is not STOPPED. JSON: the fields of a decision.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The time, after the last one; whole seconds since 1970 where absent.
    time: Option<u64>,
    /// The ledger file.
    #[arg(long, value_name = "FILE")]
    ledger: PathBuf,
    /// Record a time that is not after the last one too, which stops the agent.
    #[arg(long)]
    force: bool,
    /// The ledger's policies, where its configuration is not beside it.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let policies = read_named_policies(args.policies.as_deref())?;
    let mut session = Session::open(&args.ledger, policies.as_ref())?;
    let time = args
        .time
        .unwrap_or_else(|| wait_for_second_after(session.agent().last_timestamp));
    let decision = session.observe_time(time, args.force)?;
    Ok(decision::report(&session, &decision, false))
}

/// The present second; where `last` is this second or the next one, as after a reset that follows at once, the
/// first second behind it. A clock that is further back is nothing to wait for.
fn wait_for_second_after(last: u64) -> u64 {
    const LONGEST_WAIT: u64 = 1;
    loop {
        let present = now();
        if present > last || last - present > LONGEST_WAIT {
            return present;
        }
        thread::sleep(Duration::from_millis(20));
    }
}
