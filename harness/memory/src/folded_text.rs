//! Text folded for the search for exact strings, which finds a string in any spelling.
//!
//! Folded text is a sequence of shapes (`characters.rs`) without white space and invisible characters; a handle
//! (64 hexadecimal digits) is one shape that no string has. What separates is left out: between two digits up to three
//! characters that are neither letters nor digits, between two others up to two. Determinism: D1.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::characters::{
    Boundary, LetterCase, Shape, find_boundary, for_each_shape, is_invisible, is_letter, is_sign,
};

/// The fewest characters of an exact string, folded.
pub(crate) const MIN_EXACT: usize = 3;

/// The most characters of an exact string, without white space and invisible characters.
pub(crate) const MAX_EXACT: usize = 256;

/// From this many characters on, a string is found inside words. A string with a digit always is.
const LONG_EXACT: usize = 5;

/// The most characters between two digits that are left out.
const MAX_BETWEEN_DIGITS: usize = 3;

/// The most characters between a letter and a letter or digit that are left out. Between a member's name and its value
/// JSON has three.
const MAX_BETWEEN_LETTERS: usize = 2;

/// The shape of a handle: a noncharacter, which no exact string may have.
const OPAQUE: char = '\u{10ffff}';

/// A character of the folded text.
#[derive(Clone, Copy, Debug)]
struct FoldedChar {
    shape: char,
    is_digit: bool,
    is_letter: bool,
    /// Whether it is left out between letters: a sign, no picture.
    is_sign: bool,
    /// The bytes of the original it comes from; of the NFC text where the original is not in NFC.
    from: usize,
    to: usize,
    /// How it is joined to what stands before it and after it in the original.
    before: Boundary,
    behind: Boundary,
}

impl FoldedChar {
    fn is_word(&self) -> bool {
        self.is_digit || self.is_letter
    }
}

/// A text that is folded for searching.
#[derive(Clone, Debug)]
pub struct FoldedText {
    case: LetterCase,
    chars: Vec<FoldedChar>,
    /// How many visible characters the original has.
    visible: usize,
}

/// The text with a letter for each digit and sign that may stand for one in leet; each takes one byte, as before.
pub(crate) fn read_leet(text: &str) -> String {
    let letter = |c: char| match c {
        '4' | '@' => 'a',
        '8' => 'b',
        '3' => 'e',
        '6' | '9' => 'g',
        '!' => 'l',
        '5' | '$' => 's',
        '7' | '+' => 't',
        other => other,
    };
    text.chars().map(letter).collect()
}

/// Folds the case of `text`, in NFC; white space stays.
pub(crate) fn fold_case(text: &str) -> String {
    let fold = |c: char| c.to_uppercase().flat_map(char::to_lowercase);
    text.nfc().flat_map(fold).nfc().collect()
}

impl FoldedText {
    /// Folds `text`. Offsets are into it where it is in NFC.
    #[must_use]
    pub fn new(text: &str) -> FoldedText {
        FoldedText::with_case(text, LetterCase::Small)
    }

    /// Folds `text` by way of its small letters or of its capitals.
    pub(crate) fn with_case(text: &str, case: LetterCase) -> FoldedText {
        let mut folded = FoldedText {
            case,
            chars: Vec::with_capacity(text.len()),
            visible: 0,
        };
        if text.is_ascii() || unicode_normalization::is_nfc(text) {
            folded.fold_nfc(text);
        } else {
            folded.fold_nfc(&text.nfc().collect::<String>());
        }
        folded
    }

    fn fold_nfc(&mut self, text: &str) {
        // The original's last character, if it was visible and no handle.
        let mut last = None;
        let mut at = 0;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let in_word = last.is_some_and(char::is_alphanumeric);
            let handle = handle_length(text, at, in_word);
            let to = at + handle.unwrap_or(c.len_utf8());
            if handle.is_some() {
                self.push_handle(at, to);
                last = None;
            } else if is_invisible(c) {
                last = None;
            } else {
                let joint = last.map_or(Boundary::Open, |last| find_boundary(last, c));
                self.push_char(c, at, to, joint);
                last = Some(c);
            }
            at = to;
        }
    }

    fn push_handle(&mut self, from: usize, to: usize) {
        self.visible += 1;
        self.chars.push(FoldedChar {
            shape: OPAQUE,
            is_digit: false,
            is_letter: false,
            is_sign: false,
            from,
            to,
            before: Boundary::Open,
            behind: Boundary::Open,
        });
    }

    /// Adds the shapes of a character, which `joint` joins to the character before it.
    fn push_char(&mut self, c: char, from: usize, to: usize, joint: Boundary) {
        self.visible += 1;
        if let Some(last) = self.chars.last_mut() {
            last.behind = joint;
        }
        let first = self.chars.len();
        for_each_shape(c, self.case, &mut |Shape { shape, is_digit }| {
            self.chars.push(FoldedChar {
                shape,
                is_digit,
                is_letter: !is_digit && is_letter(c),
                is_sign: is_sign(c),
                from,
                to,
                before: Boundary::Closed,
                behind: Boundary::Closed,
            });
        });
        if let Some(char) = self.chars.get_mut(first) {
            char.before = joint;
            if char.is_digit || char.is_letter {
                self.drop_separators(first);
            }
        }
        if let Some(last) = self.chars.last_mut() {
            last.behind = Boundary::Open;
        }
    }

    /// Drops what separates the letter or digit at `at` from one before it.
    fn drop_separators(&mut self, at: usize) {
        let is_separator = |char: &&FoldedChar| !char.is_word() && char.shape != OPAQUE;
        let before = self.chars.get(..at).unwrap_or_default();
        let count = before.iter().rev().take_while(is_separator).count();
        let start = at - count;
        let last = start.checked_sub(1).and_then(|last| self.chars.get(last));
        let (Some(last), Some(char)) = (last, self.chars.get(at)) else {
            return;
        };
        let most = match last.is_digit && char.is_digit {
            true => MAX_BETWEEN_DIGITS,
            false if before.iter().skip(start).all(|char| char.is_sign) => MAX_BETWEEN_LETTERS,
            false => return,
        };
        if (1..=most).contains(&count) && last.shape != OPAQUE {
            self.chars.drain(start..at);
        }
    }

    /// The same text with every digit alike, and every letter that looks like a digit.
    #[must_use]
    pub(crate) fn with_digits_alike(mut self) -> FoldedText {
        for char in &mut self.chars {
            if matches!(char.shape, 'o' | 'l' | '2'..='9') {
                char.shape = '0';
            }
        }
        self
    }

    /// The same text without accents and whatever else is neither letter nor digit.
    #[must_use]
    pub(crate) fn loosened(mut self) -> FoldedText {
        self.chars.retain(|char| {
            (char.is_word() || char.shape == OPAQUE) && !is_combining_mark(char.shape)
        });
        self
    }

    /// What an occurrence of this text, loosened, must be like, forwards and backwards.
    pub(crate) fn as_loosely_sought(&self) -> [SoughtString; 2] {
        let forwards = SoughtString {
            needs_letter: false,
            inside_words: true,
            ..self.as_sought()
        };
        let backwards = SoughtString {
            shapes: forwards.shapes.iter().rev().copied().collect(),
            ..forwards.clone()
        };
        [forwards, backwards]
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
        self.chars().collect()
    }

    /// How many visible characters the original has.
    pub(crate) fn visible(&self) -> usize {
        self.visible
    }

    /// The folded characters.
    pub(crate) fn chars(&self) -> impl Iterator<Item = char> + '_ {
        self.chars.iter().map(|c| c.shape)
    }

    /// What an occurrence of this text, as an exact string, must be like.
    pub(crate) fn as_sought(&self) -> SoughtString {
        let has_digit = self.chars.iter().any(|c| c.is_digit);
        let has_letter = self.chars.iter().any(|c| c.is_letter);
        let is_long = self.visible >= LONG_EXACT;
        // After its last word a sign may be left out of the text, where another word follows.
        let is_edge =
            |char: &&FoldedChar| (has_digit || has_letter) && char.is_sign && !char.is_word();
        let before = self.chars.iter().take_while(is_edge).count();
        let behind = self.chars.iter().rev().take_while(is_edge).count();
        let word = self.chars.get(before..self.chars.len() - behind);
        SoughtString {
            shapes: word.unwrap_or_default().iter().map(|c| c.shape).collect(),
            // 111 looks like ill, and B11 like bill.
            needs_digit: has_digit && !(has_letter && is_long),
            needs_letter: has_letter,
            has_digit,
            inside_words: has_digit || is_long,
        }
    }

    /// Whether anything may begin at `at`, or inside a character or a number.
    pub(crate) fn may_begin(&self, at: usize) -> bool {
        self.chars
            .get(at)
            .is_some_and(|c| c.before != Boundary::Closed)
    }

    /// Whether `sought` stands at `start`.
    pub(crate) fn has_at(&self, start: usize, sought: &SoughtString) -> bool {
        let end = start + sought.shapes.len();
        let Some(window) = self.chars.get(start..end) else {
            return false;
        };
        let (Some(first), Some(last)) = (window.first(), window.last()) else {
            return false;
        };
        let fits = |joint| match joint {
            Boundary::Open => true,
            Boundary::InWord => sought.inside_words,
            Boundary::Closed => false,
        };
        fits(first.before)
            && fits(last.behind)
            && window
                .iter()
                .map(|c| c.shape)
                .eq(sought.shapes.iter().copied())
            && (!sought.needs_digit || window.iter().any(|c| c.is_digit))
            && (!sought.needs_letter || window.iter().any(|c| c.is_letter))
    }

    /// Whether the exact string `exact` stands in the text. `exact_strings.rs` has the quick search, which finds
    /// more: encoded strings, and capitals that look alike.
    #[must_use]
    pub fn contains_exact(&self, exact: &str) -> bool {
        let sought = FoldedText::with_case(exact, self.case).as_sought();
        (0..self.chars.len()).any(|start| self.has_at(start, &sought))
    }

    /// The bytes of the original from which these characters come.
    pub(crate) fn bytes(&self, start: usize, end: usize) -> (usize, usize) {
        let from = self.chars.get(start).map_or(0, |c| c.from);
        let last = end.checked_sub(1).and_then(|last| self.chars.get(last));
        (from, last.map_or(from, |c| c.to))
    }
}

/// An exact string that is sought, folded.
#[derive(Clone, Debug)]
pub(crate) struct SoughtString {
    pub(crate) shapes: Box<[char]>,
    /// Whether an occurrence has a digit, and whether it has a letter.
    needs_digit: bool,
    needs_letter: bool,
    /// Whether the string has a digit.
    pub(crate) has_digit: bool,
    /// Whether it is found inside words.
    inside_words: bool,
}

impl SoughtString {
    /// Whether the string has a letter.
    pub(crate) fn has_letter(&self) -> bool {
        self.needs_letter
    }
}

/// Whether a text holds 64 hexadecimal digits that nothing visible separates: an output may hold them as a handle, in
/// which no string is sought.
pub(crate) fn holds_handle(text: &str) -> bool {
    let mut digits = 0;
    text.chars().filter(|c| !is_invisible(*c)).any(|c| {
        digits = if c.is_ascii_hexdigit() { digits + 1 } else { 0 };
        digits == 64
    })
}

/// The length of a handle that stands alone at `at`: 64 hexadecimal digits.
pub(crate) fn handle_length(text: &str, at: usize, in_word: bool) -> Option<usize> {
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
            ("silver-key", "silver key", true),
            ("**Silver** Key", "silver key", true),
            ("Mor*de*cai", "Mordecai", true),
            ("silver ... key", "silver key", false),
            ("it is \u{2779}\u{277d}", "4711", false),
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
        let text = "x Stra\u{df}e 9,5!";
        let folded = FoldedText::new(text);
        assert_eq!(folded.text(), "xstrasse95!");
        let (from, to) = folded.bytes(1, 10);
        assert_eq!(&text[from..to], "Stra\u{df}e 9,5");
    }
}
