//! The directory of a run, and the documents in it.
//!
//! X-0L, binding answers E1 (Q19), Q44, Q52b. Every document is canonical JSON (RFC 8785) without floats of
//! our own, and is read strictly ([`document`](crate::document)): anything but the bytes that would be
//! written is an error that
//! names the file, the line, the field, what was found and what was expected.
//!
//! | file | what it holds |
//! |---|---|
//! | `directory.rs` | the files of a run by their names; the metadata and inputs written durably |
//! | `metadata.rs` | `session_metadata.json`, and the calibration in it |
//! | `frozen.rs` | the settings that are frozen before the first call |
//! | `provider.rs` | which model answered, as the ledger records it |
//! | `outcome.rs` | how a run ended |
//! | `plan.rs` | a plan: what will be run |
//! | `attempt.rs` | the attempts under a plan, and the corrections of a run |
//! | `attempt_log.rs` | the file in which these are counted |
//! | `cycle.rs` | the record of one cycle |
//! | `cycles.rs` | `cycles.jsonl`: appended to, and read line by line |
//! | `noted_report.rs` | the report that is there already, and the evidence that it names |
//! | `report_lock.rs` | who judges the run or writes its report, one at a time |
//! | `error.rs` | what is wrong in one of the files, and where |
//! | `witness.rs` | what the ledger says of the rest of the directory, and binds of the cycle log |

mod attempt;
mod attempt_log;
mod cycle;
mod cycles;
mod directory;
pub(crate) mod error;
mod frozen;
mod metadata;
pub(crate) mod noted_report;
mod outcome;
mod plan;
pub mod provider;
mod report_lock;
pub mod witness;

pub use crate::condition::Condition;
pub use attempt::{Attempt, FrozenAttempt};
pub use attempt_log::AttemptLog;
pub use axilog_oracle::ProviderFacts;
pub use cycle::{AttemptRecord, Canonicalization, Cycle, PermutationTest};
pub use cycles::{CycleLog, CycleReader, LogLine};
pub use directory::{RunDirectory, temporary_name};
pub(super) use directory::{is_there, read_file};
pub use error::LogError;
pub use frozen::{
    CodeHashes, FrozenCondition, FrozenSentinels, FrozenSettings, FrozenWeights, InputFile,
    PromptCount, RunFormat, Temperature, TokenSource,
};
pub use metadata::{CalibrationRecord, CalibrationVerdict, SessionMetadata};
pub use outcome::{ConditionOutcome, ConditionStatus, SessionOutcome, SessionStatus};
pub use plan::{PlanDocument, PlanFormat};
pub use report_lock::ReportLock;
pub use witness::{ClosingStatement, CycleStatement};
