//! Parts of a text that may be other text: encoded as hexadecimal digits or as base64, also several times over.
//! Determinism: D1.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::encoded_part::EncodedPart;
use crate::folded_text::{MIN_EXACT, handle_length};
use crate::spelt_numbers::find_spelt_numbers;

/// The most bytes between two bytes in hexadecimal digits: `, 0x`.
const MAX_BETWEEN: usize = 4;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How many encodings may lie over one another.
const MAX_DEPTH: usize = 3;

/// The fewest bytes of decoded text in which encoded text is sought.
const MIN_NESTED: usize = 4;

/// Finds every part that may be encoded text, or a number in another form. Where a part begins cannot be told when
/// letters stand before it, so each beginning is tried.
pub(crate) fn find_encoded_parts(text: &str) -> Vec<EncodedPart> {
    find_parts(text, MAX_DEPTH)
}

/// Finds parts in which `depth` encodings may lie over one another. Recurses as deep.
fn find_parts(text: &str, depth: usize) -> Vec<EncodedPart> {
    let mut parts = Vec::new();
    let bytes = hide_handles(text, &mut parts);
    find_base64(&bytes, &mut parts);
    find_hexadecimal(&bytes, &mut parts);
    find_spelt_numbers(text, &mut parts);
    if depth > 1 {
        let is_encoded =
            |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_ \r\n\t%\\:,&#;".contains(&byte);
        let may_nest = |part: &&EncodedPart| {
            part.decoded.len() >= MIN_NESTED && part.decoded.bytes().all(is_encoded)
        };
        let mut nested = Vec::new();
        for part in parts.iter().filter(may_nest) {
            for inner in find_parts(&part.decoded, depth - 1) {
                let (from, to) = (part.from, part.to);
                nested.push(EncodedPart { from, to, ..inner });
            }
        }
        parts.append(&mut nested);
    }
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
    let runs = find_runs(bytes, is_digit);
    for &(from, to) in runs.iter().filter(|(from, to)| to - from > MIN_EXACT) {
        decode_base64(bytes.get(from..to).unwrap_or_default(), from, to, parts);
    }
    for group in find_groups(bytes, &runs) {
        let digits = group
            .iter()
            .flat_map(|(from, to)| bytes.get(*from..*to).unwrap_or_default());
        let digits: Vec<u8> = digits.copied().collect();
        if let (Some((from, _)), Some((_, to))) = (group.first(), group.last()) {
            decode_base64(&digits, *from, *to, parts);
        }
    }
}

/// Decodes a run of digits from each of its first four on.
fn decode_base64(run: &[u8], from: usize, to: usize, parts: &mut Vec<EncodedPart>) {
    let (mut digits, mut decoded) = (Vec::new(), Vec::new());
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

/// The runs of bytes that `is_digit` takes.
fn find_runs(bytes: &[u8], is_digit: impl Fn(u8) -> bool) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut from = 0;
    for (at, byte) in bytes.iter().copied().chain([b' ']).enumerate() {
        if at == bytes.len() || !is_digit(byte) {
            if at > from {
                runs.push((from, at));
            }
            from = at + 1;
        }
    }
    runs
}

/// Runs that follow one another after white space, all of one length but for a shorter last one: lines of mail, or
/// digits with spaces between them.
fn find_groups<'a>(bytes: &[u8], runs: &'a [(usize, usize)]) -> Vec<&'a [(usize, usize)]> {
    let length = |at: usize| runs.get(at).map_or(0, |(from, to)| to - from);
    let follows = |at: usize| {
        let between = runs
            .get(at - 1)
            .zip(runs.get(at))
            .and_then(|((_, end), (start, _))| bytes.get(*end..*start));
        between.is_some_and(|between| {
            between.len() <= 2 && between.iter().all(u8::is_ascii_whitespace)
        })
    };
    let mut groups = Vec::new();
    let mut first = 0;
    while first < runs.len() {
        let mut end = first + 1;
        while end < runs.len() && follows(end) && length(end) == length(first) {
            end += 1;
        }
        // The runs of the same length, and the shorter one after them.
        let next = end;
        if end < runs.len() && follows(end) && length(end) < length(first) {
            end += 1;
        }
        if end - first > 1 {
            groups.extend(runs.get(first..end));
        }
        first = next;
    }
    groups
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

/// Keeps the texts in decoded bytes, as UTF-8, and as UTF-16 where every second byte may be zero.
fn keep_texts(from: usize, to: usize, decoded: &[u8], parts: &mut Vec<EncodedPart>) {
    keep_utf8(from, to, decoded, parts);
    if decoded.len() < 2 * MIN_EXACT || !may_be_utf16(decoded) {
        return;
    }
    for read in [u16::from_le_bytes, u16::from_be_bytes] {
        for skipped in 0..2 {
            let pairs = decoded
                .get(skipped..)
                .unwrap_or_default()
                .as_chunks::<2>()
                .0;
            let units = pairs.iter().map(|pair| read(*pair));
            let read: String = char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect();
            keep_runs(from, to, &read, parts);
        }
    }
}

/// Whether bytes may be units of UTF-16: the high bytes of a text are of one alphabet, or of the blocks of Hangul or of
/// ideographs, but for spaces and signs. Most of what only looks encoded is dropped here.
fn may_be_utf16(decoded: &[u8]) -> bool {
    let block = |high: u8| match high {
        0xac..=0xd7 => 0xac,
        0x34..=0x9f => 0x34,
        other => other,
    };
    let is_one_block = |skipped: usize| {
        let highs = decoded
            .iter()
            .skip(skipped)
            .step_by(2)
            .map(|high| block(*high));
        let mut letters = highs.filter(|high| !matches!(high, 0x20 | 0x30));
        match letters.find(|high| *high != 0) {
            Some(first) => letters.all(|high| high == first || high == 0),
            None => true,
        }
    };
    is_one_block(0) || is_one_block(1)
}

/// Keeps the texts in decoded bytes: runs of printed characters that are long enough to hold a string.
fn keep_utf8(from: usize, to: usize, decoded: &[u8], parts: &mut Vec<EncodedPart>) {
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
    keep_runs(from, to, &String::from_utf8_lossy(decoded), parts);
}

/// Keeps the runs of a decoded text that are long enough.
fn keep_runs(from: usize, to: usize, all: &str, parts: &mut Vec<EncodedPart>) {
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
