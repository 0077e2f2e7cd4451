//! `audit.h`, second part: committing records (formats.md §1 and §6; SRS-004 §12.3).

use core::ffi::c_int;

use super::audit::{ax_evidence_t, ax_ledger_ctx_t, load_evidence};
use super::pointer::{Flags, code};
use super::sink::CSink;
use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault, Faults};
use crate::hash::commit;
use crate::ledger::Ledger;

/// Chains a commitment whose record the caller keeps; the sink is not called.
///
/// Returns AX_OK, AX_ERR_LEDGER for a ledger that is failed, sealed or at UINT64_MAX (flag
/// ledger_fail) or was never initialised (flag domain), or AX_ERR_PROTOCOL for a NULL (flag domain).
///
/// # Safety
/// ctx is NULL or a ledger; commit is NULL or 32 readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_ledger_append(
    ctx: *mut ax_ledger_ctx_t,
    commit: *const [u8; 32],
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let commit = unsafe { commit.as_ref() };
    // SAFETY: by contract.
    unsafe {
        with_ledger(ctx, faults, |ledger, _, faults| {
            ledger.append_commit(*commit.ok_or(Error::Protocol)?, faults)
        })
    }
}

/// Computes the commitment of a record whose tag must be one of the closed set.
///
/// Returns AX_OK, or AX_ERR_PROTOCOL for a NULL and AX_ERR_SCHEMA for another tag (flag domain; out
/// is zeroed).
///
/// # Safety
/// evidence is NULL or readable, its pointers too; out is NULL or 32 writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_commit_evidence(
    evidence: *const ax_evidence_t,
    out: *mut [u8; 32],
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    if out.is_null() {
        return flags.null();
    }
    // SAFETY: by contract.
    let commitment = unsafe { load_evidence(evidence) }
        .map(|(tag, payload)| commit(tag.as_str().as_bytes(), payload));
    // SAFETY: not NULL.
    unsafe { out.write(commitment.unwrap_or([0; 32])) }
    if commitment.is_err() {
        flags.set(Fault::Domain);
    }
    code(commitment)
}

/// Commits a record: hands it to the sink, then moves the head.
///
/// Returns AX_OK; AX_ERR_LEDGER as ax_ledger_append, and where the sink refuses (flags io_error,
/// ledger_fail; the ledger has failed for good and its head stays); AX_ERR_SCHEMA for a tag outside
/// the closed set and AX_ERR_PROTOCOL for a NULL (flag domain).
///
/// # Safety
/// ctx is NULL or a ledger with a valid sink; evidence is NULL or readable, its pointers too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_ledger_record(
    ctx: *mut ax_ledger_ctx_t,
    evidence: *const ax_evidence_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let evidence = unsafe { load_evidence(evidence) };
    // SAFETY: by contract.
    unsafe {
        with_ledger(ctx, faults, |ledger, sink, faults| {
            let (tag, payload) = evidence?;
            ledger.record(tag, payload, sink, faults)
        })
    }
}

/// Ends the ledger with an AX:PROOF:v1 seal. Nothing can be appended behind it.
///
/// Returns as ax_ledger_record.
///
/// # Safety
/// ctx is NULL or a ledger with a valid sink.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_ledger_seal(
    ctx: *mut ax_ledger_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        with_ledger(ctx, faults, |ledger, sink, faults| {
            ledger.seal(sink, faults)
        })
    }
}

/// Whether the context agrees with itself: initialised, golden genesis, not failed, and a head equal
/// to the genesis exactly while the ledger is empty. Says nothing of records; that is replay.h.
///
/// Returns AX_OK, AX_ERR_LEDGER (flag ledger_fail), or AX_ERR_PROTOCOL for a NULL (flag domain).
///
/// # Safety
/// ctx is NULL or readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_verify_chain(
    ctx: *const ax_ledger_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let Some(ctx) = (unsafe { ctx.as_ref() }) else {
        return flags.null();
    };
    if ctx.load().is_some_and(|ledger| ledger.is_consistent()) {
        return 0;
    }
    flags.set(Fault::LedgerFail);
    Error::Ledger.code()
}

/// Takes the ledger out of its context, lets `change` at it, puts it back.
///
/// # Safety
/// As for the callers.
unsafe fn with_ledger(
    ctx: *mut ax_ledger_ctx_t,
    faults: *mut ct_fault_flags_t,
    change: impl FnOnce(&mut Ledger, &mut CSink, &mut Faults) -> Result<(), Error>,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    if ctx.is_null() {
        return flags.null();
    }
    // SAFETY: not NULL. The reference ends before the sink's callback may look at the context.
    let (ledger, sink) = unsafe { ((*ctx).load(), (*ctx).sink) };
    let Some(mut ledger) = ledger else {
        flags.set(Fault::Domain);
        return Error::Ledger.code();
    };
    let mut raised = Faults::NONE;
    // SAFETY: the context's sink is valid by contract.
    let result = change(&mut ledger, &mut unsafe { CSink::new(sink) }, &mut raised);
    // SAFETY: not NULL.
    unsafe { (*ctx).store(&ledger) };
    flags.raise(raised);
    if matches!(result, Err(Error::Protocol | Error::Schema)) {
        flags.set(Fault::Domain);
    }
    code(result)
}
