//! Verification of a ledger file, in constant memory and on every core.
//!
//! formats.md §6 (Verification verdicts); SRS-004 §7.2 and §13 (SHALL-008, SHALL-017, SHALL-018). The core
//! gives every verdict but those on torn and over-long lines, which only a reader of files can see. This
//! module adds these, and the place of each fault. Determinism: D2.

mod deployed;
mod examined_line;
mod examined_lines;
mod expectations;
#[cfg(test)]
mod forged_ledgers;
mod oracle_models;
mod pass;
mod report;
mod second_look;
pub mod segment;
mod segment_bytes;
mod stretches;
mod terms;
mod verdicts;

pub(crate) use examined_line::{ExaminedLine, examine};
pub(crate) use report::{describe_other_file, may_begin_ledger, take_line};

pub use deployed::{ChainBehind, Departure, DeployedRecord, DeployedRecords, profile_name};
pub use expectations::{EarlierHead, LedgerExpectations, parse_head, parse_oracle_model};
pub use pass::verify_ledger;
pub use report::{RecordVisitor, VerificationReport, VerifiedRecord};
pub use second_look::look_until_settled;
pub use verdicts::describe_verdict;
