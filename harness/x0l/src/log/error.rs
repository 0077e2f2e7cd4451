//! What is wrong in a file of a run, and where.

use std::path::PathBuf;

use crate::document::DocumentError;

/// An error in a file of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {error}", path.display())]
pub struct LogError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// The error in that line.
    pub error: DocumentError,
}
