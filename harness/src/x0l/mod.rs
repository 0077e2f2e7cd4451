//! X-0L: a language model proposes, a frozen kernel decides.
//!
//! | module | what it holds |
//! |---|---|
//! | `calibration` | whether a model is steady; with the feature `oracle` |
//! | [`fields`] | JSON read strictly, with errors that say where |
//! | [`kernel`] | the constitution, and the function that decides under it |
//! | [`log`] | the directory of a run: its files, written and read |
//! | [`taxonomy`] | types of refusals, and what injections came to |

#[cfg(feature = "oracle")]
pub mod calibration;
pub mod fields;
pub mod kernel;
pub mod log;
pub mod taxonomy;
