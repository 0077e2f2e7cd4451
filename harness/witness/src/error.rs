//! Why a witness cannot begin, or goes no further.

use std::net::SocketAddr;
use std::path::PathBuf;

use axilog_heads::InvalidVerifierKey;
use axilog_ledger::error::FileError;

/// Why a witness cannot begin, or goes no further.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// A line of the file of logs is no public key.
    #[error("{path}:{line}: the public key is refused: {reason}", path = path.display())]
    NoLogKey {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: InvalidVerifierKey,
    },

    /// A file of logs that names none.
    #[error("{path}: names no log; write the public key of each ledger whose heads are to be witnessed, a line each, as `axilog key show` prints it", path = .0.display())]
    NoLogs(PathBuf),

    /// There is something where a new state is to be made.
    #[error("{path}: already exists, and the heads that a witness has signed are never overwritten; name another file", path = .0.display())]
    StateExists(PathBuf),

    /// There is no state.
    #[error("{path}: there is no state of a witness here; a new witness begins with `axilog witness init`. Where this one has signed heads, look for the state that it had: with an empty one it would sign others in their place", path = .0.display())]
    StateMissing(PathBuf),

    /// A file that is not the state of a witness.
    #[error("{path}: is not the state of a witness: {found}; name the file that `axilog witness init` made", path = path.display())]
    NoState {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },

    /// The state of another witness.
    #[error("{path}: is the state of the witness {found}, and the key is that of {expected}; name the key or the state that belongs to the other", path = path.display())]
    OtherWitness {
        /// The file.
        path: PathBuf,
        /// The public key in the state.
        found: String,
        /// The public key of the key.
        expected: String,
    },

    /// The database fails.
    #[error("{path}: cannot {what}: {source}", path = path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What was being done.
        what: &'static str,
        /// What the database says.
        source: rusqlite::Error,
    },

    /// The address cannot be taken.
    #[error("cannot listen at {address}: {source}; name another address or port with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },

    /// The system gives no threads, or no random numbers.
    #[error("cannot begin: {0}")]
    Setup(std::io::Error),
}
