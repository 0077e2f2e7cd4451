//! `axilog time`: records the time.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use axilog_ledger::session::Session;

use crate::Failure;
use crate::error::CommandError;
use crate::now;
use crate::output::Report;
use crate::output::decision;
use crate::read_named_policies;

const SECONDS_OF_A_DAY: u64 = 86_400;

/// Record the time, which policies on `elapsed` judge.
///
/// Without TIME the command records the clock's second, and waits for the next one where that is recorded already. A
/// TIME that lies more than --max-jump ahead of both the last one and the clock is refused with exit code 1, since no
/// earlier time could follow it. Exits 0 where no policy breached and the agent is not STOPPED. JSON: the fields of a
/// decision.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The time, after the last one; whole seconds since 1970 where absent.
    time: Option<u64>,
    /// The ledger file.
    #[arg(long, value_name = "FILE")]
    ledger: PathBuf,
    /// Record a time that is not after the last one too, which stops the agent, and one that jumps.
    #[arg(long)]
    force: bool,
    /// How far TIME may be ahead, in its unit; a day where that is seconds.
    #[arg(long, value_name = "N", default_value_t = SECONDS_OF_A_DAY)]
    max_jump: u64,
    /// The ledger's policies, where its configuration is not beside it.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let policies = read_named_policies(args.policies.as_deref())?;
    let mut session = Session::open(&args.ledger, policies.as_ref())?;
    let time = args
        .time
        .unwrap_or_else(|| wait_for_second_after(session.agent().last_timestamp));
    if !args.force {
        check_jump(&session, time, args.max_jump)?;
    }
    let decision = session.observe_time(time, args.force)?;
    Ok(decision::report(&session, &decision, false))
}

/// Refuses a time that jumps ahead of the last one and of the clock: it may be in another unit, and once it is recorded
/// no earlier one can follow.
fn check_jump(session: &Session, time: u64, max_jump: u64) -> Result<(), CommandError> {
    let (last, clock) = (session.agent().last_timestamp, now());
    if time.saturating_sub(last.max(clock)) <= max_jump {
        return Ok(());
    }
    Err(CommandError::TimeJump {
        path: session.path().to_owned(),
        given: time,
        last,
        clock,
        max_jump,
    })
}

/// The present second; where `last` is this second or the next one, as after a reset that follows at once, the
/// first second after it. A clock that is further back is nothing to wait for.
pub(crate) fn wait_for_second_after(last: u64) -> u64 {
    const LONGEST_WAIT: u64 = 1;
    loop {
        let present = now();
        if present > last || last - present > LONGEST_WAIT {
            return present;
        }
        thread::sleep(Duration::from_millis(20));
    }
}
