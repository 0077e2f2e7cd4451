//! Numbers that are written in another form than in decimal digits: with another base, in Roman digits, and as the
//! numbers of characters. Determinism: D1.

use unicode_normalization::char::decompose_compatible;

use crate::encoded_part::EncodedPart;
use crate::folded_text::MIN_EXACT;

/// The most bytes between two numbers of characters.
const MAX_BETWEEN: usize = 3;

/// A word of letters and digits, and where it stands.
struct Word<'a> {
    from: usize,
    to: usize,
    text: &'a str,
}

/// Finds every number in another form, as its decimal digits; and texts that are written as numbers of characters.
pub(crate) fn find_spelt_numbers(text: &str, parts: &mut Vec<EncodedPart>) {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut at = 0;
    for run in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = run.trim_end_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            words.push(Word {
                from: at,
                to: at + word.len(),
                text: word,
            });
        }
        at += run.len();
    }
    let numbers = words
        .iter()
        .filter_map(|word| Some((word, read_number(word.text)?)));
    for (word, number) in numbers {
        let decoded = number.to_string();
        if decoded.len() >= MIN_EXACT {
            let (from, to) = (word.from, word.to);
            parts.push(EncodedPart { from, to, decoded });
        }
    }
    for radix in [10, 8, 2] {
        find_characters(&words, radix, parts);
    }
}

/// The number that a word says in another form.
fn read_number(word: &str) -> Option<u64> {
    let lower = word.to_ascii_lowercase();
    let prefixed = [("0x", 16), ("0b", 2), ("0o", 8)]
        .into_iter()
        .find_map(|(prefix, radix)| {
            let digits = lower.strip_prefix(prefix)?;
            u64::from_str_radix(digits, radix).ok()
        });
    // A word like `each` is no number.
    let is_number = lower.starts_with(|c: char| c.is_ascii_digit());
    let hexadecimal = || {
        let digits = lower.strip_suffix('h').filter(|_| is_number)?;
        u64::from_str_radix(digits, 16).ok()
    };
    let binary = || {
        let is_binary = lower.len() >= 8 && lower.bytes().all(|byte| matches!(byte, b'0' | b'1'));
        is_binary.then(|| u64::from_str_radix(&lower, 2).ok())?
    };
    prefixed
        .or_else(hexadecimal)
        .or_else(binary)
        .or_else(|| read_roman(word))
}

/// The number in Roman digits, in capitals or at least four of them.
fn read_roman(word: &str) -> Option<u64> {
    let mut digits = String::new();
    for c in word.chars() {
        match c {
            '\u{2160}'..='\u{217f}' => decompose_compatible(c, |part| digits.push(part)),
            c if c.is_ascii_alphabetic() => digits.push(c),
            _ => return None,
        }
    }
    let upper = digits.to_ascii_uppercase();
    if digits != upper && digits.len() < 4 {
        return None;
    }
    let number = value_of_roman(&upper)?;
    (write_roman(number) == upper).then_some(number)
}

fn value_of_roman(digits: &str) -> Option<u64> {
    let (mut number, mut last) = (0_u64, 0_u64);
    for c in digits.chars().rev() {
        let value = match c {
            'I' => 1,
            'V' => 5,
            'X' => 10,
            'L' => 50,
            'C' => 100,
            'D' => 500,
            'M' => 1000,
            _ => return None,
        };
        match value < last {
            true => number = number.checked_sub(value)?,
            false => number = number.checked_add(value)?,
        }
        last = last.max(value);
    }
    // More than that nobody writes.
    (1..100_000).contains(&number).then_some(number)
}

fn write_roman(mut number: u64) -> String {
    let mut digits = String::new();
    for (value, digit) in [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ] {
        while number >= value {
            digits.push_str(digit);
            number -= value;
        }
    }
    digits
}

/// Finds runs of words that are the numbers of characters, with little between them.
fn find_characters(words: &[Word<'_>], radix: u32, parts: &mut Vec<EncodedPart>) {
    let mut run: Option<EncodedPart> = None;
    for word in words {
        let character = read_character(word.text, radix);
        let follows = |run: &EncodedPart| word.from - run.to <= MAX_BETWEEN;
        match (character, run.as_mut().filter(|run| follows(run))) {
            (Some(character), Some(run)) => {
                run.decoded.push(character);
                run.to = word.to;
            }
            (character, _) => {
                keep_run(run.take(), parts);
                run = character.map(|character| EncodedPart {
                    from: word.from,
                    to: word.to,
                    decoded: character.to_string(),
                });
            }
        }
    }
    keep_run(run, parts);
}

fn keep_run(run: Option<EncodedPart>, parts: &mut Vec<EncodedPart>) {
    parts.extend(run.filter(|run| run.decoded.chars().count() >= MIN_EXACT));
}

fn read_character(word: &str, radix: u32) -> Option<char> {
    let lengths = match radix {
        2 => 7..=8,
        8 => 2..=3,
        _ => 2..=7,
    };
    if !lengths.contains(&word.len()) {
        return None;
    }
    let code = u32::from_str_radix(word, radix).ok()?;
    char::from_u32(code).filter(|c| !c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_another_form_is_its_decimal_digits() {
        for (text, expected) in [
            ("0x1267", "4711"),
            ("at 0X1267.", "4711"),
            ("1267h", "4711"),
            ("0b1001001100111", "4711"),
            ("1001001100111", "4711"),
            ("0o11147", "4711"),
            ("MMMMDCCXI", "4711"),
            ("mmmmdccxi", "4711"),
            (
                "\u{216f}\u{216f}\u{216f}\u{216f}\u{216e}\u{216d}\u{216d}\u{216a}",
                "4711",
            ),
            ("52 55 49 49", "4711"),
            ("[52, 55, 49, 49]", "4711"),
            ("064 067 061 061", "4711"),
            ("00110100 00110111 00110001 00110001", "4711"),
        ] {
            let mut parts = Vec::new();
            find_spelt_numbers(text, &mut parts);
            let decoded: Vec<&str> = parts.iter().map(|part| &*part.decoded).collect();
            assert!(decoded.contains(&expected), "{text}: {decoded:?}");
        }
        for text in [
            "the mix is mild",
            "each beach",
            "I did it",
            "at 12, 7 and 9",
            "2026-11-25",
            "IIII VIV MDM",
        ] {
            let mut parts = Vec::new();
            find_spelt_numbers(text, &mut parts);
            assert!(parts.is_empty(), "{text}: {parts:?}");
        }
    }
}
