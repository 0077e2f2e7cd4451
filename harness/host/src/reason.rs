//! `host.h`: what the last error was about, for programs.

use std::ffi::c_int;

use crate::last_error::last_reason;

/// Nothing finer than the status is known about the error.
pub const AXH_REASON_NONE: i32 = 0;
/// The question has no canonical form, or what it says of its sources cannot be read.
pub const AXH_REASON_QUESTION: i32 = 1;
/// The identity of an oracle or of a model cannot be recorded.
pub const AXH_REASON_IDENTITY: i32 = 2;
/// The oracle has another model in the ledger.
pub const AXH_REASON_MODEL: i32 = 3;
/// The ledger declares other oracles, or no policy judges the oracle and the ledger requires one.
pub const AXH_REASON_ORACLE: i32 = 4;
/// The question is derived from what is no answer of the ledger, or from one that may not be acted on.
pub const AXH_REASON_SOURCE: i32 = 5;
/// The question violates its declared schema.
pub const AXH_REASON_SCHEMA: i32 = 6;
/// The time is not after the last one.
pub const AXH_REASON_TIME: i32 = 7;
/// The ledger is sealed.
pub const AXH_REASON_SEALED: i32 = 8;
/// The ledger is bound to something else than the options name.
pub const AXH_REASON_BINDING: i32 = 9;
/// The ledger is damaged, or its policies are others.
pub const AXH_REASON_DAMAGED: i32 = 10;
/// The configuration of the ledger is missing or cannot be read, or the ledger holds no observation.
pub const AXH_REASON_CONFIGURATION: i32 = 11;
/// What the ledger declares is missing or cannot be used.
pub const AXH_REASON_DECLARATIONS: i32 = 12;
/// The path leads to another file than the one that was opened.
pub const AXH_REASON_DISPLACED: i32 = 13;
/// An earlier step failed; the ledger must be opened again.
pub const AXH_REASON_FAILED: i32 = 14;
/// The policies are not valid, or not such as an exchange with a provider can be recorded under.
pub const AXH_REASON_POLICIES: i32 = 15;
/// A bundle cannot be built of the step, the results or the catalogue that were given.
pub const AXH_REASON_BUNDLE: i32 = 16;
/// The grammar is not valid.
pub const AXH_REASON_GRAMMAR: i32 = 17;
/// The agent is not ENABLED, and takes no question before an operator has acted.
pub const AXH_REASON_STATE: i32 = 18;

/// Gives what the last error of the calling thread was about, finer than its status.
///
/// For programs that treat some errors otherwise than others; people read axh_last_error. A later version may tell more:
/// a program treats a number that it does not know as AXH_REASON_NONE. A call that succeeds leaves it as it is.
///
/// @return An AXH_REASON_ number.
/// @see formats.md §6
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_last_reason() -> c_int {
    last_reason()
}
