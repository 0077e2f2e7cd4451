//! A fast way over text in which no character can spoil NFC: a block of bytes is checked at once,
//! by comparisons of each byte with the bytes before it, which are compiled to vector code where
//! there is any. Determinism: D1.
//!
//! *Harmless* characters are starters that occur in NFC and compose with nothing before them, taken
//! in ranges wide enough to tell by a byte or two. What is not harmless here is not wrong: it is
//! left to the check of [`super::nfc`], character by character. So the ranges are a matter of
//! speed, and only taking one too many is a matter of truth, which the tests rule out for every
//! code point.

#![forbid(unsafe_code)]

use super::utf8::is_continuation;

/// Bytes checked at once.
pub(super) const BLOCK: usize = 64;
/// Bytes before a block that a character in it may have begun in.
const BEFORE: usize = 3;
const WINDOW: usize = BEFORE + BLOCK;

/// Goes over whole blocks from `at`, a place between two characters.
///
/// # Errors
/// The place of the first block that is not harmless, which may be inside a character that began in
/// the harmless block before it: see [`resume`]. Success means that the rest of `bytes` is harmless and complete.
pub(super) fn skip(bytes: &[u8], mut at: usize) -> Result<(), usize> {
    loop {
        let mut copy = [0; WINDOW];
        let whole = at
            .checked_sub(BEFORE)
            .and_then(|start| bytes.get(start..)?.first_chunk());
        let window = match whole {
            Some(window) => window,
            None => {
                let start = at.saturating_sub(BEFORE);
                let missing = BEFORE.saturating_sub(at);
                for (slot, &byte) in copy.iter_mut().skip(missing).zip(bytes.iter().skip(start)) {
                    *slot = byte;
                }
                &copy
            }
        };
        if !is_harmless(window) {
            return Err(at);
        }
        // A block that ends with the text does not show whether its last character is complete.
        // The next one does, though it is empty: its zeros continue nothing.
        if bytes.len().saturating_sub(at) < BLOCK {
            return Ok(());
        }
        at = at.saturating_add(BLOCK);
    }
}

/// The place of a harmless character that the check can resume from when [`skip`] has gone over a
/// block and stopped at `end`: the one before the last that begins before `end`. The last may not
/// be complete there, and be harmful by a byte that the block did not have.
pub(super) fn resume(bytes: &[u8], end: usize) -> usize {
    let last_before = |end| {
        let before = bytes.get(..end).unwrap_or(bytes);
        before
            .iter()
            .rposition(|&b| !is_continuation(b))
            .unwrap_or(0)
    };
    last_before(last_before(end))
}

/// Whether a block is harmless, given the bytes before it.
#[inline]
fn is_harmless(window: &[u8; WINDOW]) -> bool {
    let all = with_before(window).fold(0, |all, [b, .., b3]| all | b | b3);
    if all < 0x80 {
        return true;
    }
    let greatest = with_before(window).fold(0, |greatest, [b, .., b3]| b.max(b3).max(greatest));
    if greatest < 0xCC {
        is_harmless_latin(window)
    } else {
        is_harmless_wide(window)
    }
}

/// Each byte of the block together with the three before it, the nearest first.
fn with_before(window: &[u8; WINDOW]) -> impl Iterator<Item = [u8; 4]> {
    // Arrays of one length, so that the loop over them has no end to look for.
    let [_, _, _, block @ ..] = window;
    let [_, _, before1 @ .., _] = window;
    let [_, before2 @ .., _, _] = window;
    let [before3 @ .., _, _, _] = window;
    (block.iter().zip(before1))
        .zip(before2.iter().zip(before3))
        .map(|((&b, &b1), (&b2, &b3))| [b, b1, b2, b3])
}

/// For a window with no byte above CB: U+0000 to U+02FF are all harmless.
fn is_harmless_latin(window: &[u8; WINDOW]) -> bool {
    with_before(window).fold(true, |good, [b, before, ..]| {
        let lead = before >= 0xC2;
        good & (is_continuation(b) == lead) & (b != 0xC0) & (b != 0xC1)
    })
}

/// For any window: Latin, Greek, Cyrillic, CJK, kana, Hangul, common punctuation, emoji.
fn is_harmless_wide(window: &[u8; WINDOW]) -> bool {
    with_before(window).fold(true, |good, [b, b1, b2, b3]| {
        let expected = (b1 >= 0xC0) | (b2 >= 0xE0) | (b3 >= 0xF0);
        // The leads of whole scripts; where only a part is harmless, the rest is excepted below.
        let lead = (b < 0xC0)
            | in_range(b, 0xC2, 0xCB)
            | in_range(b, 0xCE, 0xD1)
            | in_range(b, 0xE1, 0xF0);
        // U+0387
        let outside = (b1 == 0xCE) & (b == 0x87)
            // all but U+1E00 to U+1EFF
            | (b1 == 0xE1) & !in_range(b, 0xB8, 0xBB)
            // all but U+2000 to U+203F, U+2080 to U+20BF
            | (b1 == 0xE2) & (b != 0x80) & (b != 0x82)
            // all but U+AC00 to U+AFFF
            | (b1 == 0xEA) & (b < 0xB0)
            // all but U+D000 to U+D7FF
            | (b1 == 0xED) & (b >= 0xA0)
            // all but U+FF00 to U+FFFF
            | (b1 == 0xEF) & (b < 0xBC)
            // all but U+1F000 to U+2EFFF
            | (b1 == 0xF0) & !in_range(b, 0x9F, 0xAE);
        // U+2000, U+2001
        let harmful = (b2 == 0xE2) & (b1 == 0x80) & (b < 0x82)
            // U+302A to U+302F
            | (b2 == 0xE3) & (b1 == 0x80) & in_range(b, 0xAA, 0xAF)
            // U+3099, U+309A
            | (b2 == 0xE3) & (b1 == 0x82) & in_range(b, 0x99, 0x9A);
        good & (is_continuation(b) == expected) & lead & !outside & !harmful
    })
}

fn in_range(b: u8, first: u8, last: u8) -> bool {
    b.wrapping_sub(first) <= last.wrapping_sub(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::nfc::is_plain;

    /// The one thing that must be true of the ranges.
    #[test]
    fn only_plain_characters_are_harmless() {
        for filler in [&b"a"[..], "\u{E9}".as_bytes(), "\u{6F22}".as_bytes()] {
            let mut harmless = 0;
            for c in '\0'..=char::MAX {
                let mut text = [b' '; 12];
                let (before, after) = text.split_at_mut(4);
                for (slot, &byte) in before.iter_mut().zip(filler) {
                    *slot = byte;
                }
                c.encode_utf8(after);
                if skip(&text, 0).is_ok() {
                    harmless += 1;
                    assert!(is_plain(c.into()), "{:x}", u32::from(c));
                }
            }
            assert!(harmless > if filler == b"a" { 0x2FF } else { 0x2BF });
        }
    }

    #[test]
    fn the_scripts_that_speed_is_for_are_harmless() {
        let long = |text: &str, check: fn(&[u8])| {
            let mut bytes = [b' '; 160];
            for (slot, &byte) in bytes.iter_mut().zip(text.as_bytes()) {
                *slot = byte;
            }
            check(&bytes);
        };
        for text in [
            "plain ASCII\n",
            "Fran\u{E7}ais, fa\u{E7}ade \u{2019} \u{AB}",
            "\u{65E5}\u{672C}\u{8A9E}\u{3001}\u{30AB}\u{30CA}\u{3002}\u{FF01}",
            "\u{D55C}\u{AD6D}\u{C5B4}",
            "\u{440}\u{443}\u{441}\u{3B1}",
            "\u{1EA1}\u{1F600}",
        ] {
            long(text, |bytes| assert_eq!(skip(bytes, 0), Ok(())));
        }
        long("e\u{301}", |bytes| assert_eq!(skip(bytes, 0), Err(0)));
    }
}
