//! What a session takes from an oracle: the call, the reply, and who may be named in it.
//!
//! SRS-004 §7.2 and §8; formats.md §3, Admission 3.

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Failure, Params, is_valid_id};

use crate::error::LedgerError;
use crate::input::CanonicalInput;

/// Who is asked, and how.
#[derive(Clone, Debug)]
pub struct Call {
    /// Identity of the oracle.
    pub oracle_id: String,
    /// Versioned identity of its model.
    pub model_id: String,
    /// Sampling parameters.
    pub params: Params,
    /// What it is asked.
    pub input: CanonicalInput,
}

/// What came back.
#[derive(Clone, Copy, Debug)]
pub enum Reply<'a> {
    /// Bytes, whatever they are.
    Answer(&'a [u8]),
    /// Nothing.
    Failed(Failure),
}

/// Whether these may be recorded as an oracle's and its model's.
///
/// # Errors
/// [`LedgerError::Reserved`] for the ids of time and control, [`LedgerError::Identity`].
pub fn check_identities(oracle_id: &str, model_id: &str) -> Result<(), LedgerError> {
    for (id, command) in [(TIME_ORACLE, "time"), (CONTROL_ORACLE, "control")] {
        if oracle_id == id {
            return Err(LedgerError::Reserved {
                id: id.to_owned(),
                command,
            });
        }
    }
    for (field, value) in [("oracle_id", oracle_id), ("model_id", model_id)] {
        if !is_valid_id(value.as_bytes()) {
            return Err(LedgerError::Identity {
                field,
                value: value.to_owned(),
            });
        }
    }
    Ok(())
}
