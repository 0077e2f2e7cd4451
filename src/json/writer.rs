//! The canonical JSON writer: RFC 8785 text, streamed into a sink.
//!
//! formats.md §2; SRS-004-SHALL-006, SHALL-045. Determinism: D1. Every record of the library is
//! written through this module, whether into a buffer, into a hash or only to be counted.

use crate::hash::{Hash, hex, hex_pair};
use crate::profile::Profile;
use crate::search::{IS_SMALL, bytes_before, bytes_equal, bytes_from, run};

pub use crate::sink::{Buffer, Counter, Sink, shared};

/// Writes `value` in decimal.
pub fn u64(value: u64, out: &mut (impl Sink + ?Sized)) {
    let mut digits = [0u8; 20];
    let mut rest = value;
    let mut used = 0usize;
    for digit in digits.iter_mut().rev() {
        // The remainder is below ten.
        *digit = b'0'.wrapping_add((rest % 10) as u8);
        rest /= 10;
        used = used.wrapping_add(1);
        if rest == 0 {
            break;
        }
    }
    if let Some(text) = digits
        .len()
        .checked_sub(used)
        .and_then(|start| digits.get(start..))
    {
        out.put(text);
    }
}

/// Writes `value` in decimal, with a minus sign where it is negative.
pub fn i64(value: i64, out: &mut (impl Sink + ?Sized)) {
    if value < 0 {
        out.put(b"-");
    }
    u64(value.unsigned_abs(), out);
}

/// Writes `value`, or `null`.
pub fn i64_or_null(value: Option<i64>, out: &mut (impl Sink + ?Sized)) {
    match value {
        Some(value) => i64(value, out),
        None => out.put(b"null"),
    }
}

/// Writes `true` or `false`.
pub fn bool(value: bool, out: &mut (impl Sink + ?Sized)) {
    out.put(if value { b"true" } else { b"false" });
}

/// Writes a digest as a quoted string of 64 lower-case hexadecimal digits.
pub fn hash(value: &Hash, out: &mut (impl Sink + ?Sized)) {
    out.put(b"\"");
    out.put(&hex(value));
    out.put(b"\"");
}

/// Writes `text` as a quoted string. `text` is UTF-8 by the caller's word.
pub fn string(text: &[u8], profile: Profile, out: &mut (impl Sink + ?Sized)) {
    out.put(b"\"");
    escape(text, profile, out);
    out.put(b"\"");
}

/// Writes `text` with the escapes of `profile`, without quotes. `text` is UTF-8 by the caller's word.
pub fn escape(text: &[u8], profile: Profile, out: &mut (impl Sink + ?Sized)) {
    let mut rest = text;
    while let Some((plain, byte, tail)) = split_at_special(rest) {
        out.put(plain);
        put_escape(byte, profile, out);
        rest = tail;
        if !IS_SMALL {
            rest = put_dense(rest, profile, out);
        }
    }
    out.put(rest);
}

/// Writes the front of `text` as far as escapes are close to one another, and returns what is left. A member
/// of a recorded answer has four.
fn put_dense<'t>(text: &'t [u8], profile: Profile, out: &mut (impl Sink + ?Sized)) -> &'t [u8] {
    const WORD: usize = 8;
    let mut batch = [0u8; 256];
    let mut used = 0usize;
    let mut rest = text;
    let mut plain_words = 0u8;
    // Whole words are copied, also where only their front counts: what comes next is written over the rest.
    while let Some(word) = rest.first_chunk::<WORD>()
        && let Some(place) = batch
            .get_mut(used..)
            .and_then(|free| free.first_chunk_mut())
        && plain_words < 2
    {
        let plain = bytes_before(special_bytes(u64::from_le_bytes(*word)));
        *place = *word;
        let Some(&byte) = word.get(plain) else {
            used = used.wrapping_add(WORD);
            plain_words = plain_words.wrapping_add(1);
            rest = rest.get(WORD..).unwrap_or_default();
            continue;
        };
        let escape = used.wrapping_add(plain);
        let letter = short_letter(byte, profile);
        let place = batch
            .get_mut(escape..)
            .and_then(|free| free.first_chunk_mut());
        let (Some(place), Some(letter)) = (place, letter) else {
            break;
        };
        *place = [b'\\', letter];
        used = escape.wrapping_add(2);
        plain_words = 0;
        rest = rest.get(plain.wrapping_add(1)..).unwrap_or_default();
    }
    out.put(batch.get(..used).unwrap_or_default());
    rest
}

/// The letter of the escape of two bytes for `byte`, if there is one.
fn short_letter(byte: u8, profile: Profile) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' => byte,
        0x08 if profile.short_escapes() => b'b',
        b'\t' if profile.short_escapes() => b't',
        b'\n' if profile.short_escapes() => b'n',
        0x0c if profile.short_escapes() => b'f',
        b'\r' if profile.short_escapes() => b'r',
        _ => return None,
    })
}

fn put_escape(byte: u8, profile: Profile, out: &mut (impl Sink + ?Sized)) {
    match short_letter(byte, profile) {
        Some(letter) => out.put(&[b'\\', letter]),
        None => {
            let [high, low] = hex_pair(byte);
            out.put(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    }
}

/// Splits at the first byte that needs an escape.
fn split_at_special(text: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let (plain, tail) = text.split_at_checked(run(text, needs_escape))?;
    let (&byte, tail) = tail.split_first()?;
    Some((plain, byte, tail))
}

/// The top bit of each byte of `word` that needs an escape.
fn special_bytes(word: u64) -> u64 {
    const FLIP: u64 = u64::from_le_bytes([0x02; 8]);
    // As `needs_escape` has it.
    !bytes_from(word ^ FLIP, 0x21) | bytes_equal(word, b'\\')
}

fn needs_escape(byte: u8) -> bool {
    // Flipping one bit makes the quote, and nothing else, the neighbour of the control characters.
    ((byte ^ 0x02) <= 0x20) | (byte == b'\\')
}
