//! The open ledgers of this process. Emits no header.

use std::path::Path;
use std::ptr;

use axilog_ledger::decision::StepDecision;
use axilog_ledger::error::LedgerError;
use axilog_ledger::session::shared::{SharedSession, SharedSessionError};
use axilog_ledger::session::{OracleCall, OracleReply, Session};

use crate::decision::axh_decision_t;
use crate::error::{HandleOf, HostError};
use crate::handle::OpenValues;
use crate::last_decision::give_decision;
use crate::options::axh_ledger_t;
use crate::pointer::Output;

static OPEN: OpenValues<SharedSession> = OpenValues::new(HandleOf {
    what: "ledger",
    given_by: "axh_ledger_create or axh_ledger_open",
});

/// Keeps an open ledger and gives its handle.
pub(crate) fn keep(session: Session) -> *mut axh_ledger_t {
    let path = session.path().to_owned();
    ptr::without_provenance_mut(OPEN.keep(&path, SharedSession::new(session)))
}

/// Records a reply, in turn with the calls of other threads, and gives the decision when it is durable.
pub(crate) fn observe(
    handle: *const axh_ledger_t,
    call: &OracleCall,
    reply: OracleReply<'_>,
    out: Option<Output<axh_decision_t>>,
) -> Result<(), HostError> {
    let ledger = OPEN.find(handle.addr())?;
    let decision = ledger.value.observe(call, reply).map_err(to_host_error)?;
    give_decision(out, &ledger.path, decision);
    Ok(())
}

/// Runs a step that is decided on, in turn with the calls of other threads, and gives the decision when it is durable.
pub(crate) fn decide(
    handle: *const axh_ledger_t,
    out: Option<Output<axh_decision_t>>,
    act: impl FnOnce(&mut Session) -> Result<StepDecision, LedgerError>,
) -> Result<(), HostError> {
    let ledger = OPEN.find(handle.addr())?;
    let decision = ledger.value.step(act).map_err(to_host_error)?;
    give_decision(out, &ledger.path, decision);
    Ok(())
}

/// Runs a step of the ledger, in turn with the calls of other threads, and returns when it is durable.
pub(crate) fn step<T>(
    handle: *const axh_ledger_t,
    act: impl FnOnce(&mut Session) -> Result<T, LedgerError>,
) -> Result<T, HostError> {
    let ledger = OPEN.find(handle.addr())?;
    ledger.value.step(act).map_err(to_host_error)
}

/// Calls `act` with the ledger, between two steps.
pub(crate) fn ask<T>(
    handle: *const axh_ledger_t,
    act: impl FnOnce(&mut Session) -> T,
) -> Result<T, HostError> {
    let ledger = OPEN.find(handle.addr())?;
    let asked = ledger.value.ask(|session| Ok(act(session)));
    asked.map_err(to_host_error)
}

/// Calls `act` with the ledger and its path; `act` makes steps of its own, in turn with the calls of other threads.
pub(crate) fn share<T>(
    handle: *const axh_ledger_t,
    act: impl FnOnce(&SharedSession, &Path) -> Result<T, SharedSessionError>,
) -> Result<T, HostError> {
    let ledger = OPEN.find(handle.addr())?;
    act(&ledger.value, &ledger.path).map_err(to_host_error)
}

/// Syncs the ledger and closes it, once the calls before have returned. The handle is closed whatever the result.
pub(crate) fn close(handle: *const axh_ledger_t) -> Result<(), HostError> {
    let ledger = OPEN.remove(handle.addr())?;
    ledger.value.close().map_err(to_host_error)
}

fn to_host_error(error: SharedSessionError) -> HostError {
    match error {
        SharedSessionError::Ledger(error) => error.into(),
        SharedSessionError::Closed => OPEN.closed(),
        SharedSessionError::Panicked => {
            HostError::Defect("an earlier call panicked in the middle of a step".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use axilog_ledger::rules::RuleSet;

    use super::*;
    use crate::boundary::run;
    use crate::status::{AXH_ERR_DEFECT, AXH_ERR_HANDLE, AXH_OK};

    #[test]
    fn a_panic_in_a_step_ends_the_handle_and_leaves_the_ledger_to_be_opened_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger.jsonl");
        let rules = RuleSet::without_policies().unwrap();
        let (session, _) = Session::create(&path, rules, 1).unwrap();
        let handle = keep(session);
        let seal = || run(|| step(handle, Session::seal));

        let panicked = run(|| step(handle, |_| panic!("in the middle of a step")));
        assert_eq!(panicked, AXH_ERR_DEFECT);
        assert_eq!(seal(), AXH_ERR_DEFECT);
        assert_eq!(run(|| close(handle)), AXH_OK);
        assert_eq!(seal(), AXH_ERR_HANDLE);
        Session::open(&path, None).unwrap().seal().unwrap();
    }
}
