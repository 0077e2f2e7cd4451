//! Why a session cannot begin.

use std::path::{Path, PathBuf};

/// An error in what was chosen for a session.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// A constitution, task set, corpus or erratum that cannot be read as such.
    #[error("{path}: {reason}", path = path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// What is wrong in the file, and where.
        reason: String,
    },

    /// Settings that contradict each other or a file, and what to do.
    #[error("{0}")]
    Settings(String),

    /// The checks of preflight that failed.
    #[error("preflight: {0}")]
    NotReady(String),
}

/// An error of the file `path`, which takes the reason.
pub(super) fn input_error(path: &Path) -> impl FnOnce(String) -> LiveError {
    let path = path.to_owned();
    move |reason| LiveError::Input { path, reason }
}
