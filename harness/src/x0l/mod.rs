//! X-0L: a language model proposes, a frozen kernel decides.
//!
//! | module | what it holds |
//! |---|---|
//! | `calibration` | whether a model is steady; with the feature `oracle` |
//! | [`budget`] | whether a cycle may be asked under B1 and B2 |
//! | [`condition`] | the conditions and their tasks |
//! | [`erratum`] | what a syntax erratum may change in the template |
//! | [`kernel`] | the constitution, and the function that decides under it |
//! | [`permutation`] | the candidates of one answer in other orders |
//! | [`schedule`] | which task each cycle has |
//! | [`template`] | the one base template of prompts |

pub mod budget;
#[cfg(feature = "oracle")]
pub mod calibration;
pub mod condition;
pub mod erratum;
pub mod kernel;
pub mod permutation;
pub mod schedule;
pub mod template;
