//! The escapes of JSON text that is the content of a string in a text of a record. Determinism: D1.
//!
//! Decision D38: `~j` reads the JSON that a string holds. Such a text is escaped twice, in the string and in the
//! record, and is read in place all the same. A backslash of the string is two in the record, and so is the
//! beginning of every escape here: a control character, which a record escapes otherwise, is in no string.

use core::fmt::Debug;

use super::name;
use super::source::{Plain, Source};

/// Whether a text is the content of a string in a JSON text.
pub trait Embedding: Copy + Debug {
    /// The text is no such content.
    const OUTSIDE: Self;

    /// The text is such content, if that is possible.
    const INSIDE: Self;

    /// Whether that is possible.
    const IS_POSSIBLE: bool;

    /// Whether the text is such content.
    fn is_inside(self) -> bool;
}

/// No text is the content of a string, so that nothing is asked while it is read.
#[cfg(not(target_os = "none"))]
#[derive(Clone, Copy, Debug)]
pub struct Impossible;

#[cfg(not(target_os = "none"))]
impl Embedding for Impossible {
    const OUTSIDE: Self = Impossible;
    const INSIDE: Self = Impossible;
    const IS_POSSIBLE: bool = false;

    #[inline(always)]
    fn is_inside(self) -> bool {
        false
    }
}

/// A text may be the content of a string.
#[derive(Clone, Copy, Debug)]
pub struct Possible(bool);

impl Embedding for Possible {
    const OUTSIDE: Self = Possible(false);
    const INSIDE: Self = Possible(true);
    const IS_POSSIBLE: bool = true;

    #[inline(always)]
    fn is_inside(self) -> bool {
        self.0
    }
}

/// What a text is that is outside. On a device one reader for all texts takes less code than two.
#[cfg(not(target_os = "none"))]
pub type Outside = Impossible;
/// What a text is that is outside. On a device one reader for all texts takes less code than two.
#[cfg(target_os = "none")]
pub type Outside = Possible;

/// Reads the escape at the front of `stored`, the bytes of a record: the code unit that it stands for, and its
/// length in the record.
pub fn read_escape(stored: &[u8]) -> Option<(u16, usize)> {
    let mut behind = Plain::new(stored).at(2);
    match behind.peek()? {
        // A quote or a backslash, which the record escapes once more.
        b'\\' => Some((u16::from(*stored.get(3)?), 4)),
        _ => Some((name::escape(&mut behind)?, behind.position())),
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::format;

    #[test]
    fn every_escape_gives_its_code_unit() {
        for (stored, expected) in [
            (r#"\\\"x"#, (0x22, 4)),
            (r"\\\\x", (0x5c, 4)),
            (r"\\/x", (0x2f, 3)),
            (r"\\b", (0x08, 3)),
            (r"\\t", (0x09, 3)),
            (r"\\n", (0x0a, 3)),
            (r"\\f", (0x0c, 3)),
            (r"\\r", (0x0d, 3)),
            (r"\\u0031", (0x31, 7)),
            (r"\\u00E9x", (0xe9, 7)),
            (r"\\ud83d\\ude00", (0xd83d, 7)),
        ] {
            assert_eq!(read_escape(stored.as_bytes()), Some(expected), "{stored}");
            for length in 0..expected.1 {
                let cut = stored.get(..length).unwrap();
                assert_eq!(read_escape(cut.as_bytes()), None, "{cut}");
            }
        }
        for byte in 0..0x80u8 {
            let stored = format!("\\\\u{byte:04x}");
            assert_eq!(read_escape(stored.as_bytes()), Some((byte.into(), 7)));
        }
    }
}
