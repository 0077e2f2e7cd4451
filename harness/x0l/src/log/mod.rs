//! What a run leaves behind: its directory, and the types of what is written there.
//!
//! X-0L, binding answers E1 (Q19), Q44, Q52b. Everything is canonical JSON (RFC 8785) without floats of
//! our own, and is read back strictly: what is not exactly what would be written is an error that
//! names file, line, field, what was found and what was expected.
//!
//! | file | what it holds |
//! |---|---|
//! | `directory.rs` | the files of a run by their names; the metadata and inputs written durably |
//! | `metadata.rs` | `session_metadata.json`, and the calibration in it |
//! | `frozen.rs` | what is frozen before the first call |
//! | `outcome.rs` | how a run ended |
//! | `cycle.rs` | the record of one cycle |
//! | `cycles.rs` | `cycles.jsonl`: appended to, and read line by line |
//! | `witness.rs` | what the ledger says of the rest of the directory |

mod cycle;
mod cycles;
mod directory;
mod frozen;
mod metadata;
mod outcome;
pub mod witness;

use std::path::PathBuf;

use super::document::DocumentError;

pub use crate::condition::Condition;
pub use cycle::{Attempt, Canonicalization, Cycle, Permutations};
pub use cycles::{CycleLog, CycleReader, Line};
pub(super) use directory::read;
pub use directory::{RunDirectory, temporary};
pub use frozen::{
    CanonicalizerHashes, File, Frozen, FrozenCondition, RunFormat, Temperature, TokenSource,
};
pub use metadata::{Calibration, CalibrationVerdict, Metadata};
pub use outcome::{ConditionOutcome, ConditionStatus, Outcome, Status};
pub use witness::Closing;

/// Why a file of a run is not what is written there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {error}", path.display())]
pub struct LogError {
    /// The file.
    pub path: PathBuf,
    /// Its line, from 1.
    pub line: u64,
    /// What is wrong in it.
    pub error: DocumentError,
}
