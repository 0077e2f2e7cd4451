//! The agent: a small state machine that acts on committed evidence only.
//!
//! formats.md §5; SRS-004 §12 and §19 (SHALL-001, SHALL-004, SHALL-016, SHALL-031 to SHALL-033,
//! SHALL-038). Determinism: D2. [`Agent::observe`] is the whole pipeline of §12.1; [`Agent::step`]
//! is the part of it that follows the observation.

#![forbid(unsafe_code)]

mod act;
mod machine;
pub mod observe;
pub mod state;
pub mod step;
pub mod stimulus;

pub use machine::Agent;
