//! Text as it is compared for a string that is guarded `exact`: as it is written, but for case, forms of characters that
//! are the same, white space and what is not seen. Determinism: D1.

use unicode_normalization::UnicodeNormalization;

use crate::characters::{Boundary, find_boundary, is_invisible, is_sign, to_ascii_digit};

/// A string that is guarded `exact`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiteralString {
    folded: Box<str>,
    /// Whether every digit is like every other.
    digits_alike: bool,
}

fn fold(text: &str, digits_alike: bool) -> String {
    let text = text.nfkc().filter(|c| !is_invisible(*c));
    let digits = text.map(|c| match to_ascii_digit(c) {
        Some(_) if digits_alike => '0',
        Some(digit) => digit,
        None => c,
    });
    digits
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .collect()
}

impl LiteralString {
    pub(crate) fn new(exact: &str, digits_alike: bool) -> LiteralString {
        LiteralString {
            // Signs at its ends belong to no word.
            folded: fold(exact.trim_matches(is_sign), digits_alike).into(),
            digits_alike,
        }
    }

    /// Whether the bytes of `text`, in NFC, are the string, and neither a part of a word nor of a number.
    pub(crate) fn stands_at(&self, text: &str, from: usize, to: usize) -> bool {
        let part = text.get(from..to).unwrap_or_default();
        let joint = |before: Option<char>, behind: Option<char>| {
            before
                .zip(behind)
                .map_or(Boundary::Open, |(before, behind)| {
                    find_boundary(before, behind)
                })
        };
        let before = text
            .get(..from)
            .and_then(|before| before.chars().next_back());
        let behind = text.get(to..).and_then(|behind| behind.chars().next());
        joint(before, part.chars().next()) == Boundary::Open
            && joint(part.chars().next_back(), behind) == Boundary::Open
            && *self.folded == *fold(part, self.digits_alike)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_compared_as_it_is_written() {
        for (text, exact, found) in [
            ("1130", "1130", true),
            ("11 30", "1130", true),
            ("１１３０", "1130", true),
            ("11:30", "1130", false),
            ("lI3o", "1130", false),
            ("SILVER KEY", "Silver Key", true),
            ("silver-key", "Silver Key", false),
            ("Halt", "Halt!", true),
        ] {
            let is_found = LiteralString::new(exact, false).stands_at(text, 0, text.len());
            assert_eq!(is_found, found, "{text}");
        }
        assert!(!LiteralString::new("key", false).stands_at("keys", 0, 3));
        assert!(LiteralString::new("4711", true).stands_at("a 9999.", 2, 6));
    }
}
