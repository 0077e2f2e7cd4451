//! The open ledgers of this process, by their handles. Emits no header.
//!
//! A handle is a number, never the address of anything, and none is given twice. So a handle that is closed is found to
//! be, in whichever thread; and a ledger that is closed while another thread's call runs lives until that call returns.

use std::collections::BTreeMap;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use axilog_ledger::session::Session;

use crate::error::HostError;
use crate::options::axh_ledger_t;

/// An open ledger. Its mutex queues the calls of several threads.
struct OpenLedger {
    /// `None` once it is closed.
    session: Mutex<Option<Session>>,
    path: Box<Path>,
    /// The process that opened it. A fork would write the same file with an agent of its own.
    process: u32,
}

struct OpenLedgers {
    by_number: BTreeMap<usize, Arc<OpenLedger>>,
    last_number: usize,
}

static OPEN: RwLock<OpenLedgers> = RwLock::new(OpenLedgers {
    by_number: BTreeMap::new(),
    last_number: 0,
});

const CLOSED: HostError = HostError::Handle {
    found: "a handle that is closed, or was never given",
};

/// Keeps an open ledger and gives its handle.
pub(crate) fn keep(session: Session) -> *mut axh_ledger_t {
    let ledger = Arc::new(OpenLedger {
        path: session.path().into(),
        session: Mutex::new(Some(session)),
        process: std::process::id(),
    });
    let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
    let number = open.last_number.saturating_add(1);
    open.last_number = number;
    open.by_number.insert(number, ledger);
    ptr::without_provenance_mut(number)
}

/// Calls `act` with the ledger, once the calls before it have returned.
pub(crate) fn with_session<T>(
    handle: *const axh_ledger_t,
    act: impl FnOnce(&mut Session) -> Result<T, HostError>,
) -> Result<T, HostError> {
    let ledger = find(handle)?;
    let Ok(mut session) = ledger.session.lock() else {
        return Err(HostError::Defect(
            "an earlier call panicked in the middle of a step".to_owned(),
        ));
    };
    act(session.as_mut().ok_or(CLOSED)?)
}

/// Syncs the ledger and closes it, once the calls before have returned. The handle is closed whatever the result.
pub(crate) fn close(handle: *const axh_ledger_t) -> Result<(), HostError> {
    find(handle)?;
    let removed = {
        let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
        open.by_number.remove(&handle.addr())
    };
    // Another thread may have closed it since.
    let ledger = removed.ok_or(CLOSED)?;
    let mut session = ledger
        .session
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let mut session = session.take().ok_or(CLOSED)?;
    session.sync()?;
    Ok(())
}

fn find(handle: *const axh_ledger_t) -> Result<Arc<OpenLedger>, HostError> {
    if handle.is_null() {
        return Err(HostError::Handle { found: "NULL" });
    }
    let open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    let ledger = open.by_number.get(&handle.addr()).ok_or(CLOSED)?;
    if ledger.process != std::process::id() {
        return Err(HostError::Forked {
            path: ledger.path.clone(),
            process: ledger.process,
        });
    }
    Ok(ledger.clone())
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
        let seal = || run(|| with_session(handle, |session| Ok(session.seal()?)));

        let panicked = run(|| with_session(handle, |_| panic!("in the middle of a step")));
        assert_eq!(panicked, AXH_ERR_DEFECT);
        assert_eq!(seal(), AXH_ERR_DEFECT);
        assert_eq!(run(|| close(handle)), AXH_OK);
        assert_eq!(seal(), AXH_ERR_HANDLE);
        Session::open(&path, None).unwrap().seal().unwrap();
    }
}
