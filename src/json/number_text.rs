//! The text of a JSON number, as it is stored. Determinism: D1.
//!
//! Nobody escapes a digit, but a string that holds JSON may be written so all the same (decision D38).

use super::embedded;

/// What a number is written with, as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct NumberText<'a> {
    /// The stored bytes.
    pub stored: &'a [u8],
    /// Whether a backslash begins an escape of an embedded text (`src/json/embedded.rs`); else every byte stands
    /// for itself.
    pub is_embedded: bool,
}

impl<'a> NumberText<'a> {
    /// Text in which every byte stands for itself.
    #[must_use]
    pub fn unescaped(stored: &'a [u8]) -> Self {
        NumberText {
            stored,
            is_embedded: false,
        }
    }

    /// Moves on over the next byte, which may be escaped if `E`.
    // On a device the code for it counts.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn next<const E: bool>(&mut self) -> Option<u8> {
        let (&first, behind) = self.stored.split_first()?;
        if E && first == b'\\' && self.is_embedded {
            let (unit, length) = embedded::read_escape(self.stored)?;
            self.stored = self.stored.get(length..)?;
            return u8::try_from(unit).ok();
        }
        self.stored = behind;
        Some(first)
    }

    /// Moves on over `byte`, if that is next.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn skip<const E: bool>(&mut self, byte: u8) -> bool {
        let mut behind = *self;
        let is_next = behind.next::<E>() == Some(byte);
        if is_next {
            *self = behind;
        }
        is_next
    }

    /// Moves on over the digits that come next, of which there must be one, and gives them and their number.
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(super) fn take_digits<const E: bool>(&mut self) -> Option<(Self, usize)> {
        let start = *self;
        let mut count = 0usize;
        if !E {
            let digits = self.stored.iter();
            count = digits.take_while(|byte| byte.is_ascii_digit()).count();
            self.stored = self.stored.get(count..)?;
        } else {
            let mut behind = *self;
            while behind.next::<E>().is_some_and(|byte| byte.is_ascii_digit()) {
                *self = behind;
                count = count.wrapping_add(1);
            }
        }
        let length = start.stored.len().wrapping_sub(self.stored.len());
        let stored = start.stored.get(..length).filter(|_| count > 0)?;
        Some((NumberText { stored, ..start }, count))
    }
}
