//! Text that was found admissible, and its content with line ends normalised (formats.md §3,
//! Admission 4 and 5). Determinism: D1.

#![forbid(unsafe_code)]

use super::control::{CR, LF, has_control, has_forbidden_control, has_forbidden_control_in_raw};
use super::nfc::is_nfc;
use super::utf8::is_continuation;
use crate::fault::Error;
use crate::search::run;

/// Raw text that was checked: valid UTF-8, in NFC with at most 30 consecutive characters of
/// non-zero combining class, no control character but LF and CR. Its *content* is the text with
/// CRLF and CR normalised to LF, which happens as it is read.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    raw: &'a [u8],
    /// Length of the content.
    len: usize,
    /// Whether to look for CR at all.
    has_cr: bool,
}

impl<'a> Text<'a> {
    /// The empty text.
    pub const EMPTY: Text<'static> = Text {
        raw: &[],
        len: 0,
        has_cr: false,
    };

    /// Checks `raw`, of any length. With `reject_del`, U+007F is a forbidden control character too.
    ///
    /// # Errors
    /// [`Error::Encoding`]: not UTF-8, not in NFC, too many marks in a row, or a forbidden control
    /// character.
    pub fn check(raw: &'a [u8], reject_del: bool) -> Result<Text<'a>, Error> {
        // Most text has no CR, and is then done with one look.
        let has_cr = has_forbidden_control(raw, reject_del);
        if has_cr && has_forbidden_control_in_raw(raw, reject_del) || !is_nfc(raw) {
            return Err(Error::Encoding);
        }
        Ok(Text::checked(raw, has_cr))
    }

    /// A text from bytes that passed the check.
    /// Text that the caller has checked; `has_cr` where a CR is in it.
    pub(crate) fn checked(raw: &'a [u8], has_cr: bool) -> Text<'a> {
        let dropped = if has_cr { count_crlf(raw) } else { 0 };
        Text {
            raw,
            len: raw.len().saturating_sub(dropped),
            has_cr,
        }
    }

    /// Length of the content in bytes: the raw length without the CR of each CRLF.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The content in order, as runs that are not empty: each is a part of the raw bytes without
    /// CR, or one LF that stands for a CR. A text without CR is one run; the empty text has none.
    #[must_use]
    pub fn runs(&self) -> Runs<'a> {
        Runs {
            rest: self.raw,
            has_cr: self.has_cr,
        }
    }

    /// The longest prefix of at most `raw_max` raw bytes that ends between two code points. Its
    /// content is a prefix of the content: a CRLF cut in two leaves a CR, which is read as LF.
    #[must_use]
    pub fn prefix(&self, raw_max: usize) -> Text<'a> {
        // The cut is before the first byte that is left out, unless that byte continues a character.
        let cut = match self.raw.get(..=raw_max) {
            Some(through) => through.iter().rposition(|&b| !is_continuation(b)),
            None => return *self,
        };
        let raw = self.raw.get(..cut.unwrap_or(0)).unwrap_or(&[]);
        Text::checked(raw, self.has_cr)
    }

    /// The bytes as they were given, before line ends are normalised.
    #[must_use]
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }
}

/// The content of a [`Text`] in runs: see [`Text::runs`].
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    rest: &'a [u8],
    has_cr: bool,
}

impl<'a> Iterator for Runs<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = match self.rest {
            [] => return None,
            // The LF is the line end, and begins the run.
            [CR, after @ ..] if after.first() == Some(&LF) => after,
            [CR, after @ ..] => {
                self.rest = after;
                return Some(&[LF]);
            }
            text => text,
        };
        let end = if self.has_cr {
            run(text, |byte| byte == CR)
        } else {
            text.len()
        };
        let (run, rest) = text.split_at_checked(end).unwrap_or((text, &[]));
        self.rest = rest;
        Some(run)
    }
}

/// The content of any bytes in runs, with CRLF and CR read as LF: [`Text::runs`] without the check.
#[must_use]
pub fn runs(raw: &[u8]) -> Runs<'_> {
    Runs {
        rest: raw,
        has_cr: true,
    }
}

/// Whether a piece of a text is admissible on its own: UTF-8, NFC, at most 30 consecutive
/// characters of non-zero combining class, and no character of U+0000 to U+001F at all, LF
/// included. U+007F is allowed. For the pieces between the escapes of a JSON string: an escaped
/// character composes with nothing, so that the text is in NFC when each piece is.
#[must_use]
pub fn check_piece(bytes: &[u8]) -> bool {
    // Most pieces are short and ASCII, and then done with one look.
    let plain = run(bytes, |byte| !(0x20..0x80).contains(&byte));
    plain == bytes.len() || (!has_control(bytes) && is_nfc(bytes))
}

/// Bytes looked at without stopping, so that it is done in vector code. Fewer than 256, so that a
/// count fits in a byte.
const STRIDE: usize = 64;

/// The number of CRs that an LF follows.
fn count_crlf(text: &[u8]) -> usize {
    let next = text.get(1..).unwrap_or(&[]);
    text.chunks(STRIDE)
        .zip(next.chunks(STRIDE))
        .map(|(these, next)| {
            these.iter().zip(next).fold(0u8, |count, (&b, &after)| {
                count.wrapping_add(u8::from((b == CR) & (after == LF)))
            })
        })
        .fold(0, |sum, count| sum.saturating_add(usize::from(count)))
}
