//! The error of a text that is no grammar.

/// What an error says of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrammarErrorKind {
    /// llama.cpp refuses the grammar too, or never ends on it.
    Malformed,
    /// The grammar is beyond what axilog reads. llama.cpp may take it all the same, so whether a text fits
    /// cannot be told.
    Unsupported,
}

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
    /// Whether llama.cpp refuses the grammar too.
    pub kind: GrammarErrorKind,
}

impl GrammarError {
    pub(super) fn at(
        text: &str,
        at: usize,
        kind: GrammarErrorKind,
        reason: impl Into<String>,
    ) -> GrammarError {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |feed| feed + 1);
        GrammarError {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).map_or(0, |l| l.chars().count()) + 1,
            reason: reason.into(),
            kind,
        }
    }
}
