//! Single characters as the search for exact strings takes them: what shows nothing, what stands without
//! spaces, digits of all scripts, and the shape of a character, which is the same for characters that look
//! alike. Determinism: D1.

use axilog_ledger::visible_text::is_deceptive;
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
pub(crate) enum Joint {
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
pub(crate) fn find_joint(before: char, behind: char) -> Joint {
    let in_word = |c: char| c.is_alphanumeric() && !is_unspaced_script(c);
    match is_number(before) && is_number(behind) {
        true => Joint::Closed,
        false if in_word(before) && in_word(behind) => Joint::InWord,
        false => Joint::Open,
    }
}

fn is_number(c: char) -> bool {
    c.is_ascii_digit()
        || !c.is_ascii() && c.is_numeric() && !matches!(c, '\u{3007}' | '\u{3021}'..='\u{3029}')
}

/// The zeros of the scripts that write decimal numbers; each is followed by its other nine digits.
const ZEROS: [u32; 48] = [
    0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
    0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x1e950,
];

/// The ASCII digit of a decimal digit of any script.
fn to_ascii_digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS
        .iter()
        .find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
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
