//! In the place of `nfc` with the feature `nfc-none`: text is ASCII, which is in every normalization
//! form, and what is not ASCII is not admissible. No tables. Determinism: D1, but not the same as
//! with NFC, which [`UNICODE_VERSION`] says.

#![forbid(unsafe_code)]

use crate::search::run;

/// `"none"`: no version of Unicode decides (`ax_unicode_version`).
pub const UNICODE_VERSION: &str = "none";
/// The same, for C.
pub const UNICODE_VERSION_C: &core::ffi::CStr = c"none";

/// Whether `bytes` are admissible as to encoding (`ax_is_nfc`): ASCII. Empty is.
#[must_use]
pub fn is_nfc(bytes: &[u8]) -> bool {
    run(bytes, |byte| byte >= 0x80) == bytes.len()
}
