//! The ledger of deployed rigs: another number than 1 in `initialised` is no genesis, a failure is told by
//! `ledger_fail` alone, and what a call has no reason to change stays as it is, down to the padding.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use crate::agent::state::Violation;
use crate::fault::{Error, Fault, Faults};
use crate::ffi::agent::{ax_agent_bind, ax_agent_ctx_t, ax_health_state_t, violation_of};
use crate::ffi::audit::ax_ledger_ctx_t;
use crate::ffi::pointer::Flags;
use crate::ffi::types::ct_fault_flags_t;
use crate::ledger::Ledger;

/// A ledger that has its genesis.
pub(super) fn load(raw: &ax_ledger_ctx_t) -> Option<Ledger> {
    raw.load().filter(|_| raw.initialised == 1)
}

/// Tells a failure, and fails the ledger for good.
fn fail(raw: &mut ax_ledger_ctx_t, flags: Flags) -> c_int {
    flags.set(Fault::LedgerFail);
    if raw.failed == 0 {
        raw.failed = 1;
    }
    Error::Ledger.code()
}

/// Appends a commitment whose record the caller keeps.
///
/// # Safety
/// `ctx` is NULL or a ledger; `commit` is NULL or 32 bytes; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_ledger_append")]
pub unsafe extern "C" fn ax_compat_ledger_append(
    ctx: *mut ax_ledger_ctx_t,
    commit: *const [u8; 32],
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        let Some(flags) = Flags::new(faults) else {
            return Error::Protocol.code();
        };
        let (Some(raw), Some(commit)) = (ctx.as_mut(), commit.as_ref()) else {
            return flags.null();
        };
        let Some(mut ledger) = load(raw) else {
            return fail(raw, flags);
        };
        if let Err(error) = ledger.append_commit(*commit, &mut Faults::default()) {
            flags.set(Fault::LedgerFail);
            // A sealed ledger stays sealed and whole.
            return match ledger.failed {
                true => fail(raw, flags),
                false => error.code(),
            };
        }
        raw.current_hash = ledger.head;
        raw.sequence = ledger.sequence;
        0
    }
}

/// Checks the ledger's state; one that is not consistent fails for good.
///
/// # Safety
/// `ctx` is NULL or a ledger; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_verify_chain")]
pub unsafe extern "C" fn ax_compat_verify_chain(
    ctx: *mut ax_ledger_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        let Some(flags) = Flags::new(faults) else {
            return Error::Protocol.code();
        };
        let Some(raw) = ctx.as_mut() else {
            return flags.null();
        };
        match load(raw).is_some_and(|ledger| ledger.is_consistent()) {
            true => 0,
            false => fail(raw, flags),
        }
    }
}

/// Compares the genesis of an agent's ledger with the golden one, and stops the agent where they differ or where it
/// has none.
///
/// # Safety
/// `ctx` is NULL or an agent; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_agent_bind")]
pub unsafe extern "C" fn ax_compat_agent_bind(
    ctx: *mut ax_agent_ctx_t,
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: by contract.
    unsafe {
        match (Flags::new(faults), ctx.as_mut()) {
            (Some(flags), Some(agent)) if agent.ledger.initialised > 1 => {
                flags.set(Fault::Domain);
                agent.health = MaybeUninit::new(ax_health_state_t::AX_HEALTH_STOPPED);
                agent.violation = MaybeUninit::new(violation_of(Some(Violation::GenesisMismatch)));
            }
            _ => ax_agent_bind(ctx, faults),
        }
    }
}
