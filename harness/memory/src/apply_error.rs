//! Why an entry cannot be applied to the tables: SQLite failed, or the rules refuse the entry.

use crate::error::MemoryError;

/// Why an entry was not applied.
pub(crate) enum ApplyError {
    Sqlite(rusqlite::Error),
    Rule(MemoryError),
}

/// The result of applying an entry.
pub(crate) type ApplyResult<T = ()> = std::result::Result<T, ApplyError>;

impl ApplyError {
    /// The error for the caller; `sqlite` says at which database and action SQLite failed.
    pub(crate) fn into_memory_error(
        self,
        sqlite: impl FnOnce(rusqlite::Error) -> MemoryError,
    ) -> MemoryError {
        match self {
            ApplyError::Sqlite(error) => sqlite(error),
            ApplyError::Rule(error) => error,
        }
    }
}

impl From<rusqlite::Error> for ApplyError {
    fn from(error: rusqlite::Error) -> ApplyError {
        ApplyError::Sqlite(error)
    }
}

impl From<MemoryError> for ApplyError {
    fn from(error: MemoryError) -> ApplyError {
        ApplyError::Rule(error)
    }
}
