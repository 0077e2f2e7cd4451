//! The content of a JSON string as UTF-16 code units. Determinism: D1.
//!
//! RFC 8785 §3.2.3 orders member names by UTF-16 code units, and formats.md §4 compares names
//! after unescaping; code units serve both, and JSON's `\u` escapes are code units already.

use super::source::{ESCAPED_UNIT, Source};

/// Iterates over the code units of a string that the reader has found valid.
///
/// It starts at the cursor, the first byte between the quotes, and ends before the closing quote.
#[derive(Clone, Copy, Debug)]
pub struct Name<S> {
    source: S,
    /// The second half of a surrogate pair whose first half has been given.
    low: Option<u16>,
}

impl<S> Name<S> {
    /// The content that begins at `source`.
    #[must_use]
    pub fn new(source: S) -> Self {
        Name { source, low: None }
    }
}

impl<'a, S: Source<'a>> Iterator for Name<S> {
    type Item = u16;

    // On a device the code for it counts.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn next(&mut self) -> Option<u16> {
        if let Some(low) = self.low.take() {
            return Some(low);
        }
        let byte = self.source.peek()?;
        if byte == b'"' {
            return None;
        }
        if S::HAS_ESCAPED_UNITS && byte == ESCAPED_UNIT {
            return Some(self.source.take_escaped_unit());
        }
        self.source.bump();
        match byte {
            b'\\' => escape(&mut self.source),
            0..0x80 => Some(u16::from(byte)),
            _ => Some(self.beyond_ascii(byte)),
        }
    }
}

impl<'a, S: Source<'a>> Name<S> {
    /// The code unit of the multi-byte character whose first byte `lead` has been passed.
    fn beyond_ascii(&mut self, lead: u8) -> u16 {
        let (bits, tail) = match lead {
            0..0xe0 => (lead & 0x1f, 1),
            0xe0..0xf0 => (lead & 0x0f, 2),
            _ => (lead & 0x07, 3),
        };
        let mut scalar = u32::from(bits);
        for _ in 0..tail {
            let byte = self.source.peek().unwrap_or(0);
            self.source.bump();
            scalar = scalar << 6 | u32::from(byte & 0x3f);
        }
        if tail < 3 {
            return unit(scalar);
        }
        let offset = scalar.wrapping_sub(0x1_0000);
        self.low = Some(unit(0xdc00 | offset & 0x3ff));
        unit(0xd800 | offset >> 10 & 0x3ff)
    }
}

/// The low sixteen bits.
#[allow(clippy::cast_possible_truncation)]
fn unit(bits: u32) -> u16 {
    bits as u16
}

/// Reads an escape whose backslash has been passed, and passes it: its code unit, or `None`
/// where there is no such escape.
pub(super) fn escape<'a, S: Source<'a>>(source: &mut S) -> Option<u16> {
    let letter = source.peek()?;
    source.bump();
    Some(match letter {
        b'"' | b'\\' | b'/' => u16::from(letter),
        b'b' => 0x08,
        b't' => 0x09,
        b'n' => 0x0a,
        b'f' => 0x0c,
        b'r' => 0x0d,
        b'u' => {
            let mut unit = 0;
            for _ in 0..4 {
                let digit = char::from(source.peek()?).to_digit(16)?;
                source.bump();
                unit = unit << 4 | u16::try_from(digit).ok()?;
            }
            unit
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::json::source::Plain;
    use std::{format, string::String, vec::Vec};

    fn units(content: &str) -> Vec<u16> {
        let text = format!("{content}\" and more");
        Name::new(Plain::new(text.as_bytes())).collect()
    }

    #[test]
    fn raw_characters_give_their_code_units() {
        for c in (0x20..=0x10ffff).filter_map(char::from_u32) {
            if c != '"' && c != '\\' {
                let mut expected = [0; 2];
                assert_eq!(units(&String::from(c)), c.encode_utf16(&mut expected));
            }
        }
    }

    #[test]
    fn escapes_give_their_code_units() {
        assert_eq!(
            units(r#"\"\\\/\b\t\n\f\r\u00e9\u00E9\ud83d\ude00"#),
            [
                0x22, 0x5c, 0x2f, 8, 9, 10, 12, 13, 0xe9, 0xe9, 0xd83d, 0xde00
            ]
        );
        assert!(units("").is_empty());
    }

    #[test]
    fn what_is_no_escape_is_none() {
        for text in [
            "", "x", "u", "u12", "u12g4", "U0041", "u 041", "u+041", "\n",
        ] {
            assert_eq!(escape(&mut Plain::new(text.as_bytes())), None, "{text}");
        }
    }
}
