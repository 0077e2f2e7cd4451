//! Errors in a file, with their place. Determinism class D1.

use core::fmt;

use crate::position;

/// A fault in a policy file or configuration, or in an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFileError {
    /// Line, from 1; 0 where the fault is not in a file.
    pub line: usize,
    /// Column in characters, from 1; 0 where the fault is not in a file.
    pub column: usize,
    /// What was found, and what was expected.
    pub reason: String,
}

impl fmt::Display for PolicyFileError {
    /// `3:14: reason`, for the caller to put the file name before; the reason
    /// alone where the fault is not in a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return f.write_str(&self.reason);
        }
        write!(f, "{}:{}: {}", self.line, self.column, self.reason)
    }
}

impl std::error::Error for PolicyFileError {}

/// A fault at a byte offset, before it is known as line and column.
pub(crate) struct Fault {
    pub at: usize,
    pub reason: String,
}

impl Fault {
    /// A fault whose reason says what stands at `at` and what should.
    pub fn expected(at: usize, found: impl fmt::Display, expected: impl fmt::Display) -> Self {
        Self {
            at,
            reason: format!("found {found}, expected {expected}"),
        }
    }

    pub fn locate(self, text: &str) -> PolicyFileError {
        let (line, column) = position::locate(text, self.at);
        PolicyFileError {
            line,
            column,
            reason: self.reason,
        }
    }
}
