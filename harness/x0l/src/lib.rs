//! X-0L: a language model proposes, a frozen kernel decides.
//!
//! | module | what it holds |
//! |---|---|
//! | [`budget`] | whether a cycle may be asked under B1 and B2 |
//! | [`calibration`] | whether a model is steady: the prompt, and what counts |
//! | [`condition`] | the conditions and their tasks |
//! | [`document`] | documents written and read through serde, in one form only |
//! | [`erratum`] | what a syntax erratum may change in the template |
//! | [`kernel`] | the constitution, and the function that decides under it |
//! | `live` | the session: plan, preflight, calibration, cycles; with the feature `oracle` |
//! | [`log`] | the directory of a run: its files, written and read |
//! | [`metrics`] | what the cycles of a run come to |
//! | [`permutation`] | the candidates of one answer in other orders |
//! | [`replay`] | everything made again and compared |
//! | [`report`] | whether a session closes, and the page that says so |
//! | [`review`] | what a person found on inspection |
//! | [`schedule`] | which task each cycle has |
//! | [`taxonomy`] | types of refusals, and what injections came to |
//! | [`template`] | the one base template of prompts |

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

pub mod budget;
pub mod calibration;
pub mod condition;
pub mod document;
pub mod erratum;
mod error;
pub mod kernel;
pub mod live;
pub mod log;
pub mod metrics;
pub mod permutation;
pub mod replay;
pub mod report;
pub mod review;
pub mod schedule;
pub mod taxonomy;
pub mod template;

pub use error::X0lError;
