//! Text as it stands between the quotes of a canonical JSON string. Determinism: D1.
//!
//! formats.md §2 and §3: an oracle's answer is read in place, inside its record, in the escape
//! form of any profile; nothing is unescaped into a buffer.

use super::elements::pass_elements;
use super::embedded::{self, Embedding, Outside};
use super::source::{ESCAPED_UNIT, Source, is_of_number};
use crate::search::{IS_SMALL, run};

/// The bytes between the quotes of a canonical JSON string.
#[derive(Clone, Copy, Debug)]
pub struct EscapedText<'a>(&'a [u8]);

impl<'a> EscapedText<'a> {
    /// Takes `bytes` for valid: UTF-8, with the escapes `\"`, `\\`, `\b`, `\t`, `\n`, `\f`, `\r`
    /// and `\u00xx` (lower-case hex, a control character), and neither a bare quote nor a bare
    /// control character. Whoever reads the record has seen to that. Other bytes do no harm:
    /// a malformed escape reads as U+0000, which is not admissible anywhere in JSON.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        EscapedText(bytes)
    }

    /// The bytes as they stand.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// Hands the unescaped bytes to `put`, run by run.
    pub fn unescape(self, put: &mut dyn FnMut(&[u8])) {
        let mut cursor = self.cursor();
        loop {
            let start = cursor.position();
            cursor.skip_plain();
            put(cursor.since(start));
            let Some(byte) = cursor.peek() else { return };
            put(&[byte]);
            cursor.bump();
        }
    }

    /// Whether the unescaped bytes are `bytes`.
    #[must_use]
    pub fn is(self, bytes: &[u8]) -> bool {
        let mut cursor = self.cursor();
        for &byte in bytes {
            if cursor.peek() != Some(byte) {
                return false;
            }
            cursor.bump();
        }
        cursor.peek().is_none()
    }

    /// A cursor over the unescaped bytes, at the first.
    #[must_use]
    pub fn cursor(self) -> Cursor<'a> {
        self.cursor_at(0)
    }

    /// A cursor at a `position` that a cursor over this text has given.
    #[must_use]
    pub fn cursor_at(self, position: usize) -> Cursor<'a> {
        self.begin().at(position)
    }

    /// A cursor over the unescaped bytes, at the first, which may lead into strings if that is possible.
    pub(super) fn begin<E: Embedding>(self) -> Cursor<'a, E> {
        Cursor {
            bytes: self.0,
            at: 0,
            embedding: E::OUTSIDE,
        }
    }
}

/// A position in [`EscapedText`] text, which yields unescaped bytes. Positions are offsets into the
/// escaped bytes.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a, E = Outside> {
    bytes: &'a [u8],
    at: usize,
    /// Whether the text is the content of a string in a JSON text, whose escapes are undone as well.
    embedding: E,
}

impl<'a, E: Embedding> Cursor<'a, E> {
    /// A cursor over the text that a string of this JSON text holds: this is its first byte, and its closing
    /// quote ends at the position `end`. The text ends there.
    #[must_use]
    pub(super) fn embedded(self, end: usize) -> Self {
        let content = end.saturating_sub(QUOTE.len());
        Cursor {
            bytes: self.bytes.get(..content).unwrap_or_default(),
            at: self.at,
            embedding: E::INSIDE,
        }
    }

    /// A cursor over the same text at a `position` that a cursor over it has given.
    #[must_use]
    pub(super) fn at(self, position: usize) -> Self {
        Cursor {
            at: position,
            ..self
        }
    }

    /// The stored bytes from this position on.
    #[inline]
    pub(super) fn ahead(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Moves on over elements of an array, as [`pass_elements`] does, and returns their number. What is escaped in
    /// an embedded text is not plain.
    #[inline]
    pub(super) fn skip_elements(&mut self, is_first: bool, room: usize, most: u32) -> u32 {
        let (length, number) = pass_elements(self.ahead(), is_first, room, most);
        self.at = self.at.wrapping_add(length);
        number
    }

    /// The byte at this position if it stands for itself in the text of the answer and in the record,
    /// so that nothing has to be unescaped.
    #[inline]
    pub(super) fn peek_plain(&self) -> Option<u8> {
        self.bytes
            .get(self.at)
            .copied()
            .filter(|&byte| byte != b'\\')
    }

    /// The unescaped byte at this position and how many bytes stand for it.
    // On a device the code for it counts.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn unit(&self) -> Option<(u8, usize)> {
        let first = self.bytes.get(self.at).copied()?;
        if first != b'\\' {
            return Some((first, 1));
        }
        match escape(self.ahead()) {
            Some((b'\\', _)) if self.is_embedded() => Some(self.embedded_unit()),
            unit => Some(unit.unwrap_or((0, 1))),
        }
    }

    /// Moves on over the bytes that numbers are written with, where any may be escaped.
    #[cfg_attr(not(target_os = "none"), cold)]
    fn skip_escaped_number(&mut self) {
        while self.peek().is_some_and(is_of_number) {
            self.bump();
        }
    }

    /// The byte that stands for the escape of an embedded text at this position, and the escape's length.
    #[cold]
    #[inline(never)]
    fn embedded_unit(&self) -> (u8, usize) {
        let (unit, length) = embedded::read_escape(self.ahead()).unwrap_or((0, 1));
        let ascii = u8::try_from(unit).ok().filter(u8::is_ascii);
        (ascii.unwrap_or(ESCAPED_UNIT), length)
    }
}

/// What stands for a quote in a record.
const QUOTE: &[u8] = b"\\\"";

/// Reads the escape at the front of `bytes`: the byte it stands for and its length.
fn escape(bytes: &[u8]) -> Option<(u8, usize)> {
    let byte = match *bytes.get(1)? {
        b'"' => b'"',
        b'\\' => b'\\',
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'f' => 0x0c,
        b'r' => b'\r',
        _ => {
            let [b'\\', b'u', b'0', b'0', high, low] = *bytes.first_chunk::<6>()? else {
                return None;
            };
            let high = match high {
                b'0' => 0x00,
                b'1' => 0x10,
                _ => return None,
            };
            let low = match low {
                b'0'..=b'9' => low.wrapping_sub(b'0'),
                b'a'..=b'f' => low.wrapping_sub(b'a').wrapping_add(10),
                _ => return None,
            };
            return Some((high | low, 6));
        }
    };
    Some((byte, 2))
}

impl<'a, E: Embedding> Source<'a> for Cursor<'a, E> {
    const HAS_ESCAPED_UNITS: bool = E::IS_POSSIBLE;

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.unit().map(|(byte, _)| byte)
    }

    #[inline]
    fn bump(&mut self) {
        if let Some((_, length)) = self.unit() {
            self.at = self.at.wrapping_add(length);
        }
    }

    fn position(&self) -> usize {
        self.at
    }

    /// A quote, a backslash and a control character are all escaped here, so a backslash is the
    /// only byte to look for.
    fn skip_plain(&mut self) {
        self.at = self
            .at
            .wrapping_add(run(self.ahead(), |byte| byte == b'\\'));
    }

    #[inline]
    fn skip_quote(&mut self) -> bool {
        // A quote of an embedded text begins with two backslashes.
        let is_quote = self.ahead().starts_with(QUOTE);
        if is_quote {
            self.at = self.at.wrapping_add(QUOTE.len());
            return true;
        }
        let is_quote = self.is_embedded() && self.peek() == Some(b'"');
        if is_quote {
            self.bump();
        }
        is_quote
    }

    /// No byte of a number is escaped in a record, but any may be in a string.
    #[inline]
    fn skip_number(&mut self) {
        if !IS_SMALL {
            let bytes = self.ahead().iter();
            let length = bytes.take_while(|byte| is_of_number(**byte)).count();
            self.at = self.at.wrapping_add(length);
        }
        if IS_SMALL || self.is_embedded() {
            self.skip_escaped_number();
        }
    }

    #[cold]
    fn take_escaped_unit(&mut self) -> u16 {
        let (unit, length) = embedded::read_escape(self.ahead()).unwrap_or((0, 1));
        self.at = self.at.wrapping_add(length);
        unit
    }

    #[inline]
    fn is_embedded(&self) -> bool {
        self.embedding.is_inside()
    }

    fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    fn unescaped(bytes: &[u8]) -> Vec<u8> {
        let mut cursor = EscapedText::new(bytes).cursor();
        let mut out = Vec::new();
        while let Some(byte) = cursor.peek() {
            out.push(byte);
            cursor.bump();
        }
        assert_eq!(cursor.position(), bytes.len());
        out
    }

    #[test]
    fn every_escape_yields_its_byte() {
        assert_eq!(
            unescaped(br#"a\"\\\b\t\n\f\r\u0000\u000a\u001fz"#),
            b"a\"\\\x08\t\n\x0c\r\x00\x0a\x1fz"
        );
        assert_eq!(unescaped("é\u{10348}".as_bytes()), "é\u{10348}".as_bytes());
        for control in 0..0x20u8 {
            let text = std::format!("\\u{control:04x}");
            assert_eq!(unescaped(text.as_bytes()), [control]);
        }
    }

    #[test]
    fn a_malformed_escape_is_a_nul_and_its_tail() {
        for text in [
            "\\", "\\u", "\\u001", "\\u0020", "\\u001F", "\\u0100", "\\/", "\\x", "\\u001g",
        ] {
            let expected: Vec<u8> = [0].into_iter().chain(text.bytes().skip(1)).collect();
            assert_eq!(unescaped(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_cursor_comes_back_to_a_position() {
        let text = EscapedText::new(br#"ab\ncd"#);
        let mut cursor = text.cursor();
        cursor.skip_plain();
        assert_eq!((cursor.position(), cursor.peek()), (2, Some(b'\n')));
        cursor.bump();
        let mut back = text.cursor_at(cursor.position());
        assert_eq!(back.peek(), Some(b'c'));
        back.skip_plain();
        assert_eq!((back.peek(), back.since(4)), (None, b"cd".as_slice()));
        back.bump();
        assert_eq!(back.position(), 6);
    }
}
