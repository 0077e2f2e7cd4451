//! Member names in bounded memory: no name twice in one object. Determinism: D1.
//!
//! formats.md §4, "Extracting the value". Names are kept as keyed 32-bit fingerprints; two that
//! are the same only say where to look, and the text itself decides, so the verdict is exact.

use super::escaped::{Cursor, EscapedText};
use super::name::Name;
use super::reader::{Reader, Token};
use super::siphash::SipHash;
use super::source::Source;

/// The number of names that one pass over a text can keep, in 768 bytes of stack.
pub const CAPACITY: usize = 192;

/// The names met so far, each together with the object it is in.
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

    /// Forgets every name.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Whether no more can be kept.
    pub fn is_full(&self) -> bool {
        self.count >= CAPACITY
    }

    /// Keeps `fingerprint` if there is room.
    pub fn keep(&mut self, fingerprint: u32) {
        if let Some(place) = self.fingerprints.get_mut(self.count) {
            *place = fingerprint;
            self.count = self.count.wrapping_add(1);
        }
    }

    /// Whether `fingerprint` is among those kept.
    pub fn has(&self, fingerprint: u32) -> bool {
        let kept = self.fingerprints.get(..self.count).unwrap_or_default();
        let (blocks, rest) = kept.as_chunks::<64>();
        let among = |all: &[u32]| {
            all.iter()
                .fold(false, |any, &one| any | (one == fingerprint))
        };
        blocks.iter().any(|block| among(block)) || among(rest)
    }
}

/// The fingerprint of the name at `name` in the object that begins at offset `object`: SipHash-1-3
/// under `key` over the offset and the name's code units, cut to 32 bits.
pub fn fingerprint(key: &[u8; 16], object: u32, name: Cursor<'_>) -> u32 {
    let mut hash = SipHash::new(key);
    hash.word(u64::from(object));
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
    let length = units.wrapping_mul(2).wrapping_add(8);
    let [a, b, c, d, ..] = hash.finish(word | length << 56).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
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
            assert_eq!(names.is_full(), fingerprint >= CAPACITY as u32);
            assert!(!names.has(fingerprint));
            names.keep(fingerprint);
            assert_eq!(names.has(fingerprint), fingerprint < CAPACITY as u32);
        }
        assert!(names.has(0));
        names.clear();
        assert!(!names.has(0));
    }

    #[test]
    fn a_fingerprint_is_of_the_key_the_object_and_the_name() {
        let text = |bytes| EscapedText::new(bytes).cursor();
        let name = |bytes| fingerprint(&[1; 16], 0, text(bytes));
        assert_eq!(name(br#"value\""#), name(br#"val\\u0075e\" : 1"#));
        assert_ne!(name(br#"value\""#), name(br#"valu\""#));
        assert_ne!(name(br#"\""#), name(br#"\\u0000\""#));
        assert_ne!(name(br#"\\u0000\""#), name(br#"\\u0000\\u0000\""#));
        assert_ne!(fingerprint(&[2; 16], 0, text(br#"a\""#)), name(br#"a\""#));
        assert_ne!(fingerprint(&[1; 16], 1, text(br#"a\""#)), name(br#"a\""#));
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
