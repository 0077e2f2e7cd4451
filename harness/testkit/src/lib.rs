//! What the tests of several packages share. Nothing of it ships: it is a dependency of tests, of `xtask` and of the
//! fuzz targets.
//!
//! | module | holds | with the feature |
//! |---|---|---|
//! | [`vectors`] | the golden vectors of `tests/vectors`, read | |
//! | [`c_programs`] | the compilers of C and C++, and what runs their programs | |
//! | [`c_tables`] | the vectors as C tables, for the C suites | |
//! | [`c_suites`] | the C suites and the number of checks in each | |
//! | [`declarations`] | what the C headers declare | |
//! | [`modules`] | which file of a crate uses which, and circles among them | |
//! | `core` | ledgers in memory, and what the library's JSON and text are measured against | `core` |
//! | `harness` | servers and clients on this machine, models and tokenizers | `harness` |

#![allow(missing_docs, reason = "most names are those of the vectors")]
#![allow(clippy::new_without_default, reason = "a test says what it makes anew")]

pub mod c_programs;
pub mod c_suites;
pub mod c_tables;
pub mod declarations;
pub mod modules;
pub mod vectors;

#[cfg(feature = "core")]
pub mod core;
#[cfg(feature = "harness")]
pub mod harness;
