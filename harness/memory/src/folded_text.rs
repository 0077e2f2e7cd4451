//! Text folded for the search for exact strings, which finds a string in any spelling.
//!
//! Folded text is in NFC, without case, white space and invisible characters; a handle (64 hexadecimal
//! digits) is one character that no string has. An occurrence begins and ends at a boundary of words, so
//! that 471 is not found in 14711; in a script that sets no space between words it begins and ends
//! anywhere. Determinism: D1.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::compose;

/// The fewest characters of an exact string, folded.
pub(crate) const MIN_EXACT: usize = 3;

/// The most characters of an exact string, folded.
pub(crate) const MAX_EXACT: usize = 256;

/// The folded character of a handle: a noncharacter, which no exact string may have.
const OPAQUE: char = '\u{10ffff}';

/// A character of the folded text.
#[derive(Clone, Copy, Debug)]
struct FoldedChar {
    folded: char,
    /// The bytes of the original it comes from; of the NFC text where the original is not in NFC.
    from: usize,
    to: usize,
    /// Whether a word may begin before it, or end behind it.
    begins: bool,
    ends: bool,
}

/// A text that is folded for searching.
#[derive(Clone, Debug, Default)]
pub struct FoldedText {
    chars: Vec<FoldedChar>,
}

/// Whether a character is white space, a control, ignorable by default in Unicode, or a blank of any script.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character is of a script that sets no space between words: Thai to Tibetan, Myanmar, Khmer, kana,
/// ideographs.
fn is_unspaced_script(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Folds the case of a character by way of upper case, so that ß becomes ss, and the long s an s.
fn fold_char_case(c: char) -> impl Iterator<Item = char> {
    c.to_uppercase().flat_map(char::to_lowercase)
}

/// Folds the case of `text`, in NFC; white space stays.
pub(crate) fn fold_case(text: &str) -> String {
    text.nfc().flat_map(fold_char_case).nfc().collect()
}

impl FoldedText {
    /// Folds `text`. Offsets are into it where it is in NFC.
    #[must_use]
    pub fn new(text: &str) -> FoldedText {
        if text.is_ascii() || unicode_normalization::is_nfc(text) {
            return FoldedText::fold_nfc(text);
        }
        let composed: String = text.nfc().collect();
        FoldedText::fold_nfc(&composed)
    }

    fn fold_nfc(text: &str) -> FoldedText {
        let mut chars: Vec<FoldedChar> = Vec::with_capacity(text.len());
        // Whether the original's last character was a letter or digit.
        let mut in_word = false;
        // Whether there was white space behind the last c.
        let mut spaced = true;
        let mut at = 0;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let digits = handle_length(text, at, in_word);
            let to = at + digits.unwrap_or(c.len_utf8());
            let hidden = is_invisible(c);
            let word = digits.is_none() && !hidden && !is_unspaced_script(c) && c.is_alphanumeric();
            if !(in_word && word)
                && let Some(last) = chars.last_mut()
            {
                last.ends = true;
            }
            if digits.is_some() {
                chars.push(FoldedChar {
                    folded: OPAQUE,
                    from: at,
                    to,
                    begins: true,
                    ends: true,
                });
            } else if !hidden {
                let begins = !(in_word && word);
                for (index, folded) in fold_char_case(c).enumerate() {
                    // What case, or something that shows nothing, took apart is one character still.
                    if !folded.is_ascii()
                        && !spaced
                        && let Some(last) = chars.last_mut()
                        && let Some(whole) = compose(last.folded, folded)
                    {
                        (last.folded, last.to) = (whole, to);
                        continue;
                    }
                    chars.push(FoldedChar {
                        folded,
                        from: at,
                        to,
                        begins: begins && index == 0,
                        ends: false,
                    });
                    spaced = false;
                }
            }
            spaced = c.is_whitespace() || hidden && spaced;
            in_word = word;
            at = to;
        }
        if let Some(last) = chars.last_mut() {
            last.ends = true;
        }
        FoldedText { chars }
    }

    /// How many folded characters the text has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chars.len()
    }

    /// Whether the text has no visible character.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// The folded text.
    #[must_use]
    pub fn text(&self) -> String {
        self.chars.iter().map(|c| c.folded).collect()
    }

    /// Whether the text holds a handle, or digits that only white space or case keep from being one: an output
    /// may hold the digits as a handle, in which no string is searched.
    pub(crate) fn holds_handle(&self) -> bool {
        let mut digits = 0;
        self.chars().any(|c| {
            digits = if c.is_ascii_hexdigit() { digits + 1 } else { 0 };
            c == OPAQUE || digits == 64
        })
    }

    /// The folded characters.
    pub(crate) fn chars(&self) -> impl Iterator<Item = char> + '_ {
        self.chars.iter().map(|c| c.folded)
    }

    /// Whether a word may begin at `at`.
    pub(crate) fn begins(&self, at: usize) -> bool {
        self.chars.get(at).is_some_and(|c| c.begins)
    }

    /// Whether a word may end before `end`.
    pub(crate) fn ends(&self, end: usize) -> bool {
        let last = end.checked_sub(1).and_then(|last| self.chars.get(last));
        last.is_some_and(|c| c.ends)
    }

    /// The characters from `start` up to `end`.
    pub(crate) fn part(&self, start: usize, end: usize) -> String {
        let part = self.chars.get(start..end).unwrap_or_default();
        part.iter().map(|c| c.folded).collect()
    }

    /// Whether the exact string `exact` stands in the text. `exact_strings.rs` has the quick search.
    #[must_use]
    pub fn contains_exact(&self, exact: &str) -> bool {
        let exact: Vec<char> = FoldedText::new(exact).chars().collect();
        let length = exact.len();
        length > 0
            && self.chars.windows(length).any(|window| {
                window.first().is_some_and(|first| first.begins)
                    && window.last().is_some_and(|last| last.ends)
                    && window.iter().map(|c| c.folded).eq(exact.iter().copied())
            })
    }

    /// The bytes of the original from which these characters come.
    pub(crate) fn bytes(&self, start: usize, end: usize) -> (usize, usize) {
        let from = self.chars.get(start).map_or(0, |c| c.from);
        let last = end.checked_sub(1).and_then(|last| self.chars.get(last));
        (from, last.map_or(from, |c| c.to))
    }
}

/// The length of a handle that stands alone at `at`: 64 hexadecimal digits.
fn handle_length(text: &str, at: usize, in_word: bool) -> Option<usize> {
    let digits = text.as_bytes().get(at..at + 64)?;
    let alone = !in_word
        && digits
            .iter()
            .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        && !text
            .get(at + 64..)
            .and_then(|rest| rest.chars().next())
            .is_some_and(char::is_alphanumeric);
    alone.then_some(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_string_is_found_in_any_spelling() {
        let handle = "471".repeat(21) + "1";
        for (text, exact, found) in [
            ("the code is 4711.", "4711", true),
            ("the code is 4 7\n1 1", "4711", true),
            ("the code is 14711", "4711", false),
            ("the code is 47112", "4711", false),
            ("the code is 47\u{200b}11", "4711", true),
            ("THE SILVERKEY!", "Silver Key", true),
            ("silver-key", "silver key", false),
            ("the cafe\u{301} at noon", "caf\u{e9}", true),
            ("STRASSE 9", "stra\u{df}e 9", true),
            ("a,b;c", "b;c", true),
            ("4\u{e0101}7\u{0}11", "4711", true),
            ("a\u{3164}4711\u{2800}b", "4711", true),
            ("the cafe\u{34f}\u{301} at noon", "caf\u{e9}", true),
            ("the cafe \u{301}", "cafe", true),
            (
                "\u{3a4}\u{391}\u{3aa}\u{301}\u{396}",
                "\u{3c4}\u{3b1}\u{390}\u{3b6}",
                true,
            ),
            (
                "\u{9375}\u{306f}\u{6771}\u{4eac}\u{306b}",
                "\u{6771}\u{4eac}",
                true,
            ),
            (handle.as_str(), "4714", false),
            ("", "4711", false),
        ] {
            assert_eq!(
                FoldedText::new(text).contains_exact(exact),
                found,
                "{text:?} {exact:?}"
            );
        }
    }

    #[test]
    fn an_occurrence_has_its_place_in_the_original() {
        let text = "x Stra\u{df}e 9!";
        let folded = FoldedText::new(text);
        assert_eq!(folded.text(), "xstrasse9!");
        let (from, to) = folded.bytes(1, 9);
        assert_eq!(&text[from..to], "Stra\u{df}e 9");
    }
}
