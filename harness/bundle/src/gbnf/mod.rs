//! Grammars in GBNF, the notation of llama.cpp, and whether an answer fits one.
//!
//! | file | what it holds |
//! |---|---|
//! | `parse.rs` | the notation: rules, groups, names |
//! | `repetition.rs` | repetitions and their bounds |
//! | `characters.rs` | literals, classes, escapes |
//! | `rules.rs` | a grammar as plain rules |
//! | `recursion.rs` | rules that begin with themselves |
//! | `matcher.rs` | whether a text fits |
//! | `verdict.rs` | what is said of a text |
//! | `error.rs` | why a text is no grammar |
//!
//! The notation: rules `name ::= …` with the start `root`; `"literal"`, `[a-z]`, `[^a-z]`, `.`, names,
//! `( )`, `|`, `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`, `#` comments; the escapes `\n \r \t \\ \" \[ \] \-
//! \xHH \uHHHH \UHHHHHHHH`. Names are letters, digits and `-`. A rule goes on after a line's end inside
//! parentheses, literals and classes, after `::=` and after `|`.
//!
//! What llama.cpp takes this module takes, and what it refuses this module refuses;
//! `harness/bundle/tests/llama` compares the two. The exceptions: tokens (`<…>`), which depend on a model's
//! vocabulary, a NUL in a grammar, and what is larger than [`MAX_BYTES`] or [`MAX_SYMBOLS`] are
//! [unsupported](GrammarErrorKind::Unsupported); grammars on which llama.cpp never ends are refused.

mod characters;
mod error;
mod matcher;
mod parse;
mod recursion;
mod repetition;
mod rules;
mod verdict;

pub use error::{GrammarError, GrammarErrorKind};
pub use parse::{MAX_BYTES, MAX_REPEAT};
pub use rules::MAX_SYMBOLS;
pub use verdict::{FoundInText, GrammarPlace, GrammarVerdict, Mismatch, Undecided};

use rules::Rules;

/// The steps within which [`Grammar::judge`] decides.
pub const MAX_STEPS: u64 = 10_000_000;

/// A grammar that llama.cpp takes.
#[derive(Clone, Debug)]
pub struct Grammar(Rules);

impl Grammar {
    /// Reads a grammar.
    ///
    /// # Errors
    /// [`GrammarError`]: not the notation, a rule that is missing, left recursion (which llama.cpp refuses),
    /// a repetition beyond [`MAX_REPEAT`], tokens, or more than [`MAX_BYTES`] or [`MAX_SYMBOLS`].
    pub fn parse(text: &str) -> Result<Grammar, GrammarError> {
        parse::parse(text).map(Grammar)
    }

    /// Judges whether `text`, from its first character to its last, fits, within [`MAX_STEPS`].
    ///
    /// Time and memory are linear in the text for grammars as people write them, repetitions, bounds and rules
    /// that end with themselves included. Without ambiguity time grows with the square of the text's length
    /// at most; ambiguous grammars take at most its cube, and memory its square.
    pub fn judge(&self, text: &str) -> GrammarVerdict {
        matcher::judge(&self.0, text, None, MAX_STEPS)
    }

    /// Judges whether `text` fits, as [`Grammar::judge`] does, within `max_steps`. Bytes that are not UTF-8
    /// fit nowhere.
    pub fn judge_bytes(&self, text: &[u8], max_steps: u64) -> GrammarVerdict {
        match std::str::from_utf8(text) {
            Ok(text) => matcher::judge(&self.0, text, None, max_steps),
            Err(error) => {
                let (valid, rest) = text.split_at(error.valid_up_to());
                let invalid = rest.first().copied().map(FoundInText::InvalidByte);
                let valid = std::str::from_utf8(valid).unwrap_or_default();
                matcher::judge(&self.0, valid, invalid, max_steps)
            }
        }
    }
}
