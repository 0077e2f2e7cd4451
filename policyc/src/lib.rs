//! The policy compiler: reads policy files, checks them, reports the interval
//! of values they permit, and writes them as a registry in Rust or C, as a
//! canonical policy file, or as the Configuration that a ledger names.
//!
//! Implements formats.md section 4 ("Policy files") and section 5
//! ("Configuration"); SRS-004 section 17, SHALL-024 to SHALL-028.
//! Determinism class D1: every result is a function of the bytes given.
//!
//! ```
//! use axilog_policyc::PolicySet;
//!
//! let file = br#"[{"comparison":"GT","enabled":true,"policy_id":"POL-001-MAX-VELOCITY","threshold":4587520}]"#;
//! let set = PolicySet::parse(file)?;
//! assert_eq!(
//!     set.envelope()[0].to_string(),
//!     "value: -2147483647 … 4587520 (-32767.9999847412109375 … 70)"
//! );
//! # Ok::<(), axilog_policyc::PolicyFileError>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented
    )
)]

mod canonical;
mod check;
#[cfg(feature = "source")]
mod decimal_limit;
mod emit;
mod envelope;
mod error;
mod json;
mod message;
mod parse;
mod policy;
mod position;
mod scope;
mod selector;
mod set;
#[cfg(feature = "source")]
mod source;

pub use envelope::{Interval, decimal, shortest_decimal};
pub use error::PolicyFileError;
pub use policy::{ComparisonOperator, MAX_POLICIES, MAX_POLICY_ID, PolicyEntry};
pub use scope::{Scope, Shadow};
pub use selector::{
    COUNT, EMBEDDED, EVERY, MAX_SELECTOR, find_path_fault, selector_path, split_scale,
};
pub use set::{LedgerConfiguration, PolicySet};
