//! Text as the deployed gateways admit it.
//!
//! For Normalization Form C they refuse every combining mark of four blocks, and nothing else: text that is NFC
//! with such a mark is refused, and text that is not NFC without one is admitted. A rig that compares its ledger
//! with a golden one needs the same answers.

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use crate::fault::{Error, Fault};
use crate::ffi::canonical::ax_string_escape_as;
use crate::ffi::obs::ax_profile_t::AX_PROFILE_ORACLE_1_2;
use crate::ffi::pointer::{Flags, buffer, bytes};
use crate::ffi::types::ct_fault_flags_t;
use crate::sink::{Buffer, Sink};
use crate::text::{self, Text};

/// Whether a combining mark of U+0300 to U+036F, U+1DC0 to U+1DFF, U+20D0 to U+20FF or U+FE20 to U+FE2F is in a
/// text that is UTF-8.
pub(super) fn has_listed_mark(text: &[u8]) -> bool {
    text.windows(2)
        .any(|pair| matches!(pair, [0xCC, _] | [0xCD, 0x80..=0xAF]))
        || text.windows(3).any(|three| {
            matches!(
                three,
                [0xE1, 0xB7, _] | [0xE2, 0x83, 0x90..=0xBF] | [0xEF, 0xB8, 0xA0..=0xAF]
            )
        })
}

/// Whether a text is UTF-8 that a gateway takes for NFC.
fn is_nfc(text: &[u8]) -> bool {
    text::is_utf8(text) && !has_listed_mark(text)
}

/// Text that was found to be UTF-8, and nothing else yet.
pub(super) struct Decoded<'a>(Text<'a>);

impl<'a> Decoded<'a> {
    pub(super) fn read(raw: &'a [u8]) -> Result<Decoded<'a>, Error> {
        match text::is_utf8(raw) {
            true => Ok(Decoded(Text::checked(raw, raw.contains(&b'\r')))),
            false => Err(Error::Encoding),
        }
    }

    /// Bytes of the text with its line ends normalised.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The text, where a gateway admits it.
    pub(super) fn admit(self) -> Result<Text<'a>, Error> {
        let mut runs = self.0.runs();
        match has_listed_mark(self.0.raw())
            || runs.any(|run| text::has_forbidden_control(run, true))
        {
            true => Err(Error::Encoding),
            false => Ok(self.0),
        }
    }
}

/// Writes a text and a NUL into room that is large enough.
pub(super) fn write(text: &Text<'_>, room: &mut [u8]) -> Result<(), Error> {
    let Some((to, [nul, ..])) = room.split_at_mut_checked(text.len()) else {
        return Err(Error::Buffer);
    };
    let mut to = Buffer::new(to);
    text.runs().for_each(|run| to.put(run));
    *nul = 0;
    Ok(())
}

/// 1 for UTF-8 without a mark of the list, else 0.
///
/// # Safety
/// As for `ax_is_nfc`.
#[unsafe(export_name = "axilog_impl_ax_compat_is_nfc")]
pub unsafe extern "C" fn ax_compat_is_nfc(data: *const c_char, len: usize) -> c_int {
    // SAFETY: by contract.
    c_int::from(unsafe { bytes(data.cast(), len) }.is_some_and(is_nfc))
}

/// AX_OK for UTF-8 without a mark of the list, else AX_ERR_ENCODING.
///
/// # Safety
/// As for `ax_validate_encoding`.
#[unsafe(export_name = "axilog_impl_ax_compat_validate_encoding")]
pub unsafe extern "C" fn ax_compat_validate_encoding(data: *const c_char, len: usize) -> c_int {
    // SAFETY: forwarded.
    match unsafe { ax_compat_is_nfc(data, len) } {
        0 => Error::Encoding.code(),
        _ => 0,
    }
}

/// 1 where a control character other than a line feed is in the text, U+007F included.
///
/// # Safety
/// As for `ax_contains_forbidden_control`.
#[unsafe(export_name = "axilog_impl_ax_compat_contains_forbidden_control")]
pub unsafe extern "C" fn ax_compat_contains_forbidden_control(
    data: *const c_char,
    len: usize,
) -> c_int {
    // SAFETY: by contract.
    let data = unsafe { bytes(data.cast(), len) };
    c_int::from(data.is_none_or(|data| text::has_forbidden_control(data, true)))
}

/// Checks and normalises a text: UTF-8 first, then room (flag `size`), then marks and control characters.
///
/// # Safety
/// As for `ax_validate_and_normalise`.
#[unsafe(export_name = "axilog_impl_ax_compat_validate_and_normalise")]
pub unsafe extern "C" fn ax_compat_validate_and_normalise(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract; the two do not overlap.
    let (src, room) = unsafe { (bytes(src.cast(), src_len), buffer(dst.cast(), dst_size)) };
    let (Some(src), Some(room)) = (src, room) else {
        return flags.null();
    };
    let normalised = Decoded::read(src).and_then(|decoded| match decoded.len() < room.len() {
        true => decoded.admit(),
        false => Err(Error::Buffer),
    });
    let written = normalised.and_then(|text| {
        write(&text, room)?;
        c_int::try_from(text.len()).map_err(|_| Error::Buffer)
    });
    match written {
        Ok(len) => len,
        Err(error) => {
            flags.set(match error {
                Error::Buffer => Fault::Size,
                _ => Fault::Encoding,
            });
            error.code()
        }
    }
}

/// Escapes a string as the profiles 1 and 2 alike do.
///
/// # Safety
/// As for `ax_string_escape`.
#[unsafe(export_name = "axilog_impl_ax_compat_string_escape")]
pub unsafe extern "C" fn ax_compat_string_escape(
    dst: *mut c_char,
    dst_size: usize,
    src: *const c_char,
    src_len: usize,
) -> c_int {
    let profile = MaybeUninit::new(AX_PROFILE_ORACLE_1_2);
    // SAFETY: forwarded.
    unsafe { ax_string_escape_as(dst, dst_size, src, src_len, profile) }
}
