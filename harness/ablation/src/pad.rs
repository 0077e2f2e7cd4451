//! The padding and its self-test (Q3).
//!
//! Padding is one literal text, repeated. It is one token each time, and leaves the tokens of the text before
//! and after it as they are. That it says nothing is the subject of [`super::padding_meaning`].

use super::context_tokenizer::ContextTokenizer;
use super::error::AblationError;
use super::invalid_run::{InvalidReason, InvalidRun};
use super::prompt::HEAD;

/// The padding that is used unless another is named.
pub const DEFAULT_PAD: &str = " X";

/// Texts whose tokens a padding after them must not change, besides the texts of the prompt itself: ends
/// of JSON, of words and numbers, punctuation, line ends, and text that is not ASCII. A space is not among them: a
/// segment's content is canonical JSON and ends in none, and Mistral's and Gemma's vocabularies, which have a token for
/// each number of spaces, would be refused for what no prompt has.
const BOUNDARIES: [&str; 25] = [
    "{}",
    "[]",
    "\"}",
    "]}",
    "\"]",
    "}]}",
    "0}",
    "1,",
    "a",
    "X",
    "7",
    "1234",
    ".",
    "...",
    ":",
    ";",
    "-",
    "!?",
    "\n",
    "\n\n",
    "é",
    "ß",
    "条約",
    "مرحبا",
    "🚢",
];

/// A padding that passed the self-test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    text: String,
    token: u32,
    boundaries: usize,
    longest_row: u64,
}

impl Padding {
    /// Tests the padding `pad` with `tokenizer` in a prompt: alone, up to `longest_row` times in a row, and between
    /// each text of `before` (and a fixed set of others) and each of `behind`.
    ///
    /// # Errors
    /// [`InvalidReason::PadUnstable`] with the text that showed it; [`AblationError::Tokens`].
    pub fn test(
        pad: &str,
        tokenizer: &ContextTokenizer,
        longest_row: u64,
        before: &[&str],
        behind: &[&str],
    ) -> Result<Padding, AblationError> {
        let id = tokenizer.tokenizer().id();
        let unstable = |detail: String| {
            AblationError::from(InvalidRun::new(
                InvalidReason::PadUnstable,
                format!("the padding {pad:?} under {id}: {detail}"),
            ))
        };
        if pad.is_empty() {
            return Err(unstable("it is empty, and fills no gap".to_owned()));
        }
        let encode = |text: &str| tokenizer.tokenizer().encode(text);
        let encode_behind_head = |text: &str| -> Result<Vec<u32>, AblationError> {
            tokenizer.encode_behind_head(text)?.ok_or_else(|| {
                unstable(format!(
                    "{} changes the tokens of {HEAD:?} before it",
                    excerpt(text)
                ))
            })
        };
        let alone = encode_behind_head(pad)?;
        let &[token] = alone.as_slice() else {
            return Err(unstable(format!(
                "it is {} tokens in a prompt, and only one token fills every gap",
                alone.len()
            )));
        };
        if encode_behind_head(pad)? != alone {
            return Err(unstable("it is other tokens the second time".to_owned()));
        }
        let mut row = String::new();
        for k in 1..=usize::try_from(longest_row).unwrap_or(usize::MAX) {
            row.push_str(pad);
            let tokens = encode_behind_head(&row)?;
            if tokens != vec![token; k] {
                return Err(unstable(format!(
                    "{k} in a row are {} tokens, or others than {token}",
                    tokens.len()
                )));
            }
        }
        let followers = behind
            .iter()
            .map(|text| Ok((*text, encode_behind_head(text)?)))
            .collect::<Result<Vec<_>, AblationError>>()?;
        let mut boundaries = 0;
        for text in before.iter().chain(&BOUNDARIES) {
            let text_tokens = encode(text)?;
            for count in [1, 2] {
                let found = encode(&format!("{text}{}", pad.repeat(count)))?;
                let expected = [text_tokens.as_slice(), &vec![token; count]].concat();
                if found != expected {
                    return Err(unstable(format!(
                        "it changes the tokens of {text:?} before it"
                    )));
                }
            }
            for (follower, follower_tokens) in &followers {
                boundaries += 1;
                // Where a segment is full, its content stands beside what follows.
                for count in [0, 1, 2] {
                    let joined = format!("{text}{}{follower}", pad.repeat(count));
                    let expected =
                        [text_tokens.as_slice(), &vec![token; count], follower_tokens].concat();
                    // Only what ends a segment meets what follows without padding.
                    let meets = count > 0 || text.ends_with('}');
                    if meets && encode(&joined)? != expected {
                        return Err(unstable(format!(
                            "{count} of it between {text:?} and {follower:?} are not their tokens"
                        )));
                    }
                }
            }
        }
        Ok(Padding {
            text: pad.to_owned(),
            token,
            boundaries,
            longest_row,
        })
    }

    /// The padding's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The padding's token.
    #[must_use]
    pub fn token(&self) -> u32 {
        self.token
    }

    /// Between how many pairs of texts the padding was tested.
    #[must_use]
    pub fn boundaries(&self) -> usize {
        self.boundaries
    }

    /// How many paddings in a row were tested.
    #[must_use]
    pub fn longest_row(&self) -> u64 {
        self.longest_row
    }
}

/// The beginning of a text, as a message shows it.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let shown: String = text.chars().take(LONGEST).collect();
    match shown.len() < text.len() {
        true => format!("{:?}", shown + "…"),
        false => format!("{shown:?}"),
    }
}
