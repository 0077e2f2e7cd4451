//! The gates' own search for exact strings, which shares no code with the guard's.
//!
//! It finds a little less than the guard, by other means: a text is put into compatible form as a whole, a few
//! letters of other scripts are read as the Latin ones they look like, and the encoded forms of each string are
//! sought, where the guard decodes the text.

use std::collections::{BTreeSet, HashMap};

use unicode_normalization::UnicodeNormalization;

use crate::handle::Handle;

/// An exact string and the detail whose it is.
#[derive(Clone, Debug)]
pub(super) struct SearchedString {
    pub(super) handle: Handle,
    pub(super) fact: Handle,
    pub(super) exact: String,
    /// Whether it is looked for as it is written alone.
    pub(super) is_literal: bool,
}

/// Exact strings, ready to be sought in texts.
#[derive(Default)]
pub(super) struct PlainSearch {
    strings: Vec<SearchedString>,
    /// The strings by the first two characters of their plain text.
    plain: HashMap<[char; 2], Vec<(PlainText, usize)>>,
    /// The encoded forms of the strings by their first four digits.
    encoded: HashMap<[u8; 4], Vec<(String, usize)>>,
    /// The strings that are looked for as they are written alone.
    literal: Vec<(Vec<char>, usize)>,
}

/// A text without what does not show, in small letters.
struct PlainText {
    chars: Vec<PlainChar>,
    digits: usize,
    letters: usize,
}

#[derive(Clone, Copy)]
struct PlainChar {
    c: char,
    /// What stands for all characters that look like this one.
    like: char,
    /// Whether something that does not show, or nothing, stood before it.
    apart: bool,
}

impl PlainText {
    fn new(text: &str) -> PlainText {
        let mut chars: Vec<PlainChar> = Vec::new();
        let mut apart = true;
        for c in text
            .nfkc()
            .collect::<String>()
            .to_uppercase()
            .to_lowercase()
            .nfkc()
        {
            if c.is_whitespace() || c.is_control() || is_format(c) || is_blank(c) {
                apart = true;
                continue;
            }
            if c.is_ascii_digit() {
                apart |= drop_between_digits(&mut chars);
            }
            let like = look_alike(c);
            chars.push(PlainChar { c, like, apart });
            apart = false;
        }
        let count = |is: fn(char) -> bool| chars.iter().filter(|char| is(char.c)).count();
        PlainText {
            digits: count(|c| c.is_ascii_digit()),
            letters: count(char::is_alphabetic),
            chars,
        }
    }
}

/// Whether a character steers how others are set. The list is the gate's own, so that a hole in the guard's is
/// none here.
fn is_format(c: char) -> bool {
    match c {
        // Of all scripts: hyphenation, joining, direction, variation, notes between lines, tags.
        '\u{ad}' | '\u{34f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        // Of Arabic and Syriac; of Khmer and Mongolian; of Kaithi.
        '\u{600}'..='\u{605}'
        | '\u{61c}'
        | '\u{6dd}'
        | '\u{70f}'
        | '\u{890}'
        | '\u{891}'
        | '\u{8e2}' => true,
        '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{110bd}' | '\u{110cd}' => true,
        // Of Egyptian hieroglyphs, shorthand and music.
        '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        _ => false,
    }
}

/// Whether a character holds a place and is drawn as nothing.
fn is_blank(c: char) -> bool {
    match c {
        // The fillers of Hangul, and of Khitan.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{16fe4}' => true,
        // The blanks of Braille, of Egyptian hieroglyphs and of music.
        '\u{2800}' | '\u{13441}' | '\u{13442}' | '\u{1d159}' => true,
        _ => false,
    }
}

/// Drops up to three signs at the end that have a digit before them; says whether there were any.
fn drop_between_digits(chars: &mut Vec<PlainChar>) -> bool {
    let signs = chars
        .iter()
        .rev()
        .take_while(|char| !char.c.is_alphanumeric() && char.c.is_ascii());
    let count = signs.count();
    let start = chars.len() - count;
    let behind_digit = start
        .checked_sub(1)
        .and_then(|at| chars.get(at))
        .is_some_and(|char| char.c.is_ascii_digit());
    let drops = behind_digit && (1..=3).contains(&count);
    if drops {
        chars.truncate(start);
    }
    drops
}

fn look_alike(c: char) -> char {
    match c {
        '0' | '\u{43e}' => 'o',
        '1' | 'i' | '|' | '\u{456}' => 'l',
        '\u{430}' => 'a',
        '\u{435}' => 'e',
        '\u{440}' => 'p',
        '\u{441}' => 'c',
        '\u{443}' => 'y',
        '\u{445}' => 'x',
        '\u{455}' => 's',
        other => other,
    }
}

impl PlainSearch {
    pub(super) fn add(&mut self, string: SearchedString) {
        let index = self.strings.len();
        if string.is_literal {
            let chars = literal_chars(&string.exact).into_iter().map(|(c, _)| c);
            self.literal.push((chars.collect(), index));
            self.strings.push(string);
            return;
        }
        for form in encoded_forms(&string.exact) {
            if let Some(start) = form.as_bytes().first_chunk::<4>() {
                self.encoded.entry(*start).or_default().push((form, index));
            }
        }
        let plain = PlainText::new(&string.exact);
        if let [first, second, ..] = plain.chars.as_slice() {
            let start = [first.like, second.like];
            self.plain.entry(start).or_default().push((plain, index));
        }
        self.strings.push(string);
    }

    pub(super) fn strings(&self) -> &[SearchedString] {
        &self.strings
    }

    /// Finds the strings in `text`; gives one array per place, with each string that stands there.
    pub(super) fn find_in(&self, text: &str) -> Vec<Vec<&SearchedString>> {
        let mut places: HashMap<(usize, usize), BTreeSet<usize>> = HashMap::new();
        let searched = PlainText::new(&without_handles(text));
        for start in 0..searched.chars.len() {
            let Some([first, second]) = searched.chars.get(start..start + 2) else {
                break;
            };
            let sought = self.plain.get(&[first.like, second.like]);
            for (string, index) in sought.into_iter().flatten() {
                if stands_at(&searched, start, string) {
                    let end = start + string.chars.len();
                    places.entry((start, end)).or_default().insert(*index);
                }
            }
        }
        let mut found: Vec<BTreeSet<usize>> = places.into_values().collect();
        found.extend(self.find_encoded(text));
        found.extend(self.find_literal(text));
        let strings = |indices: BTreeSet<usize>| {
            let strings = indices
                .into_iter()
                .filter_map(|index| self.strings.get(index));
            strings.collect()
        };
        found.into_iter().map(strings).collect()
    }

    fn find_literal(&self, text: &str) -> Vec<BTreeSet<usize>> {
        if self.literal.is_empty() {
            return Vec::new();
        }
        let chars = literal_chars(&without_handles(text));
        let is_apart = |at: usize| {
            let before = at.checked_sub(1).and_then(|at| chars.get(at));
            match (before, chars.get(at)) {
                (Some((before, _)), Some((behind, apart))) => {
                    *apart || !before.is_alphanumeric() || !behind.is_alphanumeric()
                }
                _ => true,
            }
        };
        let mut found = Vec::new();
        for (string, index) in &self.literal {
            for (at, part) in chars.windows(string.len().max(1)).enumerate() {
                let is_same = part.iter().map(|(c, _)| c).eq(string);
                if is_same && is_apart(at) && is_apart(at + string.len()) {
                    found.push(BTreeSet::from([*index]));
                }
            }
        }
        found
    }

    fn find_encoded(&self, text: &str) -> Vec<BTreeSet<usize>> {
        let mut found = Vec::new();
        let is_digit = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '/';
        // The digits of a handle are nobody's text.
        let runs = text
            .split(|c| !is_digit(c))
            .filter(|run| Handle::parse(run).is_none());
        for run in runs {
            for (at, start) in run.as_bytes().windows(4).enumerate() {
                let Ok(start) = <[u8; 4]>::try_from(start) else {
                    continue;
                };
                let rest = run.get(at..).unwrap_or_default();
                let forms = self.encoded.get(&start).into_iter().flatten();
                let standing = forms.filter(|(form, _)| rest.starts_with(form.as_str()));
                let indices: BTreeSet<usize> = standing.map(|(_, index)| *index).collect();
                if !indices.is_empty() {
                    found.push(indices);
                }
            }
        }
        found
    }
}

/// The characters of a text in small letters and compatible forms, without what does not show; and whether that stood
/// before each.
fn literal_chars(text: &str) -> Vec<(char, bool)> {
    let (mut chars, mut apart) = (Vec::new(), true);
    let folded = text
        .nfkc()
        .collect::<String>()
        .to_uppercase()
        .to_lowercase();
    for c in folded.nfkc() {
        if c.is_whitespace() || c.is_control() || is_format(c) || is_blank(c) {
            apart = true;
            continue;
        }
        chars.push((c, apart));
        apart = false;
    }
    chars
}

/// The text with one sign for each handle, whose digits are nobody's.
fn without_handles(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    for run in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = run.trim_end_matches(|c: char| !c.is_alphanumeric());
        match Handle::parse(word) {
            Some(_) => rest.extend(["\u{fffc}", run.get(word.len()..).unwrap_or_default()]),
            None => rest.push_str(run),
        }
    }
    rest
}

/// Whether `string` stands at `start`: as it is, or with characters that look alike; as whole words where it is
/// short and has no digit; and never as part of a longer number.
fn stands_at(text: &PlainText, start: usize, string: &PlainText) -> bool {
    let end = start + string.chars.len();
    let Some(part) = text.chars.get(start..end) else {
        return false;
    };
    if !part
        .iter()
        .map(|char| char.like)
        .eq(string.chars.iter().map(|char| char.like))
    {
        return false;
    }
    let digits = part.iter().filter(|char| char.c.is_ascii_digit()).count();
    let letters = part.iter().filter(|char| char.c.is_alphabetic()).count();
    let needs_digit = string.digits > 0 && (string.letters == 0 || string.chars.len() < 5);
    if needs_digit && digits == 0 || string.letters > 0 && letters == 0 {
        return false;
    }
    let is_long = string.digits > 0 || string.chars.len() >= 5;
    let may_touch = |one: char, other: char| match (one.is_numeric(), other.is_numeric()) {
        (true, true) => false,
        _ if !one.is_alphanumeric() || !other.is_alphanumeric() => true,
        // What no script joins, the guard may take for a word of its own; the gate does not.
        _ => is_long && one.is_ascii() && other.is_ascii(),
    };
    let at = |index: usize| text.chars.get(index);
    let before = match (start.checked_sub(1).and_then(at), at(start)) {
        (Some(before), Some(first)) => first.apart || may_touch(before.c, first.c),
        _ => true,
    };
    let behind = match (at(end), end.checked_sub(1).and_then(at)) {
        (Some(behind), Some(last)) => behind.apart || may_touch(last.c, behind.c),
        _ => true,
    };
    before && behind
}

/// A string in hexadecimal digits, and the digits of base64 that it has wherever it stands in an encoded text.
fn encoded_forms(exact: &str) -> Vec<String> {
    use base64::Engine;
    let bytes = exact.as_bytes();
    let mut forms = vec![hexadecimal(exact)];
    for before in 0..3 {
        let mut text = vec![0; before];
        text.extend_from_slice(bytes);
        let encoded = base64::engine::general_purpose::STANDARD_NO_PAD.encode(&text);
        // The first digits depend on what stands before, the last on what follows.
        let first = [0, 2, 3].get(before).copied().unwrap_or_default();
        let last = text.len() * 8 / 6;
        forms.extend(encoded.get(first..last).map(str::to_owned));
    }
    forms.retain(|form| form.len() >= 6);
    forms
}

/// The bytes of a text in hexadecimal digits.
pub(super) fn hexadecimal(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory};
    use icu_properties::{CodePointMapData, CodePointSetData};

    use super::*;
    use crate::folded_text::FoldedText;

    /// What the gate misses, it cannot tell of the guard; what it finds beyond the guard would be a false alarm. Every
    /// invisible character is tried, of the others one in 61, and with `AXILOG_WIDE=1` all.
    #[test]
    fn a_string_is_found_with_any_invisible_character_in_it_and_no_other_than_by_the_guard() {
        let categories = CodePointMapData::<GeneralCategory>::new();
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let handle = Handle::parse(&"0".repeat(64)).unwrap();
        let mut search = PlainSearch::default();
        search.add(SearchedString {
            handle,
            fact: handle,
            exact: "silver key".to_owned(),
            is_literal: false,
        });
        let is_wide = std::env::var_os("AXILOG_WIDE").is_some();
        for c in '\0'..=char::MAX {
            let is_ignorable = categories.get(c) == GeneralCategory::Format
                || ignorable.contains(c)
                || "\u{2800}\u{13441}\u{13442}\u{16fe4}\u{1d159}".contains(c);
            if !(is_ignorable || is_wide || u32::from(c).is_multiple_of(61)) {
                continue;
            }
            let text = format!("s{c}i{c}l{c}v{c}e{c}r{c}k{c}e{c}y");
            let found = !search.find_in(&text).is_empty();
            assert!(found || !is_ignorable, "U+{:04X}", u32::from(c));
            let by_guard = FoldedText::new(&text).contains_exact("silver key");
            assert!(by_guard || !found, "U+{:04X}", u32::from(c));
        }
    }
}
