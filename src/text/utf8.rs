//! UTF-8 (formats.md §3, Admission 4 and 5; RFC 3629). Determinism: D1.

#![forbid(unsafe_code)]

/// Whether `bytes` are well-formed UTF-8 (`ax_validate_utf8`): no overlong form, no surrogate,
/// nothing above U+10FFFF, nothing cut short. Empty is.
#[must_use]
pub fn is_utf8(bytes: &[u8]) -> bool {
    core::str::from_utf8(bytes).is_ok()
}

/// Whether `byte` continues a character that an earlier byte began.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The first character of `bytes` and its length in bytes; nothing when `bytes` are empty or do not
/// begin with a well-formed character.
#[cfg(not(feature = "nfc-none"))]
#[inline]
pub(super) fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    let low = |byte: u8| u32::from(byte & 0x3F);
    match *bytes {
        [a @ 0..=0x7F, ..] => Some((u32::from(a), 1)),
        [a @ 0xC2..=0xDF, b @ 0x80..=0xBF, ..] => Some((u32::from(a & 0x1F) << 6 | low(b), 2)),
        [a @ 0xE0..=0xEF, b @ 0x80..=0xBF, c @ 0x80..=0xBF, ..] => {
            let code = u32::from(a & 0x0F) << 12 | low(b) << 6 | low(c);
            matches!(code, 0x800..=0xD7FF | 0xE000..=0xFFFF).then_some((code, 3))
        }
        [
            a @ 0xF0..=0xF4,
            b @ 0x80..=0xBF,
            c @ 0x80..=0xBF,
            d @ 0x80..=0xBF,
            ..,
        ] => {
            let code = u32::from(a & 0x07) << 18 | low(b) << 12 | low(c) << 6 | low(d);
            matches!(code, 0x1_0000..=0x10_FFFF).then_some((code, 4))
        }
        _ => None,
    }
}
