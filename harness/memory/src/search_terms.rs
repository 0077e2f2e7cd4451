//! The words of a text as the search knows them: the fixed tokenizer of the selection policy.
//!
//! A word gives two terms: itself, and its beginning with a stroke after it, so that *lantern* finds *lanterns* and
//! *Brücke* finds *Brückenwärter*. A script without spaces between words, and Korean with its particles, gives pairs of
//! letters that follow each other.

use unicode_normalization::UnicodeNormalization;

use crate::fixed_words::PLACEHOLDER;

/// The most terms of a text that are searched for.
pub(crate) const MOST_TERMS: usize = 64;

/// How many letters of a word its beginning has.
const BEGINNING: usize = 5;

/// The most letters of a word that count.
const LONGEST: usize = 64;

/// The terms of a text, each once, in the order in which they first stand there. What was replaced by `[locked]` has none.
pub(crate) fn terms_of(text: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut add = |term: String| {
        if seen.insert(term.clone()) {
            terms.push(term);
        }
    };
    for part in text.split(PLACEHOLDER) {
        let folded = fold(part);
        for run in folded.split(|letter: char| !letter.is_alphanumeric() && !is_mark(letter)) {
            let letters: Vec<char> = run.chars().collect();
            for word in letters.chunk_by(|one, next| is_unspaced(*one) == is_unspaced(*next)) {
                match word.first() {
                    Some(first) if is_unspaced(*first) => add_pairs(word, &mut add),
                    Some(_) => add_word(word, &mut add),
                    None => {}
                }
            }
        }
    }
    terms
}

/// Lower case, compatible forms as one, without accents; ß as ss.
fn fold(text: &str) -> String {
    let is_accent = |letter: &char| ('\u{300}'..='\u{36f}').contains(letter);
    let plain = text.nfkd().filter(|letter| !is_accent(letter)).nfc();
    let lower: String = plain.flat_map(char::to_lowercase).collect();
    lower.replace('ß', "ss")
}

/// A sign that changes the letter before it, as in Japanese and in the scripts of India.
fn is_mark(letter: char) -> bool {
    unicode_normalization::char::is_combining_mark(letter)
}

/// Whether the letter is of a script that sets no spaces between words, or of Korean.
fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x31f0..=0x31ff | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

fn add_pairs(word: &[char], add: &mut impl FnMut(String)) {
    match word {
        [one] => add(one.to_string()),
        _ => word
            .windows(2)
            .for_each(|pair| add(pair.iter().collect::<String>())),
    }
}

fn add_word(word: &[char], add: &mut impl FnMut(String)) {
    // A letter by itself is hardly a word.
    if word.len() < 2 && !word.iter().all(|letter| letter.is_numeric()) {
        return;
    }
    add(word.iter().take(LONGEST).collect());
    if word.len() < 3 || word.iter().any(|letter| letter.is_numeric()) {
        return;
    }
    let plural = match word {
        [singular @ .., 's'] if singular.len() >= 3 => singular,
        _ => word,
    };
    let beginning: String = plural.iter().take(BEGINNING).collect();
    add(format!("{beginning}-"));
}

#[cfg(test)]
mod tests {
    use super::terms_of;

    #[test]
    fn a_word_gives_itself_and_its_beginning() {
        for (text, expected) in [
            ("The LANTERNS", "the the- lanterns lante-"),
            ("keys key", "keys key- key"),
            (
                "Brückenwärter, Straße",
                "bruckenwarter bruck- strasse stras-",
            ),
            ("a 7 of 4711", "7 of 4711"),
            ("東京の橋 x2", "東京 京の の橋 x2"),
            ("나룻배는", "나룻 룻배 배는"),
            ("ｆｕｌｌ ガラス", "full full- ガラ ラス"),
            ("it is [locked] here", "it is here here-"),
            ("-- ! \u{301}", ""),
        ] {
            assert_eq!(terms_of(text).join(" "), expected, "{text}");
        }
    }
}
