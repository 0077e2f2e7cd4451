//! Parts of a text that may be other text, encoded as hexadecimal digits or as base64. Determinism: D1.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::folded_text::{MIN_EXACT, handle_length};

/// A part of a text, and what it says decoded.
#[derive(Debug)]
pub(crate) struct EncodedPart {
    /// The bytes of the part.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) decoded: String,
}

/// The most bytes between two bytes in hexadecimal digits: `, 0x`.
const MAX_BETWEEN: usize = 4;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Finds every part that may be encoded text. Where a part begins cannot be told when letters stand before it, so
/// each beginning is tried.
pub(crate) fn find_encoded_parts(text: &str) -> Vec<EncodedPart> {
    let mut parts = Vec::new();
    let bytes = hide_handles(text, &mut parts);
    find_base64(&bytes, &mut parts);
    find_hexadecimal(&bytes, &mut parts);
    parts
}

/// The bytes of `text` with spaces for handles, in which nothing is searched. What looks like a handle, and is text
/// through and through, is none.
fn hide_handles(text: &str, parts: &mut Vec<EncodedPart>) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let in_word = |at| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            before.is_some_and(char::is_alphanumeric)
        };
        match handle_length(text, at, false).filter(|_| !in_word(at)) {
            Some(length) => {
                let (decoded, to) = decode_pairs(&bytes, at, at + length);
                let is_text = |text: &String| !text.chars().any(is_noise);
                if let Some(decoded) = String::from_utf8(decoded).ok().filter(is_text) {
                    let from = at;
                    parts.push(EncodedPart { from, to, decoded });
                }
                let handle = bytes.iter_mut().skip(at).take(length);
                handle.for_each(|byte| *byte = b' ');
                at += length;
            }
            None => at += 1,
        }
    }
    bytes
}

fn find_base64(bytes: &[u8], parts: &mut Vec<EncodedPart>) {
    let is_digit =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let (mut digits, mut decoded) = (Vec::new(), Vec::new());
    for (from, to) in find_runs(bytes, is_digit) {
        let run = bytes.get(from..to).unwrap_or_default();
        for skipped in 0..4 {
            digits.clear();
            digits.extend(run.iter().skip(skipped).map(|byte| match byte {
                b'-' => b'+',
                b'_' => b'/',
                other => *other,
            }));
            if digits.len() % 4 == 1 {
                digits.pop();
            }
            decoded.clear();
            if BASE64.decode_vec(&digits, &mut decoded).is_ok() {
                keep_texts(from, to, &decoded, parts);
            }
        }
    }
}

/// The runs of bytes that `is_digit` takes, where they are long enough.
fn find_runs(bytes: &[u8], is_digit: impl Fn(u8) -> bool) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut from = 0;
    for (at, byte) in bytes.iter().copied().chain([b' ']).enumerate() {
        if at == bytes.len() || !is_digit(byte) {
            if at - from > MIN_EXACT {
                runs.push((from, at));
            }
            from = at + 1;
        }
    }
    runs
}

fn find_hexadecimal(bytes: &[u8], parts: &mut Vec<EncodedPart>) {
    let mut at = 0;
    while at < bytes.len() {
        let (first, end) = decode_pairs(bytes, at, bytes.len());
        keep_texts(at, end, &first, parts);
        if first.len() >= MIN_EXACT {
            // An odd digit may stand before the first pair.
            let (second, end) = decode_pairs(bytes, at + 1, bytes.len());
            keep_texts(at, end, &second, parts);
        }
        at = end.max(at + 1);
    }
}

/// Decodes the pairs of hexadecimal digits from `at` to `limit`, with little between them; gives the bytes and where
/// the last pair ends.
fn decode_pairs(bytes: &[u8], at: usize, limit: usize) -> (Vec<u8>, usize) {
    let bytes = bytes.get(..limit).unwrap_or_default();
    let pair_at = |at: usize| -> Option<u8> {
        let high = char::from(*bytes.get(at)?).to_digit(16)?;
        let low = char::from(*bytes.get(at + 1)?).to_digit(16)?;
        u8::try_from(high * 16 + low).ok()
    };
    let (mut decoded, mut end) = (Vec::new(), at);
    let mut next = at;
    while let Some(byte) = pair_at(next) {
        decoded.push(byte);
        end = next + 2;
        let is_between = |place: &usize| {
            bytes
                .get(end..*place)
                .unwrap_or_default()
                .iter()
                .all(|byte| {
                    matches!(
                        byte,
                        b' ' | b'\n'
                            | b'\t'
                            | b':'
                            | b','
                            | b'%'
                            | b'\\'
                            | b'x'
                            | b'0'
                            | b'-'
                            | b'_'
                    )
                })
        };
        let places = end..=end + MAX_BETWEEN;
        // A 0 of `0x` is no digit of a pair.
        let prefixed = |place: &usize| bytes.get(*place + 1) == Some(&b'x');
        match places
            .take_while(is_between)
            .find(|place| pair_at(*place).is_some() && !prefixed(place))
        {
            Some(place) => next = place,
            None => break,
        }
    }
    (decoded, end)
}

/// Keeps the texts in decoded bytes: runs of printed characters that are long enough to hold a string.
fn keep_texts(from: usize, to: usize, decoded: &[u8], parts: &mut Vec<EncodedPart>) {
    // Most of what only looks encoded is dropped here.
    let may_be_text =
        |byte: &u8| *byte >= 0x80 || (b' '..=b'~').contains(byte) || byte.is_ascii_whitespace();
    let longest = decoded
        .split(|byte| !may_be_text(byte))
        .map(<[u8]>::len)
        .max();
    if longest < Some(MIN_EXACT) {
        return;
    }
    let all = String::from_utf8_lossy(decoded);
    let is_noise =
        |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control() && !c.is_whitespace();
    for text in all
        .split(is_noise)
        .filter(|text| text.chars().count() >= MIN_EXACT)
    {
        parts.push(EncodedPart {
            from,
            to,
            decoded: text.to_owned(),
        });
    }
}

/// Whether a character of decoded bytes is none of a text.
fn is_noise(c: char) -> bool {
    c == char::REPLACEMENT_CHARACTER || c.is_control() && !c.is_whitespace()
}
