//! # axilog
//!
//! Record what a language model answers, decide whether a program may act on it, and prove both later.
//!
//! A model, or anything else whose output cannot be predicted, is not trusted but recorded: its answer
//! becomes canonical, hash-chained evidence *before* anything may act on it, fixed policies judge it, a
//! small state machine decides, and the whole replays later, byte for byte, without the model (SRS-004).
//!
//! ## The layers
//!
//! A module knows those below it in this list and none above it; `tests/layers/` holds them to
//! that.
//!
//! | module | what it holds | determinism |
//! |---|---|---|
//! | [`ffi`], `panic_handler` | the C surface, which only translates | as what it calls |
//! | [`replay`] | verification and replay, streaming | D2 |
//! | [`agent`] | the state machine: observe, step | D2 |
//! | [`admission`] | an oracle's answer becomes an observation | D3 |
//! | [`policy`] | the registry of limits, their evaluation, the configuration | D2 |
//! | [`selector`] | which value of whose answer a policy judges | D1 |
//! | [`ledger`], [`ledger_line`] | the hash chain, its sink, the lines of a ledger file | D1 |
//! | [`evidence`] | one file per record type: its fields and its bytes | D1 |
//! | [`json`] | canonical writer, strict readers, number conversion | D1 |
//! | [`text`] | UTF-8, line ends, control characters, NFC | D1 |
//! | [`hash`] | SHA-256, commitments, tags, the chain step | D1 |
//! | [`sink`], `search` | where canonical bytes go; the search for the first byte of a kind | D1 |
//! | [`q16`], [`profile`], [`fault`] | arithmetic, profiles, fault flags and errors | D1 |
//!
//! The crate is `no_std`, does not allocate, uses no floating point and cannot panic. Buffers come
//! from the caller.

#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

#[cfg(feature = "std")]
extern crate std;

pub mod admission;
pub mod agent;
pub mod evidence;
pub mod fault;
pub mod ffi;
pub mod hash;
pub mod json;
pub mod ledger;
pub mod ledger_line;
pub mod policy;
pub mod profile;
pub mod q16;
pub mod replay;
mod search;
pub mod selector;
pub mod sink;
pub mod text;

#[cfg(feature = "panic-handler")]
mod panic_handler;
