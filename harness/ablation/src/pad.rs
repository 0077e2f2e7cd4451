//! The padding and its self-test (Q3).
//!
//! Padding is one literal, over and over, that is one token each time, leaves the tokens of what stands
//! before it and behind it as they are, and says nothing.

use axilog_oracle::tokens::Tokenizer;

use super::invalid::{Invalid, Reason, Stop};

/// What is used unless the caller says otherwise.
pub const DEFAULT_PAD: &str = " X";

/// What a padding must not touch, beside the texts of the prompt itself: ends of JSON, of words and
/// numbers, punctuation, line ends, white space, and text that is not ASCII.
const BOUNDARIES: [&str; 26] = [
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
    " ",
    "é",
    "ß",
    "条約",
    "مرحبا",
    "🚢",
];

/// A padding that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pad {
    text: String,
    token: u32,
    boundaries: usize,
    longest: u64,
}

impl Pad {
    /// Tests `pad` with `tokenizer`: alone, up to `longest` times in a row, and between each text of
    /// `before` (and a fixed set of others) and each of `behind`.
    ///
    /// # Errors
    /// [`Reason::PadUnstable`] with the text that showed it; an error of the tokenizer.
    pub fn test(
        pad: &str,
        tokenizer: &dyn Tokenizer,
        longest: u64,
        before: &[&str],
        behind: &[&str],
    ) -> Result<Pad, Stop> {
        let unstable = |detail: String| {
            Stop::from(Invalid::new(
                Reason::PadUnstable,
                format!("the padding {pad:?} under {}: {detail}", tokenizer.id()),
            ))
        };
        let says_something = |c: char| c.is_control() || "{}[]\":,".contains(c);
        if pad.is_empty() || pad.contains(says_something) {
            return Err(unstable(
                "it is empty, or holds what has a meaning in JSON or ends a line".to_owned(),
            ));
        }
        let alone = tokenizer.encode(pad)?;
        let &[token] = alone.as_slice() else {
            return Err(unstable(format!(
                "it is {} tokens, and only one token fills every gap",
                alone.len()
            )));
        };
        if tokenizer.encode(pad)? != alone {
            return Err(unstable("it is other tokens the second time".to_owned()));
        }
        let mut row = String::new();
        for k in 1..=usize::try_from(longest).unwrap_or(usize::MAX) {
            row.push_str(pad);
            let tokens = tokenizer.encode(&row)?;
            if tokens != vec![token; k] {
                return Err(unstable(format!(
                    "{k} in a row are {} tokens",
                    tokens.len()
                )));
            }
        }
        let mut boundaries = 0;
        for text in before.iter().chain(&BOUNDARIES) {
            let own = tokenizer.encode(text)?;
            for count in [1, 2] {
                let found = tokenizer.encode(&format!("{text}{}", pad.repeat(count)))?;
                let expected = [own.as_slice(), &vec![token; count]].concat();
                if found != expected {
                    return Err(unstable(format!(
                        "it changes the tokens of {text:?} before it"
                    )));
                }
            }
            for follower in behind {
                boundaries += 1;
                let follows = tokenizer.encode(follower)?;
                // Where a segment is full, its content stands beside what follows.
                for count in [0, 1, 2] {
                    let joined = format!("{text}{}{follower}", pad.repeat(count));
                    let expected = [own.as_slice(), &vec![token; count], &follows].concat();
                    // Only what ends a segment meets what follows without padding.
                    let meets = count > 0 || text.ends_with('}');
                    if meets && tokenizer.encode(&joined)? != expected {
                        return Err(unstable(format!(
                            "{count} of it between {text:?} and {follower:?} are not their tokens"
                        )));
                    }
                }
            }
        }
        Ok(Pad {
            text: pad.to_owned(),
            token,
            boundaries,
            longest,
        })
    }

    /// The literal.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The token that it is.
    #[must_use]
    pub fn token(&self) -> u32 {
        self.token
    }

    /// How many pairs of texts it was tested between.
    #[must_use]
    pub fn boundaries(&self) -> usize {
        self.boundaries
    }

    /// How many in a row it was tested to.
    #[must_use]
    pub fn longest(&self) -> u64 {
        self.longest
    }
}
