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
//! | `condition.rs` | L-A to L-E |
//! | `cycle.rs` | the record of one cycle |
//! | `cycles.rs` | `cycles.jsonl`: appended to, and read line by line |
//! | `witness.rs` | what the ledger says of the rest of the directory |

mod condition;
mod cycle;
mod cycles;
mod directory;
mod frozen;
mod metadata;
mod outcome;
pub mod witness;

use std::path::PathBuf;

use axilog::json::canonical::is_canonical_json;
use axilog_ledger::jcs;
use serde::de::Deserialize;
use serde_json::Value;

use super::fields::Wrong;

pub use condition::Condition;
pub use cycle::{Attempt, Canonicalization, Cycle, Permutations};
pub use cycles::{CycleLog, CycleReader, Line};
pub(super) use directory::read;
pub use directory::{RunDirectory, temporary};
pub use frozen::{File, Frozen, FrozenCondition, TokenSource};
pub use metadata::{Calibration, CalibrationVerdict, Metadata};
pub use outcome::{ConditionOutcome, ConditionStatus, Outcome, Status};
pub use witness::Closing;

/// Why a file of a run is not what is written there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {wrong}", path.display())]
pub struct LogError {
    /// The file.
    pub path: PathBuf,
    /// Its line, from 1.
    pub line: u64,
    /// What is wrong in it.
    pub wrong: Wrong,
}

/// The canonical form of a value that was made here, with a line feed.
#[must_use]
pub fn line(value: &Value) -> Vec<u8> {
    let mut line = text(value).into_bytes();
    line.push(b'\n');
    line
}

/// The canonical form of a value that was made here.
#[must_use]
pub fn text(value: &Value) -> String {
    // Every value was JSON before, or is made of text and integers: it has a canonical form.
    let canonical = jcs::canonical(value.to_string().as_bytes()).unwrap_or_default();
    String::from_utf8(canonical).unwrap_or_default()
}

/// The value whose canonical form is `bytes`.
///
/// # Errors
/// It is none.
pub fn parse(bytes: &[u8]) -> Result<Value, Wrong> {
    let wrong = |found: String| Wrong {
        field: String::new(),
        found,
        expected: "a JSON value in canonical form (RFC 8785)".to_owned(),
    };
    if !is_canonical_json(bytes) {
        return Err(wrong(match jcs::canonical(bytes) {
            Ok(_) => "another form of one".to_owned(),
            Err(none) => format!("at byte {} something {}", none.at, none.reason),
        }));
    }
    // 128 levels may be canonical, one more than serde_json reads by itself.
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader).map_err(|error| wrong(error.to_string()))
}
