//! Grammars in GBNF, the notation of llama.cpp, and whether an answer fits one.
//!
//! | file | what it holds |
//! |---|---|
//! | `parse.rs` | the notation: rules, groups, repetitions |
//! | `characters.rs` | literals, classes, escapes |
//! | `rules.rs` | a grammar as plain rules, and what llama.cpp refuses |
//! | `matcher.rs` | whether a text fits |
//! | `error.rs` | why a text is no grammar |
//!
//! The notation: rules `name ::= …` with the start `root`; `"literal"`, `[a-z]`, `[^a-z]`, `.`, names,
//! `( )`, `|`, `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`, `#` comments; the escapes `\n \r \t \\ \" \[ \]
//! \xHH \uHHHH \UHHHHHHHH`. Names are letters, digits and `-`. A rule goes on behind a line's end inside
//! parentheses, after `::=` and after `|`. Tokens (`<…>`) depend on a model's vocabulary and are refused.

mod characters;
mod error;
mod matcher;
mod parse;
mod rules;

pub use error::GrammarError;
pub use matcher::{MAX_WORK, Mismatch};
pub use parse::{MAX_BYTES, MAX_NESTING, MAX_REPEAT};
pub use rules::MAX_SYMBOLS;

use rules::Rules;

/// A grammar that llama.cpp takes: complete, and without left recursion.
#[derive(Clone, Debug)]
pub struct Grammar(Rules);

impl Grammar {
    /// Reads a grammar.
    ///
    /// # Errors
    /// [`GrammarError`]: not the notation, a rule that is missing or there twice, left recursion (which
    /// llama.cpp refuses), or more than [`MAX_BYTES`], [`MAX_NESTING`], [`MAX_REPEAT`] or
    /// [`MAX_SYMBOLS`].
    pub fn parse(text: &str) -> Result<Grammar, GrammarError> {
        parse::parse(text).map(Grammar)
    }

    /// Whether `text`, from its first character to its last, fits.
    ///
    /// Time and memory are linear in the text where what repeats is written with `*`, `+` or `{m,}`.
    /// A rule that ends with itself, and `{m,n}`, take the square of how often they repeat. Ambiguous
    /// grammars take at most the cube of the text's length, and memory its square. [`MAX_WORK`] bounds
    /// all of them.
    ///
    /// # Errors
    /// [`Mismatch`]: where it does not, what stands there, and what could.
    pub fn matches(&self, text: &str) -> Result<(), Mismatch> {
        matcher::matches(&self.0, text)
    }
}
