//! A fast way over elements of arrays that are no policy's concern. Determinism: D1.
//!
//! Answers of many numbers are long arrays of numbers, of short arrays or of small objects. An element that is
//! spelt plainly is passed here without its tokens. What is not passed is not wrong: it is left to
//! [`super::reader`], token by token. So what is plain is a matter of speed, and only taking too much for valid
//! is a matter of truth.

use crate::search::{bytes_before, bytes_equal, bytes_from, run};

/// The most containers that are open at once within an element that is passed.
const MAX_OPEN: usize = 4;

/// The most names in the open objects of an element that is passed.
const MAX_NAMES: usize = 16;

/// What stands for a quote in a record.
const QUOTE: &[u8] = b"\\\"";

/// The length and the number of the elements at the front of `bytes`, which stand in a record as an answer's bytes
/// do, as far as they are plain: valid, complete, no object in one with two names that are or look alike, no
/// escape in a string, no white space, and no more than `room` containers open at once, nor than [`MAX_OPEN`]. At
/// most `most` are passed. Unless the first one `is_first` in its array, a comma is before it.
pub fn pass_elements(bytes: &[u8], is_first: bool, room: usize, most: u32) -> (usize, u32) {
    let mut ahead = Ahead {
        bytes,
        open: [(false, 0); MAX_OPEN],
        names: [0; MAX_NAMES],
        count: 0,
    };
    let (mut length, mut number) = (0, 0u32);
    while number < most
        && (is_first && number == 0 || ahead.pass_byte(b',').is_some())
        && ahead.pass_element(room).is_some()
    {
        number = number.wrapping_add(1);
        length = bytes.len().saturating_sub(ahead.bytes.len());
    }
    (length, number)
}

/// What is still ahead.
struct Ahead<'a> {
    bytes: &'a [u8],
    /// Of each open container whether it is an object, and how many names there were before it.
    open: [(bool, usize); MAX_OPEN],
    /// What the names of the open objects look like.
    names: [u64; MAX_NAMES],
    count: usize,
}

impl<'a> Ahead<'a> {
    /// Passes one element.
    #[inline]
    fn pass_element(&mut self, room: usize) -> Option<()> {
        self.count = 0;
        let mut depth = 0usize;
        loop {
            let first = *self.bytes.first()?;
            if let b'[' | b'{' = first {
                let is_object = first == b'{';
                *self.open.get_mut(depth).filter(|_| depth < room)? = (is_object, self.count);
                depth = depth.wrapping_add(1);
                self.pass(1)?;
                let end = if is_object { b'}' } else { b']' };
                if self.bytes.first() != Some(&end) {
                    if is_object {
                        self.pass_name(self.count)?;
                    }
                    continue;
                }
            } else {
                self.pass_scalar(first)?;
            }
            // A value has ended, or an empty container is about to.
            loop {
                let Some(inner) = depth.checked_sub(1) else {
                    return Some(());
                };
                let (is_object, before) = *self.open.get(inner)?;
                match (*self.bytes.first()?, is_object) {
                    (b',', _) => {
                        self.pass(1)?;
                        if is_object {
                            self.pass_name(before)?;
                        }
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.pass(1)?;
                        self.count = before;
                        depth = inner;
                    }
                    _ => return None,
                }
            }
        }
    }

    #[inline]
    fn pass_byte(&mut self, byte: u8) -> Option<()> {
        let (first, ahead) = self.bytes.split_first()?;
        self.bytes = ahead;
        (*first == byte).then_some(())
    }

    #[inline]
    fn pass(&mut self, length: usize) -> Option<&'a [u8]> {
        let (passed, ahead) = self.bytes.split_at_checked(length)?;
        self.bytes = ahead;
        Some(passed)
    }

    /// Passes a string, a number or a literal that begins with `first`.
    #[inline]
    fn pass_scalar(&mut self, first: u8) -> Option<()> {
        match first {
            b'\\' => {
                self.bytes = self.bytes.strip_prefix(QUOTE)?;
                let content = run(self.bytes, |byte| byte == b'\\');
                self.pass(content)?;
                self.bytes = self.bytes.strip_prefix(QUOTE)?;
            }
            b't' => self.bytes = self.bytes.strip_prefix(b"true")?,
            b'f' => self.bytes = self.bytes.strip_prefix(b"false")?,
            b'n' => self.bytes = self.bytes.strip_prefix(b"null")?,
            _ => {
                self.pass(number_length(self.bytes)?)?;
            }
        }
        Some(())
    }

    /// Passes the name of a member and its colon, where those of its object after the first `before` look
    /// different.
    #[inline]
    fn pass_name(&mut self, before: usize) -> Option<()> {
        self.bytes = self.bytes.strip_prefix(QUOTE)?;
        let word = u64::from_le_bytes(*self.bytes.first_chunk()?);
        let look = match bytes_before(bytes_equal(word, b'\\')) {
            8 => {
                let length = self.bytes.iter().position(|&byte| byte == b'\\')?;
                look_of_long(self.pass(length)?)
            }
            length => {
                self.pass(length)?;
                look_of_short(word, length)
            }
        };
        self.bytes = self.bytes.strip_prefix(b"\\\":")?;
        if self.names.get(before..self.count)?.contains(&look) {
            return None;
        }
        *self.names.get_mut(self.count)? = look;
        self.count = self.count.wrapping_add(1);
        Some(())
    }
}

/// A number that only a name of these `length` bytes has, below 8, at the front of `word`.
#[inline]
fn look_of_short(word: u64, length: usize) -> u64 {
    let bits = u32::try_from(length.wrapping_mul(8)).unwrap_or(0);
    let name = word & !u64::MAX.wrapping_shl(bits);
    name | (length as u64).wrapping_shl(56)
}

/// A number that is the same for equal names, and another one for most that are not equal.
fn look_of_long(name: &[u8]) -> u64 {
    name.iter().fold(0, |look: u64, &byte| {
        (look.rotate_left(7) ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The length of the number at the front of `bytes`, after which something else follows. An exponent is for
/// the reader.
#[inline]
fn number_length(bytes: &[u8]) -> Option<usize> {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    let start = usize::from(bytes.first() == Some(&b'-'));
    let digits = bytes.get(start..)?;
    // The places of what are no digits, the first at the front.
    let others = bytes_from(u64::from_le_bytes(*digits.first_chunk()?) ^ ZEROS, 10);
    let integer = bytes_before(others);
    let end = match digits.get(integer)? {
        b'.' => bytes_before(others & others.wrapping_sub(1)),
        _ => integer,
    };
    let is_integer = integer == 1 || integer > 1 && digits.first() != Some(&b'0');
    // Where more than the word would have to be looked at, the end is after it.
    let is_over = end < 8 && matches!(digits.get(end)?, b',' | b']' | b'}');
    (is_integer && end != integer.wrapping_add(1) && is_over).then(|| start.wrapping_add(end))
}
