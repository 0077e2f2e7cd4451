//! Control characters (formats.md §3, Admission 4 and 5). Determinism: D1.
//!
//! Every control character of U+0000 to U+001F, and U+007F, is one byte of UTF-8 and no part of
//! another character, so that bytes can be looked at without decoding and even where they are not
//! UTF-8 at all.

#![forbid(unsafe_code)]

pub(super) const LF: u8 = b'\n';
pub(super) const CR: u8 = b'\r';
const DEL: u8 = 0x7F;
const SPACE: u8 = 0x20;

/// Whether a control character that text must not have is in `bytes` (`ax_contains_forbidden_control`):
/// U+0000 to U+001F except LF, and with `reject_del` also U+007F. CR counts: this is for text whose
/// line ends are normalised already.
#[must_use]
pub fn has_forbidden_control(bytes: &[u8], reject_del: bool) -> bool {
    any(bytes, |b| (b < SPACE) & (b != LF) | (b == DEL) & reject_del)
}

/// Whether text with raw line ends has a forbidden control character; CR is allowed.
pub(super) fn has_forbidden_control_in_raw(bytes: &[u8], reject_del: bool) -> bool {
    any(bytes, |b| {
        (b < SPACE) & (b != LF) & (b != CR) | (b == DEL) & reject_del
    })
}

/// Whether any of U+0000 to U+001F is in `bytes`, LF included.
pub(super) fn has_control(bytes: &[u8]) -> bool {
    any(bytes, |b| b < SPACE)
}

/// Whether `test` holds for any byte. It does not stop at the first, so that it is compiled to
/// vector code.
fn any(bytes: &[u8], test: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(false, |found, &b| found | test(b))
}
