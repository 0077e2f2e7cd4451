//! Why the gateway cannot begin or go on.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use axilog_checkpoints::CheckpointsError;
use axilog_ledger::error::{FileError, LedgerError};

/// The reason why the gateway cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The configuration cannot be used.
    #[error("{path}: {reason}", path = path.display())]
    Configuration {
        /// The file.
        path: PathBuf,
        /// The place in it, what was found, and what was expected.
        reason: String,
    },

    /// A ledger, or a file beside it, cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),

    /// A ledger cannot be used with this configuration: its policies would judge what is recorded of the provider, or its
    /// budget cannot be counted.
    #[error("{path}: {reason}", path = path.display())]
    Unfit {
        /// The ledger.
        path: PathBuf,
        /// What was found, and what to do.
        reason: &'static str,
    },

    /// The heads of a ledger cannot be signed.
    #[error("ledger.{name}.checkpoint: {source}")]
    Checkpoints {
        /// The ledger's name.
        name: String,
        /// Why.
        source: Box<CheckpointsError>,
    },

    /// A ledger has other policies than its configuration names.
    #[error(
        "{path}: has other policies than the configuration names; name the ledger's own, leave `policies` out, or give the ledger another name, so that a new one begins",
        path = path.display()
    )]
    OtherPolicies {
        /// The ledger.
        path: PathBuf,
    },

    /// The gateway ends, so that a ledger is not opened any more.
    #[error("the gateway ends, and opens no ledger any more; begin it again")]
    Ending,

    /// The address for clients cannot be used.
    #[error(
        "listen: cannot listen at {address}: {source}; name a free port of this machine, or port 0"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },

    /// The client for the provider, or the threads of the server, cannot be set up.
    #[error("the gateway cannot be set up: {0}")]
    Setup(String),
}

impl From<FileError> for GatewayError {
    fn from(error: FileError) -> GatewayError {
        GatewayError::Ledger(error.into())
    }
}
