//! The record of a policy as the deployed code writes it: for rigs that are compiled with
//! `AXILOG_COMPAT_AS_DEPLOYED`.

use core::ffi::{c_char, c_int};

use super::policy::{ax_compat_policy_record_t, refuse};
use crate::ffi::pointer::{ClosureSink, Flags, c_string, enum_value, write_text};
use crate::ffi::policy::ax_policy_err_t::{
    AX_POLICY_ERR_INVALID_ID, AX_POLICY_ERR_NULL_INPUT, AX_POLICY_ERR_SERIALISE,
};
use crate::ffi::types::ct_fault_flags_t;
use crate::json::writer;
use crate::sink::{Sink, shared};

/// The most bytes of an identity that are read; a longer one fits into no record of a ledger.
const MAX_ID_BYTES: usize = 65_536;

/// Writes a policy's record without `obs_ledger_seq`, whatever its identity and its result.
///
/// # Safety
/// As for `ax_compat_policy_serialize`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_policy_serialize")]
pub unsafe extern "C" fn ax_compat_raw_policy_serialize(
    buf: *mut c_char,
    size: usize,
    record: *const ax_compat_policy_record_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        let error = match record.as_ref().filter(|_| !buf.is_null() && size > 0) {
            None => AX_POLICY_ERR_NULL_INPUT,
            Some(record) => match c_string(record.policy_id, MAX_ID_BYTES) {
                None => AX_POLICY_ERR_INVALID_ID,
                Some(id) => {
                    let written = write_text(buf, size, |put| {
                        write(record, id, shared(&mut ClosureSink(put)));
                    });
                    if written >= 0 {
                        return written;
                    }
                    AX_POLICY_ERR_SERIALISE
                }
            },
        };
        refuse(Flags::new(faults));
        error as c_int
    }
}

fn write(record: &ax_compat_policy_record_t, policy_id: &[u8], out: &mut (impl Sink + ?Sized)) {
    out.put(b"{\"actual\":");
    writer::i64(i64::from(record.actual), out);
    out.put(b",\"ledger_seq\":");
    writer::u64(record.ledger_seq, out);
    out.put(b",\"policy_id\":\"");
    out.put(policy_id);
    out.put(b"\",\"result\":\"");
    let result = match enum_value(record.result) {
        0 => "PERMITTED",
        1 => "BREACH",
        _ => "UNKNOWN",
    };
    out.put(result.as_bytes());
    out.put(b"\",\"threshold\":");
    writer::i64(i64::from(record.threshold), out);
    out.put(b"}");
}
