//! Whether a text is canonical JSON (RFC 8785). Determinism: D1.
//!
//! formats.md §2 and §3 (inputs of kind JSON), decisions D2. NFC is not a matter of this module.

use super::name::Name;
use super::reader::{Reader, Token};
use super::shortest::is_canonical_number;
use super::source::{Plain, Source};
use core::cmp::Ordering;
use core::mem::replace;

/// The largest number of objects and arrays open at once, the outermost included.
pub const MAX_DEPTH: usize = 128;

/// Whether `bytes` are exactly one JSON value in the form of RFC 8785.
///
/// That is: valid UTF-8; no white space; member names in strictly ascending order of the UTF-16
/// code units they stand for, so none twice; strings with `\"`, `\\`, the short escapes
/// `\b \t \n \f \r`, `\u00xx` in lower-case hex for the other characters below U+0020, and no other
/// escape; numbers as [`is_canonical_number`] has them, integers from −2^63 to 2^64−1 exact
/// (decisions D2); no lone surrogate. Text nested deeper than [`MAX_DEPTH`] is refused, canonical
/// or not.
#[must_use]
pub fn is_canonical_json(bytes: &[u8]) -> bool {
    core::str::from_utf8(bytes).is_ok() && is_canonical(Plain::new(bytes)).unwrap_or(false)
}

/// Reads valid UTF-8 to its end; `None` and `false` both say that it is not canonical.
fn is_canonical(text: Plain<'_>) -> Option<bool> {
    let mut reader = Reader::compact(text, u8::try_from(MAX_DEPTH).ok()?);
    // Where the last name of each open object stands, by depth; 0 before the first.
    let mut names = [0; MAX_DEPTH];
    while let Some(token) = reader.next().ok()? {
        let last_name = names.get_mut(usize::from(reader.depth()).wrapping_sub(1));
        let canonical = match token {
            Token::ObjectStart(_) => {
                *last_name? = 0;
                true
            }
            Token::Key(name) => {
                let last = replace(last_name?, name.position());
                is_canonical_string(name) && (last == 0 || ascends(text.at(last), name))
            }
            Token::String(content) => is_canonical_string(content),
            Token::Number(number) => is_canonical_number(number.stored),
            Token::ObjectEnd | Token::ArrayStart | Token::ArrayEnd | Token::Literal => true,
        };
        if !canonical {
            return Some(false);
        }
    }
    Some(true)
}

fn ascends(name: Plain<'_>, next: Plain<'_>) -> bool {
    Name::new(name).cmp(Name::new(next)) == Ordering::Less
}

/// Whether a valid string, from its content on, has no escape but those of RFC 8785 §3.2.2.2.
fn is_canonical_string(mut content: Plain<'_>) -> bool {
    loop {
        content.skip_plain();
        if content.peek() != Some(b'\\') {
            return true;
        }
        content.bump();
        match content.peek() {
            Some(b'"' | b'\\' | b'b' | b't' | b'n' | b'f' | b'r') => content.bump(),
            Some(b'u') => {
                let start = content.position();
                for _ in 0..5 {
                    content.bump();
                }
                let long = match content.since(start) {
                    [b'u', b'0', b'0', b'0', low] => {
                        matches!(low, b'0'..=b'7' | b'b' | b'e' | b'f')
                    }
                    [b'u', b'0', b'0', b'1', low] => matches!(low, b'0'..=b'9' | b'a'..=b'f'),
                    _ => false,
                };
                if !long {
                    return false;
                }
            }
            _ => return false,
        }
    }
}
