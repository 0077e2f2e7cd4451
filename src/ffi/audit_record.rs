//! `audit.h`, second part: committing records (formats.md §1 and §6; SRS-004 §12.3).

use core::ffi::c_int;

use super::audit::{ax_evidence_t, ax_ledger_ctx_t, load_evidence};
use super::pointer::{Flags, buffer, bytes, code};
use super::sink::CSink;
use super::types::ct_fault_flags_t;
use crate::evidence::proof::{MAX_RAW_RECORD_BYTES, RawAnswer};
use crate::fault::{Error, Fault, Faults};
use crate::hash::commit;
use crate::ledger::Ledger;
use crate::sink::{Buffer, shared};

/// Appends a commitment whose record the caller keeps; the sink is not called.
///
/// @param ctx Ledger to append to.
/// @param commit 32 bytes, borrowed for the call: the commitment of the record.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
///     ledger_fail), or was never initialised (flags domain and ledger_fail; it has then failed).
/// @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain).
/// @see SRS-004 §12.3; formats.md §1
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_append")]
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

/// Computes the commitment of a record whose tag is one of the closed set.
///
/// @param evidence Record to commit to, borrowed for the call.
/// @param out Receives the 32 bytes of the commitment, all zero on failure; may overlap the payload.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_SCHEMA The tag is not one of the closed set, or the payload is empty (flag domain).
/// @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain).
/// @see SRS-004 §20.2; formats.md §1
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_commit_evidence")]
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
    let commitment = unsafe { load_evidence(evidence) }.and_then(|(tag, payload)| {
        let has_record = !payload.is_empty();
        has_record
            .then(|| commit(tag.as_str().as_bytes(), payload))
            .ok_or(Error::Schema)
    });
    // SAFETY: not NULL.
    unsafe { out.write(commitment.unwrap_or([0; 32])) }
    if commitment.is_err() {
        flags.set(Fault::Domain);
    }
    code(commitment)
}

/// Commits a record: hands it to the ledger's sink, then moves the head of the chain.
///
/// @param ctx Ledger to append to, with a valid sink or none.
/// @param evidence Record to commit, borrowed for the call.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
///     ledger_fail), the sink refuses (flags io_error and ledger_fail; the ledger has failed for
///     good), or the ledger was never initialised (flags domain and ledger_fail; it has then failed).
///     The head stays.
/// @retval AX_ERR_SCHEMA The tag is not one of the closed set, or the payload is empty (flag domain).
/// @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain).
/// @see SRS-004 §12.3; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_record")]
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

/// Ends a ledger with an AX:PROOF:v1 seal, after which nothing can be appended.
///
/// @param ctx Ledger to seal, with a valid sink or none.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
///     ledger_fail), the sink refuses (flags io_error and ledger_fail; the ledger has failed for
///     good), or the ledger was never initialised (flags domain and ledger_fail; it has then failed).
///     The head stays.
/// @retval AX_ERR_PROTOCOL ctx is NULL (flag domain).
/// @see SRS-004 §20.2; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_seal")]
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

/// Writes the AX:PROOF:v1 record of kind RAW that binds the bytes of an answer, without a NUL.
///
/// ax_agent_observe records it unasked. A program that steps by itself records it with
/// ax_ledger_record right after an observation that does not hold the answer's bytes: one that is
/// ERROR / INVALID_OUTPUT, or that admission cut to TRUNCATED. After any other record it makes the
/// ledger REORDERED.
///
/// @param dst Receives the record; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst; AX_RAW_RECORD_MAX_BYTES always suffice.
/// @param ledger_seq Sequence of the observation.
/// @param raw Answer as it came, before any normalisation, borrowed for the call. NULL where len is 0.
/// @param len Bytes of raw.
/// @return Bytes written; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_PROTOCOL dst is NULL, or raw is NULL and len is not 0.
/// @see SRS-004 §5.6 and §9.4; formats.md §6 (Raw answers)
///
/// @par Example
/// ```c
/// uint8_t record[AX_RAW_RECORD_MAX_BYTES];
/// const uint8_t raw[] = { 0xff };
/// int written;
///
/// written = ax_raw_record(record, sizeof record, 5, raw, sizeof raw);
/// assert(written > 0 && memcmp(record, "{\"bytes\":1,\"kind\":\"RAW\",", 24) == 0);
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_raw_record")]
pub unsafe extern "C" fn ax_raw_record(
    dst: *mut u8,
    dst_size: usize,
    ledger_seq: u64,
    raw: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: by contract.
    let Some(raw) = (unsafe { bytes(raw, len) }) else {
        return Error::Protocol.code();
    };
    let raw = RawAnswer::of(ledger_seq, raw);
    // SAFETY: by contract.
    let Some(room) = (unsafe { buffer(dst, dst_size) }) else {
        return Error::Protocol.code();
    };
    let mut record = [0; MAX_RAW_RECORD_BYTES];
    let mut out = Buffer::new(&mut record);
    raw.write(shared(&mut out));
    let written = out.finish().and_then(|record| {
        room.get_mut(..record.len())?.copy_from_slice(record);
        c_int::try_from(record.len()).ok()
    });
    written.unwrap_or(Error::Buffer.code())
}

/// Checks that a ledger context agrees with itself; replay.h verifies records.
///
/// The context must be initialised and not failed, with the genesis as its head exactly while it
/// is empty.
///
/// @param ctx Ledger to check, borrowed for the call.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_LEDGER The context does not agree with itself (flag ledger_fail).
/// @retval AX_ERR_PROTOCOL ctx is NULL (flag domain).
/// @see SRS-004 §20.2; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_verify_chain")]
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
        flags.set(Fault::LedgerFail);
        // SAFETY: not NULL.
        unsafe { (*ctx).failed = 1 };
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
