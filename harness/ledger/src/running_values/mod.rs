//! Running values: a sum, a count or a change over the answers of an oracle, which the ledger computes itself and
//! records as an answer of its own, so that ordinary policies limit it.
//!
//! decisions.md D41; formats.md §5 (Derived inputs). The manifest declares them. Directly after each permitted answer of
//! the oracle the ledger records one observation for each of its running values: its question names the answer and
//! the last counted observation of the running value, its answer is `{"value":N}`. The answer may be acted on where it
//! and every running value after it was permitted, and only then does it count. Whoever audits the ledger computes
//! them again. Determinism: D1.

mod amounts;
mod declaration;
mod follower;
mod saved;
mod series;

pub use declaration::{
    InvalidRunningValue, MAX_RUNNING_VALUES, MODEL_ID, RunningValue, RunningValueKind,
    RunningValues, check_running_values, is_running_value_id, parse_running_values,
};
pub(crate) use follower::{DueValue, RunningValueFollower};
pub(crate) use saved::SavedRunningValues;
