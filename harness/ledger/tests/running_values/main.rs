//! Running values: what a session records after an answer, what it refuses, what an interruption leaves, and what an audit
//! finds. decisions.md D41.

#[path = "../schemas/support.rs"]
#[allow(dead_code, reason = "the tests of the schemas need more of it")]
mod support;

mod decisions;
mod declarations;
mod forgeries;
mod interruptions;
mod models;
mod payments;
