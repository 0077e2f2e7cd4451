//! Records as the deployed gateways write them, whatever a struct holds: for rigs that are compiled with
//! `AXILOG_COMPAT_AS_DEPLOYED`. `_1_1` and `_1_2` in a name say which profile is written.
//!
//! Nothing is checked, so that many of these records are taken by no reader; docs/rigs.md says which.

use core::ffi::{c_char, c_int};

use super::text::has_listed_mark;
use crate::evidence::observation::Completion;
use crate::evidence::view::MAX_GATEWAY_RECORD_BYTES;
use crate::fault::{Error, Fault};
use crate::ffi::obs::{ax_obs_record_t, hex_digits, hex_string};
use crate::ffi::oracle::{ax_oracle_params_t, load_completion, load_failure};
use crate::ffi::pointer::{ClosureSink, Flags, bytes, c_string, code, write_text};
use crate::ffi::types::ct_fault_flags_t;
use crate::hash::{Hash, Hasher, Tag, hex};
use crate::json::writer;
use crate::profile::Profile;
use crate::sink::{Counter, Sink, shared};
use crate::text;

/// The room that the deployed writer has for a text with its escapes and a NUL. A text that needs more is written
/// as the empty one.
const ESCAPE_ROOM: usize = 129_024;

/// A struct whose strings are read where they are written.
pub(super) struct RawRecord<'a>(&'a ax_obs_record_t);

impl<'a> RawRecord<'a> {
    /// # Safety
    /// The record's pointers are NULL or NUL-terminated strings that outlive `'a`.
    pub(super) unsafe fn new(record: &'a ax_obs_record_t) -> RawRecord<'a> {
        RawRecord(record)
    }

    /// A string of the record; NULL is the empty one.
    fn text(&self, text: *const c_char) -> &'a [u8] {
        // SAFETY: by `new`'s contract; a text that long has no room.
        unsafe { c_string(text, ESCAPE_ROOM) }.unwrap_or_default()
    }

    fn write(&self, with_hash: bool, out: &mut (impl Sink + ?Sized)) {
        let Self(record) = self;
        let state = load_completion(record.completion_state);
        out.put(b"{\"completion_state\":\"");
        out.put(state.map_or("UNKNOWN", |state| state.as_str()).as_bytes());
        out.put(b"\",\"failure_type\":");
        match load_failure(record.failure_type) {
            Some(None) => out.put(b"null"),
            failure => {
                let name = failure.flatten().map_or("UNKNOWN", |name| name.as_str());
                out.put(b"\"");
                out.put(name.as_bytes());
                out.put(b"\"");
            }
        }
        out.put(b",\"input_hash\":");
        writer::hash(&record.input_hash, out);
        out.put(b",\"ledger_seq\":");
        writer::u64(record.ledger_seq, out);
        out.put(b",\"model_id\":\"");
        put_escaped(self.text(record.model_id), out);
        out.put(b"\",\"obs_hash\":\"");
        if with_hash {
            // SAFETY: no more than the 64 characters of the field are read.
            let digits = unsafe { c_string(record.obs_hash.as_ptr(), 63) };
            out.put(digits.unwrap_or_default());
        }
        out.put(b"\",\"oracle_id\":\"");
        put_escaped(self.text(record.oracle_id), out);
        out.put(b"\",\"output\":\"");
        put_escaped(self.text(record.output), out);
        out.put(b"\",\"output_size\":");
        writer::u64(record.output_size, out);
        out.put(b",\"params\":");
        record.params.load().write(out);
        out.put(b",\"schema_version\":\"");
        out.put(self.text(record.schema_version));
        out.put(b"\"}");
    }

    /// The hash of the record.
    ///
    /// # Errors
    /// [`Error::Buffer`] for a record that the deployed buffer does not hold with its NUL.
    pub(super) fn obs_hash(&self, profile: Profile) -> Result<Hash, Error> {
        let mut counter = Counter::default();
        self.write(false, shared(&mut counter));
        if counter.len >= MAX_GATEWAY_RECORD_BYTES {
            return Err(Error::Buffer);
        }
        let mut hasher = match profile.tagged_hash() {
            true => Hasher::commitment(Tag::Obs.as_str().as_bytes(), counter.len as u64),
            false => Hasher::new(),
        };
        self.write(false, shared(&mut hasher));
        Ok(hasher.finish())
    }
}

/// Both profiles of rigs have the same escapes, and bytes that are not UTF-8 stay as they are.
fn put_escaped(text: &[u8], out: &mut (impl Sink + ?Sized)) {
    let mut counter = Counter::default();
    writer::escape(text, Profile::Oracle1_2, shared(&mut counter));
    if counter.len < ESCAPE_ROOM {
        writer::escape(text, Profile::Oracle1_2, out);
    }
}

/// Computes a record's hash under profile 1.
///
/// # Safety
/// As for `ax_obs_compute_hash`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_obs_compute_hash_1_1")]
pub unsafe extern "C" fn ax_compat_raw_obs_compute_hash_1_1(record: *mut ax_obs_record_t) -> c_int {
    // SAFETY: forwarded.
    unsafe { compute_hash(record, Profile::Oracle1_1) }
}

/// Computes a record's hash under profile 2.
///
/// # Safety
/// As for `ax_obs_compute_hash`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_obs_compute_hash_1_2")]
pub unsafe extern "C" fn ax_compat_raw_obs_compute_hash_1_2(record: *mut ax_obs_record_t) -> c_int {
    // SAFETY: forwarded.
    unsafe { compute_hash(record, Profile::Oracle1_2) }
}

/// # Safety
/// As for `ax_obs_compute_hash`.
pub(super) unsafe fn compute_hash(record: *mut ax_obs_record_t, profile: Profile) -> c_int {
    // SAFETY: by contract.
    let Some(record) = (unsafe { record.as_mut() }) else {
        return Error::Protocol.code();
    };
    record.obs_hash = [0; 65];
    // SAFETY: by contract.
    code(
        unsafe { RawRecord::new(record) }
            .obs_hash(profile)
            .map(|hash| {
                record.obs_hash = hex_string(&hex(&hash));
            }),
    )
}

/// Writes a record, which both profiles write alike, with the hash that the struct holds.
///
/// # Safety
/// As for `ax_obs_canonicalise`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_obs_canonicalise")]
pub unsafe extern "C" fn ax_compat_raw_obs_canonicalise(
    dst: *mut c_char,
    dst_size: usize,
    record: *const ax_obs_record_t,
    include_hash: c_int,
) -> c_int {
    // SAFETY: by contract.
    let Some(record) = (unsafe { record.as_ref() }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    unsafe {
        let record = RawRecord::new(record);
        write_text(dst, dst_size, |put| {
            record.write(include_hash != 0, shared(&mut ClosureSink(put)));
        })
    }
}

/// Writes sampling parameters, whatever their numbers.
///
/// # Safety
/// As for `ax_params_canonicalise`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_params_canonicalise")]
pub unsafe extern "C" fn ax_compat_raw_params_canonicalise(
    dst: *mut c_char,
    dst_size: usize,
    params: *const ax_oracle_params_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(params) = (unsafe { params.as_ref() }).map(ax_oracle_params_t::load) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            params.write(shared(&mut ClosureSink(put)));
        })
    }
}

/// Escapes a string, UTF-8 or not.
///
/// # Safety
/// As for `ax_string_escape`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_string_escape")]
pub unsafe extern "C" fn ax_compat_raw_string_escape(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        let Some(src) = bytes(src.cast(), src_len) else {
            return Error::Protocol.code();
        };
        write_text(dst, dst_size, |put| {
            writer::escape(src, Profile::Oracle1_2, shared(&mut ClosureSink(put)));
        })
    }
}

/// Checks of a record its version, the size and the text of its output, and its hash.
///
/// # Safety
/// As for `ax_obs_validate`.
#[unsafe(export_name = "axilog_impl_ax_compat_raw_obs_validate")]
pub unsafe extern "C" fn ax_compat_raw_obs_validate(
    obs: *const ax_obs_record_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let Some(record) = (unsafe { obs.as_ref() }) else {
        return flags.null();
    };
    // SAFETY: by contract.
    let result = unsafe { validate(record) };
    if let Err(error) = result {
        flags.set(match error {
            Error::Encoding => Fault::Encoding,
            Error::Schema => Fault::Schema,
            _ => Fault::Protocol,
        });
    }
    code(result)
}

/// # Safety
/// As for [`RawRecord::new`].
unsafe fn validate(record: &ax_obs_record_t) -> Result<(), Error> {
    // SAFETY: by contract; 10 characters and a NUL are as far as it is read.
    let version = unsafe { c_string(record.schema_version, 10) };
    if version != Some(b"AX:OBS:v1".as_slice()) {
        return Err(Error::Schema);
    }
    // SAFETY: by contract.
    if let Some(output) = unsafe { c_string(record.output, MAX_GATEWAY_RECORD_BYTES) } {
        let output_size = output.len() as u64;
        let size_fits = match load_completion(record.completion_state) {
            Some(Completion::Complete) => record.output_size == output_size,
            Some(Completion::Truncated) => record.output_size >= output_size,
            _ => true,
        };
        if !size_fits {
            return Err(Error::Schema);
        }
        if !text::is_utf8(output) || has_listed_mark(output) {
            return Err(Error::Encoding);
        }
    }
    let held = hex_digits(&record.obs_hash);
    // SAFETY: by contract.
    let record = unsafe { RawRecord::new(record) };
    for profile in [Profile::Oracle1_2, Profile::Oracle1_1] {
        if held == Some(hex(&record.obs_hash(profile)?)) {
            return Ok(());
        }
    }
    Err(Error::Hash)
}
