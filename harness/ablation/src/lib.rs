//! The v3.1 ablation harness: does precedent memory matter to an oracle's choices, when the length of the
//! prompt is held constant to the token?
//!
//! Binding answers Q1 to Q8; `docs/ablation.md` has them with code and tests.
//!
//! | module | what it holds |
//! |---|---|
//! | [`environment`], [`trap`] | the world in which is acted, and the one that ships |
//! | [`artifact`], [`compile`] | a justification, the formal assistant, what it binds |
//! | [`record`] | the precedent and where it is kept |
//! | [`pad`], [`prompt`] | padding and its self-test; prompts and Gate P4 |
//! | [`pipeline`] | the stages of a step and their order |
//! | [`base`], [`v310`] | the base harness, and the one that wraps it |
//! | [`novelty`] | which conflicts are new |
//! | [`calibration`] | how long the segments are |
//! | [`run`], [`invalid`] | episodes under seeds, and what makes a run count for nothing |
//! | [`answers`], [`agents`] | where answers come from; the agents that ship |
//! | [`header`], [`document`], [`experiment`], [`replay`] | what a run is of, its document, and both ways to it |
//! | [`compare`], [`statistics`], [`plot`] | runs held against each other |
//! | [`draw`], [`decimal`] | seeded numbers and exact amounts |
//! | [`error`] | what can go wrong around it |

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

pub mod agents;
pub mod answers;
pub mod artifact;
pub mod base;
pub mod calibration;
pub mod compare;
pub mod compile;
pub mod decimal;
pub mod document;
pub mod draw;
pub mod environment;
pub mod error;
pub mod experiment;
pub mod header;
pub mod invalid;
pub mod novelty;
pub mod pad;
pub mod pipeline;
pub mod plot;
pub mod prompt;
pub mod record;
pub mod replay;
pub mod run;
pub mod statistics;
pub mod trap;
pub mod v310;

use axilog_ledger::jcs;
use serde_json::Value;

pub use error::AblationError;
pub use invalid::{Invalid, Reason};

/// The canonical form of `value`, whose numbers are integers and which is not deep.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let form = jcs::canonical(value.to_string().as_bytes()).unwrap_or_default();
    String::from_utf8(form).unwrap_or_default()
}
