//! Why heads cannot be signed or submitted.

use axilog_heads::HeadsError;

/// Why heads cannot be signed or submitted.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointsError {
    /// A key, a ledger, a checkpoint or a policy cannot be used.
    #[error(transparent)]
    Heads(#[from] HeadsError),

    /// The system gives no threads, or no random numbers.
    #[error("cannot begin to sign and submit heads: {0}")]
    Setup(std::io::Error),
}
