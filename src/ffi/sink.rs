//! A C sink behind the core's trait. Emits no header.

use core::ffi::{CStr, c_char};

use super::audit::{ax_ledger_entry_t, ax_ledger_sink_t};
use crate::hash::Tag;
use crate::ledger::{Entry, LedgerSink, SinkFailed};

/// The sink of a C ledger; with NULL records are committed and not kept.
pub(super) struct CSink(*const ax_ledger_sink_t);

impl CSink {
    /// # Safety
    /// `sink` is NULL, or it and its `user` stay valid while the result is used.
    pub(super) unsafe fn new(sink: *const ax_ledger_sink_t) -> CSink {
        CSink(sink)
    }
}

impl LedgerSink for CSink {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        // SAFETY: valid by `new`'s contract; the entry lives until the callback returns.
        unsafe {
            let Some(sink) = self.0.as_ref() else {
                return Ok(());
            };
            let Some(append) = sink.append else {
                return Ok(());
            };
            match append(sink.user, &entry_of(entry)) {
                0 => Ok(()),
                _ => Err(SinkFailed),
            }
        }
    }
}

/// The entry as C sees it, borrowed from `entry`.
pub(super) fn entry_of(entry: &Entry<'_>) -> ax_ledger_entry_t {
    ax_ledger_entry_t {
        tag: tag_of(entry.tag),
        payload: entry.payload.as_ptr(),
        payload_len: entry.payload.len() as u64,
        sequence: entry.sequence,
        commit: entry.commit,
        chain: entry.chain,
    }
}

fn tag_of(tag: Tag) -> *const c_char {
    tag_text(tag).as_ptr()
}

pub(super) fn tag_text(tag: Tag) -> &'static CStr {
    match tag {
        Tag::Obs => c"AX:OBS:v1",
        Tag::Policy => c"AX:POLICY:v1",
        Tag::Trans => c"AX:TRANS:v1",
        Tag::State => c"AX:STATE:v1",
        Tag::Proof => c"AX:PROOF:v1",
    }
}
