//! The call and the reply that a session records, and the check of their identities.
//!
//! SRS-004 §7.2 and §8; formats.md §3, Admission 3.

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Failure, Params, is_valid_id};

use crate::error::LedgerError;
use crate::input::CanonicalInput;

/// A call of an oracle: the oracle, its model and the input.
#[derive(Clone, Debug)]
pub struct OracleCall {
    /// The id of the oracle.
    pub oracle_id: String,
    /// The id of the oracle's model, version included.
    pub model_id: String,
    /// The sampling parameters.
    pub params: Params,
    /// The input.
    pub input: CanonicalInput,
}

/// The reply to a call.
#[derive(Clone, Copy, Debug)]
pub enum OracleReply<'a> {
    /// An answer, admissible or not.
    Answer(&'a [u8]),
    /// A failure without an answer.
    Failure(Failure),
}

/// Checks that records may hold these ids of an oracle and its model.
///
/// # Errors
/// [`LedgerError::ReservedOracleId`] for the ids of time and control, [`LedgerError::InvalidIdentity`].
pub fn check_identities(oracle_id: &str, model_id: &str) -> Result<(), LedgerError> {
    for (id, command) in [(TIME_ORACLE, "time"), (CONTROL_ORACLE, "control")] {
        if oracle_id == id {
            return Err(LedgerError::ReservedOracleId {
                id: id.to_owned(),
                command,
            });
        }
    }
    for (field, value) in [("oracle_id", oracle_id), ("model_id", model_id)] {
        if !is_valid_id(value.as_bytes()) {
            return Err(LedgerError::InvalidIdentity {
                field,
                value: value.to_owned(),
            });
        }
    }
    Ok(())
}
