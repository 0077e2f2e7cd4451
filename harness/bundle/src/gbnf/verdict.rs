//! What is said of a text and a grammar.

use std::fmt;

/// The most alternatives that a message names.
const MAX_EXPECTED: usize = 8;

/// Whether a text fits a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum GrammarVerdict {
    /// The text, from its first character to its last, fits.
    Matches,
    /// The text does not fit.
    DoesNotMatch(Mismatch),
    /// Nobody knows: the text is too much work for the number of steps.
    CannotBeTold(Undecided),
}

impl GrammarVerdict {
    /// The verdict as the command prints it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            GrammarVerdict::Matches => "MATCHES",
            GrammarVerdict::DoesNotMatch(_) => "DOES_NOT_MATCH",
            GrammarVerdict::CannotBeTold(_) => "CANNOT_BE_TOLD",
        }
    }

    /// Whether the text fits. `false` where that cannot be told, too.
    #[must_use]
    pub fn is_match(&self) -> bool {
        *self == GrammarVerdict::Matches
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrammarPlace {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for GrammarPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a text does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The place of the first character that does not fit.
    pub place: GrammarPlace,
    /// What stands there.
    pub found: FoundInText,
    /// What could stand there instead, the end included.
    pub expected: Vec<String>,
}

/// What stands at a place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundInText {
    /// A character.
    Character(char),
    /// A byte that is not UTF-8.
    InvalidByte(u8),
    /// The end of the text.
    End,
}

impl fmt::Display for FoundInText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FoundInText::Character('\u{feff}') => f.write_str("found a byte-order mark"),
            FoundInText::Character(c) => write!(f, "found {c:?}"),
            FoundInText::InvalidByte(byte) => {
                write!(f, "found the byte 0x{byte:02x}, which is not UTF-8")
            }
            FoundInText::End => f.write_str("the text ends"),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, expected ", self.place, self.found)?;
        if self.expected.is_empty() {
            return f.write_str("nothing that a text can hold");
        }
        let shown = self.expected.iter().take(MAX_EXPECTED);
        let shown: Vec<&str> = shown.map(String::as_str).collect();
        f.write_str(&shown.join(" or "))?;
        if self.expected.len() > MAX_EXPECTED {
            write!(f, " or one of {} more", self.expected.len() - MAX_EXPECTED)?;
        }
        Ok(())
    }
}

/// How far the work on a text came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The place of the character that was next. Everything before it could stand there.
    pub place: GrammarPlace,
    /// The number of steps that were allowed.
    pub steps: u64,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: whether the text fits cannot be told within {} steps",
            self.place, self.steps
        )
    }
}
