//! Why there is no session.

use std::path::PathBuf;

/// What is wrong with what a session was asked to be.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// A constitution, task set, corpus or erratum that is none.
    #[error("{path}: {reason}", path = path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },

    /// Settings that contradict each other or a file, and what to do.
    #[error("{0}")]
    Settings(String),

    /// Checks that preflight does not pass.
    #[error("preflight: {0}")]
    NotReady(String),
}
