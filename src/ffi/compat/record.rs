//! Records as the deployed gateways hash, write and check them. `_1_1` and `_1_2` in a name say which profile is
//! written.
//!
//! What such a gateway admits is written: text that is not in Normalization Form C, and an error with a text.

use core::ffi::{c_char, c_int};

use super::text::has_listed_mark;
use crate::evidence::observation::{Completion, Observation, is_consistent};
use crate::evidence::view::MAX_GATEWAY_RECORD_BYTES;
use crate::fault::{Error, Fault};
use crate::ffi::obs::{ax_obs_record_t, hex_digits, hex_string, load_record_of};
use crate::ffi::pointer::{ClosureSink, Flags, c_string, code, write_text};
use crate::ffi::types::ct_fault_flags_t;
use crate::hash::{Hash, hex, unhex};
use crate::profile::Profile;
use crate::sink::shared;
use crate::text::{self, Text};

/// A record whose text a gateway may have admitted: UTF-8 without control characters but for line feeds and U+007F.
/// A NULL output, as a fresh record has it, is the empty text.
///
/// # Safety
/// As for `load_record`.
unsafe fn load<'a>(record: &ax_obs_record_t) -> Result<Observation<'a>, Error> {
    let check = |raw| match text::is_utf8(raw) && !text::has_forbidden_control(raw, false) {
        true => Ok(Text::checked(raw, false)),
        false => Err(Error::Encoding),
    };
    let record = ax_obs_record_t {
        output: match record.output.is_null() {
            true => c"".as_ptr(),
            false => record.output,
        },
        ..*record
    };
    // SAFETY: forwarded.
    unsafe { load_record_of(&record, check) }
}

/// Computes a record's hash under profile 1.
///
/// # Safety
/// As for `ax_obs_compute_hash`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_compute_hash_1_1")]
pub unsafe extern "C" fn ax_compat_obs_compute_hash_1_1(record: *mut ax_obs_record_t) -> c_int {
    // SAFETY: forwarded.
    unsafe { compute_hash(record, Profile::Oracle1_1) }
}

/// Computes a record's hash under profile 2.
///
/// # Safety
/// As for `ax_obs_compute_hash`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_compute_hash_1_2")]
pub unsafe extern "C" fn ax_compat_obs_compute_hash_1_2(record: *mut ax_obs_record_t) -> c_int {
    // SAFETY: forwarded.
    unsafe { compute_hash(record, Profile::Oracle1_2) }
}

/// # Safety
/// As for `ax_obs_compute_hash`.
unsafe fn compute_hash(record: *mut ax_obs_record_t, profile: Profile) -> c_int {
    // SAFETY: by contract.
    let Some(record) = (unsafe { record.as_mut() }) else {
        return Error::Protocol.code();
    };
    record.obs_hash = [0; 65];
    // SAFETY: by contract.
    match unsafe { load(record) } {
        Ok(observation) => {
            record.obs_hash = hex_string(&hex(&observation.obs_hash(profile)));
            0
        }
        Err(error) => error.code(),
    }
}

/// Writes a record under profile 1.
///
/// # Safety
/// As for `ax_obs_canonicalise`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_canonicalise_1_1")]
pub unsafe extern "C" fn ax_compat_obs_canonicalise_1_1(
    dst: *mut c_char,
    dst_size: usize,
    record: *const ax_obs_record_t,
    include_hash: c_int,
) -> c_int {
    // SAFETY: forwarded.
    unsafe { canonicalise(dst, dst_size, record, include_hash, Profile::Oracle1_1) }
}

/// Writes a record under profile 2.
///
/// # Safety
/// As for `ax_obs_canonicalise`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_canonicalise_1_2")]
pub unsafe extern "C" fn ax_compat_obs_canonicalise_1_2(
    dst: *mut c_char,
    dst_size: usize,
    record: *const ax_obs_record_t,
    include_hash: c_int,
) -> c_int {
    // SAFETY: forwarded.
    unsafe { canonicalise(dst, dst_size, record, include_hash, Profile::Oracle1_2) }
}

/// # Safety
/// As for `ax_obs_canonicalise`.
unsafe fn canonicalise(
    dst: *mut c_char,
    dst_size: usize,
    record: *const ax_obs_record_t,
    include_hash: c_int,
    profile: Profile,
) -> c_int {
    // SAFETY: by contract.
    let Some(record) = (unsafe { record.as_ref() }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let observation = match unsafe { load(record) } {
        Ok(observation) => observation,
        Err(error) => return error.code(),
    };
    let digits = (include_hash != 0).then(|| hex(&observation.obs_hash(profile)));
    // SAFETY: by contract.
    unsafe {
        write_text(dst, dst_size, |put| {
            observation.write(profile, digits.as_ref(), shared(&mut ClosureSink(put)));
        })
    }
}

/// Checks a filled record as `ax_obs_validate` does, and accepts what a gateway may have admitted.
///
/// # Safety
/// As for `ax_obs_validate`.
#[unsafe(export_name = "axilog_impl_ax_compat_obs_validate")]
pub unsafe extern "C" fn ax_compat_obs_validate(
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
    let result = unsafe { load(record) }.and_then(|observation| {
        // SAFETY: by contract; 10 characters and a NUL are as far as it is read.
        let version = unsafe { c_string(record.schema_version, 10) };
        if version != Some(b"AX:OBS:v1".as_slice()) {
            return Err(Error::Schema);
        }
        if has_listed_mark(observation.output.raw()) {
            return Err(Error::Encoding);
        }
        let digits = hex_digits(&record.obs_hash).and_then(|digits| unhex(&digits));
        verify(&observation, digits.as_ref())
    });
    if let Err(error) = result {
        flags.set(match error {
            Error::Encoding => Fault::Encoding,
            Error::Hash => Fault::Protocol,
            Error::Size => Fault::Size,
            Error::Protocol => Fault::Domain,
            _ => Fault::Schema,
        });
    }
    code(result)
}

/// Checks the fields against one another and against the hash that the record claims.
fn verify(observation: &Observation<'_>, obs_hash: Option<&Hash>) -> Result<(), Error> {
    let output = observation.output.len() as u64;
    let size_fits = match observation.completion {
        Completion::Complete => observation.output_size == output,
        Completion::Truncated => observation.output_size >= output,
        Completion::Error => output > 0 || observation.output_size == 0,
    };
    if !size_fits || !is_consistent(observation.completion, observation.failure, false) {
        return Err(Error::Schema);
    }
    let profile = Profile::ALL
        .into_iter()
        .find(|&profile| obs_hash == Some(&observation.obs_hash(profile)))
        .ok_or(Error::Hash)?;
    if observation.len(profile) > MAX_GATEWAY_RECORD_BYTES {
        Err(Error::Size)
    } else {
        Ok(())
    }
}
