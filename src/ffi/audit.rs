//! `audit.h`: the ledger (formats.md §1 and §6; SRS-004 §12.3, §20).

use core::ffi::{c_char, c_int, c_void};

use super::pointer::{Flags, bytes, c_string};
use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault};
use crate::hash::Tag;
use crate::ledger::{Entry, Ledger};

/// One committed record. The entry that a sink receives belongs to the library and lives until the
/// sink's append returns.
#[repr(C)]
pub struct ax_ledger_entry_t {
    /// Tag of the record: one of the AX_TAG_ strings.
    pub tag: *const c_char,
    /// The canonical record, not NUL-terminated.
    pub payload: *const u8,
    /// Bytes of payload.
    pub payload_len: u64,
    /// Position in the ledger; the genesis is 0.
    pub sequence: u64,
    /// Commitment to tag and payload.
    pub commit: [u8; 32],
    /// The chain value with this record.
    pub chain: [u8; 32],
}

/// The receiver of committed records. The caller owns it; it must outlive the ledger it is set on.
#[repr(C)]
pub struct ax_ledger_sink_t {
    /// Function that stores one record before the ledger's head moves. It returns 0, or another number
    /// to fail the ledger for good, and calls no function on the same ledger or agent.
    pub append:
        Option<unsafe extern "C" fn(user: *mut c_void, entry: *const ax_ledger_entry_t) -> c_int>,
    /// Pointer that append receives, for the caller's use.
    pub user: *mut c_void,
}

/// The state of a chain. The caller owns it; ax_ledger_genesis or ax_ledger_resume makes it.
#[repr(C)]
pub struct ax_ledger_ctx_t {
    /// The chain value of the last record.
    pub current_hash: [u8; 32],
    /// The chain value of the genesis.
    pub genesis_hash: [u8; 32],
    /// Number of records after the genesis.
    pub sequence: u64,
    /// 1 where a record could not be stored: the ledger accepts nothing more; else 0.
    pub failed: u8,
    /// 1 where the ledger has a genesis, else 0.
    pub initialised: u8,
    /// 1 where a seal ended the ledger: the ledger accepts nothing more; else 0.
    pub sealed: u8,
    /// Padding; zero.
    pub _pad: [u8; 5],
    /// Sink that receives the records; NULL: none.
    pub sink: *const ax_ledger_sink_t,
}

impl ax_ledger_ctx_t {
    /// `None` for a ledger that was never initialised.
    pub(super) fn load(&self) -> Option<Ledger> {
        (self.initialised != 0).then_some(Ledger {
            head: self.current_hash,
            genesis: self.genesis_hash,
            sequence: self.sequence,
            failed: self.failed != 0,
            sealed: self.sealed != 0,
        })
    }

    /// Everything but the sink.
    pub(super) fn store(&mut self, ledger: &Ledger) {
        self.current_hash = ledger.head;
        self.genesis_hash = ledger.genesis;
        self.sequence = ledger.sequence;
        self.failed = u8::from(ledger.failed);
        self.initialised = 1;
        self.sealed = u8::from(ledger.sealed);
        self._pad = [0; 5];
    }
}

/// A record before it is committed.
#[repr(C)]
pub struct ax_evidence_t {
    /// Tag of the record: one of the AX_TAG_ strings.
    pub tag: *const c_char,
    /// The canonical record.
    pub payload: *const u8,
    /// Bytes of payload.
    pub payload_len: u64,
}

impl ax_evidence_t {
    /// # Safety
    /// The pointers are NULL or valid for `'a`.
    unsafe fn load<'a>(&self) -> Option<(Tag, &'a [u8])> {
        let len = usize::try_from(self.payload_len).ok()?;
        // SAFETY: by contract; no tag is longer than 12 bytes.
        unsafe {
            Some((
                Tag::parse(c_string(self.tag, 12)?)?,
                bytes(self.payload, len)?,
            ))
        }
    }
}

/// Makes a new chain that holds the golden genesis record and has no sink.
///
/// @param ctx Ledger to overwrite, owned by the caller.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_PROTOCOL ctx is NULL (flag domain).
/// @see SRS-004 §12.3; formats.md §1 and §5 (Lifecycle)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_genesis")]
pub unsafe extern "C" fn ax_ledger_genesis(
    ctx: *mut ax_ledger_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe { initialise(ctx, faults, || Some(Ledger::genesis())) }
}

/// Takes up a chain after its last record, without a sink.
///
/// @param ctx Ledger to overwrite, owned by the caller; untouched on failure.
/// @param head 32 bytes, borrowed for the call: the chain value of the last record.
/// @param sequence Position of the last record, the genesis being 0.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_PROTOCOL A pointer is NULL, or exactly one of these holds: sequence is 0; head
///     is the golden genesis (flag domain).
/// @see SRS-004 §12.3; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_resume")]
pub unsafe extern "C" fn ax_ledger_resume(
    ctx: *mut ax_ledger_ctx_t,
    head: *const [u8; 32],
    sequence: u64,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let head = unsafe { head.as_ref() };
    let resumed = || {
        head.map(|&head| Ledger::resume(head, sequence))
            .filter(Ledger::is_consistent)
    };
    // SAFETY: by contract.
    unsafe { initialise(ctx, faults, resumed) }
}

/// # Safety
/// As for the callers.
unsafe fn initialise(
    ctx: *mut ax_ledger_ctx_t,
    faults: *mut ct_fault_flags_t,
    ledger: impl FnOnce() -> Option<Ledger>,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    if ctx.is_null() {
        return flags.null();
    }
    let Some(ledger) = ledger() else {
        return flags.null();
    };
    // SAFETY: not NULL; zero is a valid value of every field.
    unsafe {
        ctx.write_bytes(0, 1);
        (*ctx).store(&ledger);
    }
    0
}

/// Sets where a ledger's records go; a sink never receives the genesis.
///
/// @param ctx Ledger that was made by ax_ledger_genesis, ax_ledger_resume or ax_agent_init.
/// @param sink Sink to keep, which must outlive ctx or be detached first; NULL detaches.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_LEDGER The ledger was never initialised (flag domain).
/// @retval AX_ERR_PROTOCOL ctx, or the sink's append, is NULL (flag domain).
/// @see SRS-004 §12.3; formats.md §6
///
/// @par Example
/// ```c
/// static int count_records(void *count, const ax_ledger_entry_t *entry)
/// {
///     *(uint64_t *)count = entry->sequence;
///     return 0;
/// }
///
/// int main(void)
/// {
///     uint64_t count = 0;
///     const ax_ledger_sink_t sink = { count_records, &count };
///     const uint8_t payload[] = { '{', '}' };
///     const ax_evidence_t evidence = { AX_TAG_PROOF, payload, sizeof payload };
///     ax_ledger_ctx_t ledger;
///     ct_fault_flags_t faults;
///
///     ct_fault_init(&faults);
///     ax_ledger_genesis(&ledger, &faults);
///     ax_ledger_set_sink(&ledger, &sink, &faults);
///     ax_ledger_record(&ledger, &evidence, &faults);
///     assert(count == 1 && !ct_fault_any(&faults));
///     return 0;
/// }
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_set_sink")]
pub unsafe extern "C" fn ax_ledger_set_sink(
    ctx: *mut ax_ledger_ctx_t,
    sink: *const ax_ledger_sink_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let (ctx, incomplete) = unsafe {
        (
            ctx.as_mut(),
            sink.as_ref().is_some_and(|sink| sink.append.is_none()),
        )
    };
    let Some(ctx) = ctx.filter(|_| !incomplete) else {
        return flags.null();
    };
    if ctx.initialised == 0 {
        flags.set(Fault::Domain);
        return Error::Ledger.code();
    }
    ctx.sink = sink;
    0
}

/// # Safety
/// `entry` is NULL or readable, its pointers too, for `'a`.
pub(super) unsafe fn load_entry<'a>(entry: *const ax_ledger_entry_t) -> Result<Entry<'a>, Error> {
    // SAFETY: by contract.
    let raw = unsafe { entry.as_ref() }.ok_or(Error::Protocol)?;
    let evidence = ax_evidence_t {
        tag: raw.tag,
        payload: raw.payload,
        payload_len: raw.payload_len,
    };
    // SAFETY: by contract.
    let (tag, payload) = unsafe { load_evidence(&raw const evidence) }?;
    let (commit, chain) = (raw.commit, raw.chain);
    Ok(Entry {
        tag,
        payload,
        sequence: raw.sequence,
        commit,
        chain,
    })
}

/// # Safety
/// `evidence` is NULL or readable, its pointers too, for `'a`.
pub(super) unsafe fn load_evidence<'a>(
    evidence: *const ax_evidence_t,
) -> Result<(Tag, &'a [u8]), Error> {
    // SAFETY: by contract.
    unsafe {
        let raw = evidence.as_ref().ok_or(Error::Protocol)?;
        if raw.tag.is_null() || (raw.payload.is_null() && raw.payload_len > 0) {
            return Err(Error::Protocol);
        }
        raw.load().ok_or(Error::Schema)
    }
}
