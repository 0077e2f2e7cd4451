//! Member names in bounded memory: no name twice in one object. Determinism: D1.
//!
//! formats.md §4, "Extracting the value". Names are kept as keyed 32-bit fingerprints; two that
//! are the same only say where to look, and the text itself decides, so the verdict is exact.

use super::escaped::{Cursor, EscapedText};
use super::name::Name;
use super::reader::{Reader, Token};
use super::siphash::SipHash;
use super::source::Source;
use crate::search::IS_SMALL;

/// The number of names that can be kept at a time, in 768 bytes of stack.
pub const CAPACITY: usize = 192;

/// Half of [`CAPACITY`].
pub const HALF: u8 = 96;

/// The names of the objects that are open, those of an inner object after those of the objects around it.
pub struct Names {
    fingerprints: [u32; CAPACITY],
    count: usize,
}

impl Names {
    /// A set without names.
    pub fn new() -> Self {
        Names {
            fingerprints: [0; CAPACITY],
            count: 0,
        }
    }

    /// The number of names that are kept, which is at most [`CAPACITY`].
    pub fn count(&self) -> u8 {
        u8::try_from(self.count).unwrap_or(u8::MAX)
    }

    /// Forgets all but the first `count` names.
    pub fn truncate(&mut self, count: u8) {
        self.count = self.count.min(usize::from(count));
    }

    /// Whether there is no room for two more, which is what one token may bring.
    pub fn are_full(&self) -> bool {
        self.count >= CAPACITY.wrapping_sub(1)
    }

    /// Keeps `fingerprint` if there is room.
    pub fn keep(&mut self, fingerprint: u32) {
        if let Some(place) = self.fingerprints.get_mut(self.count) {
            *place = fingerprint;
            self.count = self.count.wrapping_add(1);
        }
    }

    /// Whether `fingerprint` is among those kept after the first `from`.
    pub fn has(&self, from: u8, fingerprint: u32) -> bool {
        let kept = self.fingerprints.get(usize::from(from)..self.count);
        let (blocks, rest) = kept.unwrap_or_default().as_chunks::<64>();
        let among = |all: &[u32]| {
            all.iter()
                .fold(false, |any, &one| any | (one == fingerprint))
        };
        blocks.iter().any(|block| among(block)) || among(rest)
    }
}

/// The most ASCII characters of a name that is its own fingerprint.
const MAX_OWN: u64 = 3;

/// The fingerprint of the name at `name`. At most three ASCII characters are their own fingerprint, with their
/// number; of any other name it is SipHash-1-3 under `key` over the name's code units, cut to 32 bits.
pub fn fingerprint(key: &[u8; 16], name: Cursor<'_>) -> u32 {
    if !IS_SMALL && let Some(fingerprint) = fingerprint_of_few(name) {
        return fingerprint;
    }
    let mut hash = SipHash::new(key);
    let mut word = 0u64;
    let mut units = 0u64;
    for unit in Name::new(name) {
        let place = units.wrapping_mul(16) & 63;
        word |= u64::from(unit).wrapping_shl(u32::try_from(place).unwrap_or(0));
        units = units.wrapping_add(1);
        if units & 3 == 0 {
            hash.word(word);
            word = 0;
        }
    }
    if units <= MAX_OWN && word & 0xff80_ff80_ff80 == 0 {
        let [a, _, b, _, c, ..] = word.to_le_bytes();
        return u32::from_le_bytes([a, b, c, units.to_le_bytes()[0]]);
    }
    let length = units.wrapping_mul(2);
    let [a, b, c, d, ..] = hash.finish(word | length << 56).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// The fingerprint of a name of at most three ASCII characters that are spelt plainly.
fn fingerprint_of_few(name: Cursor<'_>) -> Option<u32> {
    let bytes = match *name.ahead() {
        [b'\\', b'"', ..] => [0, 0, 0, 0],
        [a, b'\\', b'"', ..] => [a, 0, 0, 1],
        [a, b, b'\\', b'"', ..] if b != b'\\' => [a, b, 0, 2],
        [a, b, c, b'\\', b'"', ..] if b != b'\\' && c != b'\\' => [a, b, c, 3],
        _ => return None,
    };
    (bytes[0] != b'\\' && bytes.is_ascii()).then(|| u32::from_le_bytes(bytes))
}

/// Whether the object at offset `object` has the name at `name` once more before it, by comparing
/// the names themselves. The text is valid up to there.
pub fn is_repeated(text: EscapedText<'_>, object: u32, name: Cursor<'_>, depth_limit: u8) -> bool {
    let object = usize::try_from(object).unwrap_or(usize::MAX);
    let mut reader = Reader::new(text.cursor_at(object), depth_limit);
    while let Ok(Some(token)) = reader.next() {
        if let Token::Key(earlier) = token
            && reader.depth() == 1
        {
            if earlier.position() >= name.position() {
                break;
            }
            if Name::new(earlier).eq(Name::new(name)) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_up_to_the_capacity() {
        let mut names = Names::new();
        for fingerprint in 0..CAPACITY as u32 + 10 {
            assert_eq!(u32::from(names.count()), fingerprint.min(CAPACITY as u32));
            assert!(!names.has(0, fingerprint));
            names.keep(fingerprint);
            assert_eq!(names.has(0, fingerprint), fingerprint < CAPACITY as u32);
        }
        assert!(names.has(0, 0) && !names.has(1, 0) && names.has(1, 1));
        assert_eq!(usize::from(HALF) * 2, CAPACITY);
        for (count, is_full) in [(191, true), (190, false)] {
            names.truncate(count);
            assert_eq!(names.are_full(), is_full);
        }
        names.truncate(100);
        assert!(names.has(0, 99) && !names.has(0, 100) && !names.has(100, 99));
        names.truncate(101);
        assert_eq!(names.count(), 100);
        assert!(!names.has(101, 0));
    }

    #[test]
    fn a_fingerprint_is_of_the_key_and_the_name() {
        let text = |bytes| EscapedText::new(bytes).cursor();
        let name = |bytes| fingerprint(&[1; 16], text(bytes));
        assert_eq!(name(br#"value\""#), name(br#"val\\u0075e\" : 1"#));
        assert_ne!(name(br#"value\""#), name(br#"valu\""#));
        assert_ne!(name(br#"\\u0000\""#), name(br#"\\u0000\\u0000\""#));
        assert_ne!(
            fingerprint(&[2; 16], text(br#"long\""#)),
            name(br#"long\""#)
        );
    }

    #[test]
    fn few_ascii_characters_are_their_own_fingerprint_however_they_are_spelt() {
        for (name, own) in [
            (&br#"\""#[..], 0),
            (br#"\\u0000\""#, 0x0100_0000),
            (br#"a\""#, 0x0100_0061),
            (br#"\\u0061\""#, 0x0100_0061),
            (br#"ab\""#, 0x0200_6261),
            (br#"a\\u0062\""#, 0x0200_6261),
            (br#"\\\\\""#, 0x0100_005c),
            (br#"\\\"\""#, 0x0100_0022),
            (br#"a\\\"\""#, 0x0200_2261),
            (br#"\\n\""#, 0x0100_000a),
            (br#"a\\\\b\""#, 0x0362_5c61),
            (br#"abc\""#, 0x0363_6261),
            (br#"\\u0061\\u0062\\u0063\""#, 0x0363_6261),
        ] {
            let name = EscapedText::new(name).cursor();
            assert_eq!(fingerprint(&[1; 16], name), own, "{name:?}");
        }
        let few = |name: &str| fingerprint_of_few(EscapedText::new(name.as_bytes()).cursor());
        assert_eq!(few("abc\\\""), Some(0x0363_6261));
        for name in ["abcd\\\"", "é\\\"", "a\\\\n\\\"", "ab", "\\u0000\\\""] {
            assert_eq!(few(name), None, "{name}");
        }
    }

    #[test]
    fn repetition_is_within_one_object() {
        let text = EscapedText::new(br#"[{\"a\":1},{\"b\":{\"a\":2},\"a\":3,\"a\":4}]"#);
        let object = 11;
        let third = text.cursor_at(30);
        let fourth = text.cursor_at(38);
        assert_eq!(
            (third.since(27), third.peek()),
            (&br#",\""#[..], Some(b'a'))
        );
        assert_eq!(fourth.peek(), Some(b'a'));
        assert!(!is_repeated(text, object, third, 32));
        assert!(is_repeated(text, object, fourth, 32));
    }
}
