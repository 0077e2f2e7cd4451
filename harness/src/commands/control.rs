//! `axilog control`: records a control input.

use std::path::PathBuf;

use axilog::agent::state::InputClass;
use axilog_ledger::session::Session;
use clap::ValueEnum;

use crate::Failure;
use crate::output::Report;
use crate::output::decision;
use crate::read_named_policies;

/// Record a control input, which comes from an operator or the machine and not from an oracle.
///
/// Exits 0 unless the agent is STOPPED. JSON: the fields of a decision.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The control input to record.
    input: Control,
    /// The ledger file.
    #[arg(long, value_name = "FILE")]
    ledger: PathBuf,
    /// The ledger's policies, where its configuration is not beside it.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Control {
    /// RESET_REQUEST: from DEGRADED back to INIT; the time must follow.
    Reset,
    /// POLICY_TRIGGER: an alarm was handled, ALARM becomes DEGRADED.
    Mitigate,
    /// FAULT_SIGNAL: the machine has a fault, and too many stop the agent.
    Fault,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let policies = read_named_policies(args.policies.as_deref())?;
    let mut session = Session::open(&args.ledger, policies.as_ref())?;
    let decision = session.observe_control(match args.input {
        Control::Reset => InputClass::ResetRequest,
        Control::Mitigate => InputClass::PolicyTrigger,
        Control::Fault => InputClass::FaultSignal,
    })?;
    Ok(decision::report(&session, &decision, false))
}
