//! Single characters as the search for exact strings takes them: what shows nothing, what stands without
//! spaces, digits of all scripts, and the shape of a character, which is the same for characters that look
//! alike. Determinism: D1.

use axilog_ledger::visible_text::is_deceptive;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use unicode_normalization::char::decompose_compatible;
use unicode_security::confusable_detection::skeleton;

/// Which case the shapes of a text are taken from. Some letters look like those of another script only as
/// capitals (В is like B), some only as small letters (ѕ is like s).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LetterCase {
    Small,
    Capital,
}

/// How two characters beside each other are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// Not at all: a word may begin or end between them.
    Open,
    /// Both belong to one word.
    InWord,
    /// Both belong to one number or one character: nothing begins or ends between them.
    Closed,
}

/// Whether a character is white space, is not seen, or is a line or frame that is drawn over the character before.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || is_deceptive(c)
        || matches!(c, '\u{334}'..='\u{338}' | '\u{20d0}'..='\u{20f0}')
}

/// Whether a character is of a script in which a word does not stand by itself: Hebrew, Arabic and Korean join
/// particles to it, and Thai to Tibetan, Myanmar, Khmer, kana and ideographs set no space between words.
fn is_unspaced_script(c: char) -> bool {
    matches!(c, '\u{591}'..='\u{5f4}' | '\u{620}'..='\u{65f}' | '\u{66e}'..='\u{6ef}'
        | '\u{6fa}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{870}'..='\u{8ff}' | '\u{e00}'..='\u{fff}'
        | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{318e}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97c}' | '\u{ac00}'..='\u{d7fb}' | '\u{f900}'..='\u{faff}'
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}')
}

/// How two characters are joined that stand beside each other.
pub(crate) fn find_boundary(before: char, behind: char) -> Boundary {
    let in_word = |c: char| c.is_alphanumeric() && !is_unspaced_script(c);
    match is_number(before) && is_number(behind) {
        true => Boundary::Closed,
        false if in_word(before) && in_word(behind) => Boundary::InWord,
        false => Boundary::Open,
    }
}

fn is_number(c: char) -> bool {
    c.is_ascii_digit()
        || !c.is_ascii() && c.is_numeric() && !matches!(c, '\u{3007}' | '\u{3021}'..='\u{3029}')
}

/// The ASCII digit of a decimal digit of any script. Unicode keeps the ten digits of a script together, in their order;
/// where several tens stand beside each other, as in mathematics, each begins with its zero.
pub(crate) fn to_ascii_digit(c: char) -> Option<char> {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let is_digit = |code: &u32| categories.get32(*code) == GeneralCategory::DecimalNumber;
    let code = u32::from(c);
    let before = (0..=code).rev().take_while(is_digit).count();
    let digit = before.checked_sub(1)? % 10;
    char::from_digit(u32::try_from(digit).ok()?, 10)
}

/// Numbers and letters in circles and squares that have no compatible form in Unicode: the first and the last of a run,
/// and what the first one shows. The others count on from it.
const ENCLOSED: [(char, char, Enclosed); 12] = [
    ('\u{24eb}', '\u{24f4}', Enclosed::Number(11, 1)),
    ('\u{24f5}', '\u{24fe}', Enclosed::Number(1, 1)),
    ('\u{24ff}', '\u{24ff}', Enclosed::Number(0, 1)),
    ('\u{2776}', '\u{277f}', Enclosed::Number(1, 1)),
    ('\u{2780}', '\u{2789}', Enclosed::Number(1, 1)),
    ('\u{278a}', '\u{2793}', Enclosed::Number(1, 1)),
    ('\u{3248}', '\u{324f}', Enclosed::Number(10, 10)),
    ('\u{1f10b}', '\u{1f10b}', Enclosed::Number(0, 1)),
    ('\u{1f10c}', '\u{1f10c}', Enclosed::Number(0, 1)),
    ('\u{1f150}', '\u{1f169}', Enclosed::Letter),
    ('\u{1f170}', '\u{1f189}', Enclosed::Letter),
    ('\u{1f1e6}', '\u{1f1ff}', Enclosed::Letter),
];

/// What a run of [`ENCLOSED`] shows: numbers from one on in steps, or the letters from A on.
#[derive(Clone, Copy)]
enum Enclosed {
    Number(u32, u32),
    Letter,
}

/// What an enclosed character shows in ASCII.
fn find_enclosed(c: char) -> Option<String> {
    let (first, _, shown) = ENCLOSED
        .iter()
        .find(|(first, last, _)| (*first..=*last).contains(&c))?;
    let at = u32::from(c) - u32::from(*first);
    match shown {
        Enclosed::Number(number, step) => Some((number + at * step).to_string()),
        Enclosed::Letter => char::from_u32(u32::from('A') + at).map(String::from),
    }
}

/// Whether a character is a letter, or shows one: in brackets, or on a flag.
pub(crate) fn is_letter(c: char) -> bool {
    c.is_alphabetic()
        || matches!(c, '\u{249c}'..='\u{24b5}' | '\u{1f110}'..='\u{1f129}' | '\u{1f1e6}'..='\u{1f1ff}')
}

/// Whether a character is a sign that may stand inside a word and be left out: punctuation or markup. A picture, an arrow
/// or an accent is none.
pub(crate) fn is_sign(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    GeneralCategoryGroup::Punctuation
        .union(GeneralCategoryGroup::Symbol)
        .contains(category)
        && category != GeneralCategory::OtherSymbol
}

/// A shape that a character has in a text, and whether it is that of a digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) shape: char,
    pub(crate) is_digit: bool,
}

/// Hands the shapes of a character to `visit`: of its compatible form (NFKD), without case, and the same for
/// characters that look alike.
pub(crate) fn for_each_shape(c: char, case: LetterCase, visit: &mut dyn FnMut(Shape)) {
    if c.is_ascii() {
        return visit_ascii(c, case, visit);
    }
    if let Some(digit) = to_ascii_digit(c) {
        return visit_ascii(digit, case, visit);
    }
    if let Some(shown) = find_enclosed(c) {
        return shown.chars().for_each(|c| visit_ascii(c, case, visit));
    }
    let mut parts = Vec::new();
    decompose_compatible(c, |part| parts.push(part));
    // A character like ⑷ or ⒋ or 🄐 is what it has in its brackets.
    let has_inside = parts.len() > 1 && parts.iter().any(char::is_ascii_alphanumeric);
    parts.retain(|part| !(has_inside && matches!(part, '(' | ')' | '.' | ',')));
    // By way of capitals ß becomes ss, and the long s an s.
    let parts = parts.into_iter().flat_map(char::to_uppercase);
    match case {
        LetterCase::Small => parts
            .flat_map(char::to_lowercase)
            .for_each(|part| visit_look_alikes(part, case, visit)),
        LetterCase::Capital => parts.for_each(|part| visit_look_alikes(part, case, visit)),
    }
}

/// Hands over the shapes of what Unicode says looks like `c`.
fn visit_look_alikes(c: char, case: LetterCase, visit: &mut dyn FnMut(Shape)) {
    if c.is_ascii() {
        return visit_ascii(c, case, visit);
    }
    for alike in skeleton(c.encode_utf8(&mut [0; 4])).flat_map(char::to_lowercase) {
        match alike.is_ascii() {
            true => visit_ascii(alike, case, visit),
            false => visit(Shape {
                shape: alike,
                is_digit: false,
            }),
        }
    }
}

/// Hands over the shapes of an ASCII character: 0 is like O; 1, I and | are like l; m is like rn.
fn visit_ascii(c: char, case: LetterCase, visit: &mut dyn FnMut(Shape)) {
    let is_digit = c.is_ascii_digit();
    let mut visit = |shape| visit(Shape { shape, is_digit });
    match c.to_ascii_lowercase() {
        '0' => visit('o'),
        '1' | 'i' | '|' => visit('l'),
        'm' if case == LetterCase::Small => ['r', 'n'].into_iter().for_each(visit),
        other => visit(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(c: char) -> String {
        let mut shapes = String::new();
        for_each_shape(c, LetterCase::Small, &mut |shape| shapes.push(shape.shape));
        shapes
    }

    /// The digits of every script, by the category of each code point; with what they are worth by another source:
    /// their names end in the digit's word, of which the standard library knows nothing, but each ten begins at zero.
    #[test]
    fn the_digits_of_every_script_stand_in_tens() {
        let categories = CodePointMapData::<GeneralCategory>::new();
        let is_digit = |c: &char| categories.get(*c) == GeneralCategory::DecimalNumber;
        let digits: Vec<char> = ('\0'..=char::MAX).filter(is_digit).collect();
        assert!(digits.len() >= 760, "{}", digits.len());
        for ten in digits.chunks(10) {
            let values: Vec<u32> = ten
                .iter()
                .filter_map(|c| to_ascii_digit(*c)?.to_digit(10))
                .collect();
            assert_eq!(values, (0..10).collect::<Vec<_>>(), "{ten:?}");
            let codes: Vec<u32> = ten
                .iter()
                .map(|c| u32::from(*c) - u32::from(ten[0]))
                .collect();
            assert_eq!(codes, values, "{ten:?}");
        }
        assert_eq!(to_ascii_digit('a'), None);
    }

    #[test]
    fn an_enclosed_character_is_what_it_shows() {
        for (c, shown) in [
            ('❹', "4"),
            ('➃', "4"),
            ('➍', "4"),
            ('⓸', "4"),
            ('⓿', "o"),
            ('⓫', "ll"),
            ('❿', "lo"),
            ('㉈', "lo"),
            ('㉏', "8o"),
            ('🄋', "o"),
            ('⒨', "rn"),
            ('🅚', "k"),
            ('🅺', "k"),
            ('🇰', "k"),
            ('🄺', "k"),
            ('ⓚ', "k"),
        ] {
            assert_eq!(shapes(c), shown, "{c}");
        }
    }
}
