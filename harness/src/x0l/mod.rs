//! X-0L: a language model proposes, a frozen kernel decides.
//!
//! | module | what it holds |
//! |---|---|
//! | `calibration` | whether a model is steady; with the feature `oracle` |
//! | [`kernel`] | the constitution, and the function that decides under it |

#[cfg(feature = "oracle")]
pub mod calibration;
pub mod kernel;
