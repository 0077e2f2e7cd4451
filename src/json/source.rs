//! A cursor over JSON text. Determinism: D1.
//!
//! The reader (formats.md §4, "Extracting the value") works on plain bytes and on text that is
//! itself escaped inside a record; this is what the two have in common.

use crate::search::run;

/// A copyable position in a JSON text, which yields the text's bytes.
///
/// `'a` is the lifetime of the stored text. Copying a cursor is how a reader comes back to a place.
pub trait Source<'a>: Copy {
    /// Whether `peek` may give [`ESCAPED_UNIT`].
    const HAS_ESCAPED_UNITS: bool = false;

    /// The byte of the text at this position; `None` at the end.
    fn peek(&self) -> Option<u8>;

    /// Moves on by one byte of the text; nothing at the end.
    fn bump(&mut self);

    /// The position of the cursor, as an offset into the stored bytes. It increases with every `bump`.
    fn position(&self) -> usize;

    /// Moves on over plain string content, quickly: at least to the end of the text, or to a
    /// byte that is a quote, a backslash or a control character, or to a byte that a `peek` has
    /// to look at. Only bytes that are plain content are passed over.
    fn skip_plain(&mut self);

    /// The stored bytes from `start`, an earlier `position`, to this position.
    fn since(&self, start: usize) -> &'a [u8];

    /// Moves on over the code unit that stands at this position where `peek` gives [`ESCAPED_UNIT`], and gives it.
    #[cold]
    fn take_escaped_unit(&mut self) -> u16 {
        self.bump();
        0
    }

    /// Whether a backslash in the stored bytes of a number begins an escape (`src/json/embedded.rs`).
    #[inline]
    fn is_embedded(&self) -> bool {
        false
    }

    /// Moves on over a quote, if there is one at this position.
    #[inline]
    fn skip_quote(&mut self) -> bool {
        let is_quote = self.peek() == Some(b'"');
        if is_quote {
            self.bump();
        }
        is_quote
    }

    /// Moves on over the bytes that numbers are written with.
    #[inline]
    fn skip_number(&mut self) {
        while self.peek().is_some_and(is_of_number) {
            self.bump();
        }
    }
}

/// What stands for a code unit beyond ASCII that is escaped around the text. No character of UTF-8 begins with it.
pub const ESCAPED_UNIT: u8 = 0x80;

/// Whether numbers are written with `byte`.
pub(super) fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// The cursor over plain bytes.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Plain<'a> {
    /// The beginning of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Plain { bytes, at: 0 }
    }

    /// A cursor over the same text at offset `position`.
    #[must_use]
    pub fn at(self, position: usize) -> Self {
        Plain {
            at: position,
            ..self
        }
    }
}

impl<'a> Source<'a> for Plain<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn bump(&mut self) {
        if self.at < self.bytes.len() {
            self.at = self.at.wrapping_add(1);
        }
    }

    fn position(&self) -> usize {
        self.at
    }

    fn skip_plain(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = run(rest, |byte| {
            (byte < 0x20) | (byte == b'"') | (byte == b'\\')
        });
        self.at = self.at.wrapping_add(length);
    }

    fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_content_ends_at_quotes_backslashes_and_controls() {
        for stop in 0..=255u8 {
            let mut bytes = [b'x'; 300];
            bytes[299] = stop;
            let mut cursor = Plain::new(&bytes);
            cursor.skip_plain();
            let stops = stop < 0x20 || stop == b'"' || stop == b'\\';
            assert_eq!(cursor.position(), if stops { 299 } else { 300 }, "{stop}");
        }
    }
}
