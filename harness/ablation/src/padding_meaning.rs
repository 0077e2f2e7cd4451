//! Padding carries no semantic information (Q3): a rule that a program can apply.
//!
//! Nobody can prove that a text means nothing to a model. So the rule takes what is as far from meaning as text can
//! be, and refuses all else: spaces and at most one letter or mark, which is no word, no number, and no word of the
//! prompt.

/// Marks that say nothing where they stand alone. All others do: `&` is "and", `?` asks, `>` compares, `{` opens
/// an object, `✓` agrees, and an emoji is a picture.
const MARKS: &str = "._*~|^·•";

/// Letters that are a word by themselves in a language of their alphabet, each as it is written within a sentence:
/// English `a`, `I` and `O`, French `à` and `y`, Spanish `e` and `ó`, Czech `k` and `v`, Russian `и` and `я`, and
/// so on.
const ONE_LETTER_WORDS: &str = "aAIOeikosuvwyzàáèéêíòóôöøåæабвжийкосуяєіїηήοόὁὦω";

/// The reason why a padding may say something to a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the padding {pad:?} may mean something to a model: {reason}; name a letter or a mark that says nothing, as in --pad \" X\" or \" _\""
)]
pub struct MeaningfulPadding {
    /// The padding.
    pub pad: String,
    /// What was found.
    pub reason: String,
}

/// Checks that `pad` says nothing in a prompt that has these `texts`. Besides spaces it is at most one character:
/// a letter that has a capital and a small form and is no word by itself, or one of the marks `. _ * ~ | ^ · •`.
/// No word of `texts` is that letter, in either form, and nothing between white space in them is that mark.
///
/// # Errors
/// [`MeaningfulPadding`] with the first part of the rule that the padding breaks.
pub fn check_padding_says_nothing(pad: &str, texts: &[&str]) -> Result<(), MeaningfulPadding> {
    let refuse = |reason: String| {
        Err(MeaningfulPadding {
            pad: pad.to_owned(),
            reason,
        })
    };
    if let Some(c) = pad.chars().find(|c| *c != ' ' && is_layout(*c)) {
        return refuse(format!("it holds {c:?}, which ends a line or moves text"));
    }
    let mut visible = pad.chars().filter(|c| *c != ' ');
    let Some(c) = visible.next() else {
        return Ok(());
    };
    let others = visible.count();
    if others > 0 {
        return refuse(format!(
            "it has {} characters besides spaces, and more than one may be a word",
            others + 1
        ));
    }
    if c.is_numeric() {
        return refuse(format!("{c:?} is a number"));
    }
    let is_word = if !c.is_alphabetic() {
        if !MARKS.contains(c) {
            return refuse(format!(
                "{c:?} is none of the marks that say nothing: {}",
                list(MARKS)
            ));
        }
        |word: &str, c: char| word.chars().eq([c])
    } else if !has_two_forms(c) {
        return refuse(format!(
            "{c:?} has no capital and small form, as a character that is a word or a syllable has none"
        ));
    } else if ONE_LETTER_WORDS.contains(c) {
        return refuse(format!("the letter {c:?} is a word by itself"));
    } else {
        |word: &str, c: char| word.to_lowercase().chars().eq(c.to_lowercase())
    };
    // Marks stand inside of names and after words, where they are no word of their own.
    let ends_word = |other: char| match c.is_alphabetic() {
        true => !other.is_alphanumeric(),
        false => other.is_whitespace(),
    };
    let mut words = texts.iter().flat_map(|text| text.split(ends_word));
    match words.any(|word| is_word(word, c)) {
        true => refuse(format!("{c:?} is a word of the prompt's own text")),
        false => Ok(()),
    }
}

/// Whether a character gives no mark on paper: it ends a line, moves or hides text.
fn is_layout(c: char) -> bool {
    c.is_control() || c.is_whitespace()
}

/// Whether a letter has a capital and a small form.
fn has_two_forms(c: char) -> bool {
    !c.to_lowercase().eq([c]) || !c.to_uppercase().eq([c])
}

/// The characters with spaces between.
fn list(marks: &str) -> String {
    let marks: Vec<String> = marks.chars().map(String::from).collect();
    marks.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_marks_that_say_nothing_are_accepted() {
        let paddings = [
            " X", " x", "X", " Q", " b", " Z", " Ж", " Ξ", " Ԟ", " ß", " _", " .", ".", "_", " *",
            " ~", " |", " ^", " ·", " •", "  _", "_ ", " ", "   ", "",
        ];
        for pad in paddings {
            assert_eq!(check_padding_says_nothing(pad, &[]), Ok(()), "{pad:?}");
        }
    }

    #[test]
    fn words_numbers_and_signs_are_refused() {
        for (pad, expected) in [
            // Words, in scripts with capital letters and without.
            (" treaty", "it has 6 characters besides spaces"),
            (" XX", "it has 2 characters besides spaces"),
            (" X X", "it has 2 characters besides spaces"),
            (" договор", "it has 7 characters"),
            (" 条約", "it has 2 characters"),
            (" 条", "has no capital and small form"),
            ("約", "has no capital and small form"),
            (" の", "has no capital and small form"),
            (" 약", "has no capital and small form"),
            (" و", "has no capital and small form"),
            (" ו", "has no capital and small form"),
            (" न", "has no capital and small form"),
            (" ก", "has no capital and small form"),
            (" ª", "has no capital and small form"),
            (" a", "the letter 'a' is a word by itself"),
            (" A", "is a word by itself"),
            (" I", "is a word by itself"),
            (" y", "is a word by itself"),
            (" я", "is a word by itself"),
            (" ó", "is a word by itself"),
            // A letter and a mark on it that is a character of its own.
            (" e\u{301}", "it has 2 characters"),
            // Numbers.
            (" 7", "'7' is a number"),
            (" ٣", "is a number"),
            (" Ⅷ", "is a number"),
            (" ½", "is a number"),
            // Signs.
            (" ...", "it has 3 characters"),
            (" {", "'{' is none of the marks"),
            (" \"", "is none of the marks"),
            (" ,", "is none of the marks"),
            (" &", "is none of the marks"),
            (" ?", "is none of the marks"),
            (" -", "is none of the marks"),
            (" $", "is none of the marks"),
            (" ✓", "is none of the marks"),
            (" →", "is none of the marks"),
            (" 🚢", "is none of the marks"),
            (" \u{200b}", "is none of the marks"),
            (" \u{202e}", "is none of the marks"),
            // What ends a line, or is no plain space.
            ("\n", "it holds '\\n'"),
            (" X\n", "it holds '\\n'"),
            ("\t", "it holds '\\t'"),
            ("\u{a0}", "it holds '\\u{a0}'"),
            ("\u{0}", "it holds '\\0'"),
        ] {
            let error = check_padding_says_nothing(pad, &[]).unwrap_err();
            assert!(error.reason.contains(expected), "{pad:?}: {error}");
            let text = error.to_string();
            assert!(text.contains(&format!("{pad:?}")), "{text}");
            assert!(text.contains("--pad \" X\""), "{text}");
        }
    }

    #[test]
    fn a_word_of_the_prompt_is_refused() {
        let texts = ["Keep q, or (B).", "{\"n-p\":1}", "one _ two_three |", "d"];
        for pad in [" q", " Q", " b", " B", " n", " p", " d", " _", "|"] {
            let error = check_padding_says_nothing(pad, &texts).unwrap_err();
            assert!(
                error.reason.contains("a word of the prompt's own text"),
                "{error}"
            );
        }
        // Letters within words, and marks after them, are no words.
        for pad in [" X", " t", " h", " ."] {
            assert_eq!(check_padding_says_nothing(pad, &texts), Ok(()), "{pad:?}");
        }
    }
}
