//! The error of a text that is no grammar.

/// Why a text is no grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {reason}")]
pub struct GrammarError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub reason: String,
}

impl GrammarError {
    pub(super) fn at(text: &str, at: usize, reason: impl Into<String>) -> GrammarError {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |feed| feed + 1);
        GrammarError {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).map_or(0, |l| l.chars().count()) + 1,
            reason: reason.into(),
        }
    }
}
