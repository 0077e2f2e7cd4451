//! `audit.h`: the ledger (formats.md §1 and §6; SRS-004 §12.3, §20).

use core::ffi::{c_char, c_int, c_void};

use super::pointer::{Flags, bytes, c_string};
use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault};
use crate::hash::Tag;
use crate::ledger::{Entry, Ledger};

/// One committed record. In a sink's callback it is the library's and lives until the callback
/// returns.
#[repr(C)]
pub struct ax_ledger_entry_t {
    /// One of the AX_TAG_… strings.
    pub tag: *const c_char,
    /// The canonical record, not NUL-terminated.
    pub payload: *const u8,
    /// Bytes of payload.
    pub payload_len: u64,
    /// Position; the genesis is 0.
    pub sequence: u64,
    /// commit(tag, payload).
    pub commit: [u8; 32],
    /// The chain value with this record.
    pub chain: [u8; 32],
}

/// Where committed records go. Caller-owned; it must outlive the ledger it is set on.
#[repr(C)]
pub struct ax_ledger_sink_t {
    /// Stores one record, before the ledger's head moves. Returns 0, or anything else to fail the
    /// ledger for good. It must not call back into the same ledger or agent.
    pub append:
        Option<unsafe extern "C" fn(user: *mut c_void, entry: *const ax_ledger_entry_t) -> c_int>,
    /// Passed to append.
    pub user: *mut c_void,
}

/// The state of a chain. Caller-owned; made by ax_ledger_genesis or ax_ledger_resume.
#[repr(C)]
pub struct ax_ledger_ctx_t {
    /// The chain value of the last record.
    pub current_hash: [u8; 32],
    /// The chain value of the genesis.
    pub genesis_hash: [u8; 32],
    /// Records accepted after the genesis.
    pub sequence: u64,
    /// 1: a record could not be stored; nothing is accepted any more.
    pub failed: u8,
    /// 1: there is a genesis.
    pub initialised: u8,
    /// 1: a seal ended the ledger; nothing is accepted any more.
    pub sealed: u8,
    /// Zero.
    pub _pad: [u8; 5],
    /// Where records go; NULL: nowhere.
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
    /// One of the AX_TAG_… strings.
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
/// Returns AX_OK, or AX_ERR_PROTOCOL for a NULL (flag domain).
///
/// # Safety
/// ctx is NULL or writable; faults is NULL or a ct_fault_flags_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_ledger_genesis(
    ctx: *mut ax_ledger_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe { initialise(ctx, faults, || Some(Ledger::genesis())) }
}

/// Takes up a chain whose last record has chain value head and position sequence; without a sink.
///
/// Returns AX_OK, or AX_ERR_PROTOCOL for a NULL, or for a sequence of 0 with another head than the
/// golden genesis (flag domain).
///
/// # Safety
/// ctx is NULL or writable; head is NULL or 32 readable bytes; faults is NULL or a ct_fault_flags_t.
#[unsafe(no_mangle)]
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

/// Sets where records go; NULL detaches. A sink never receives the genesis.
///
/// Returns AX_OK, AX_ERR_LEDGER for a ledger that was never initialised, or AX_ERR_PROTOCOL for a
/// NULL ctx or a sink without append (flag domain).
///
/// # Safety
/// ctx is NULL or a ledger; sink is NULL or outlives it.
#[unsafe(no_mangle)]
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
