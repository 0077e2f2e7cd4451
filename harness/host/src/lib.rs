//! Ledger files for programs on hosts, in C and whatever calls C: the library `libaxilog_host` and its header
//! `axilog/host.h`.
//!
//! The library is `axilog-ledger` with the names and types of C. It brings the file, its lock, the blobs, durability and
//! schemas; a device without files has `libaxilog` alone. `libaxilog_host` has the functions of `libaxilog` too, so that
//! a program links one of the two. The program below begins a ledger of two answers, and acts on the first:
//!
#![doc = concat!("```c\n", include_str!("../examples/first.c"), "```")]
//!
//! | module | what it holds |
//! |---|---|
//! | [`status`] | what the functions return, and the text of the last error |
//! | [`reason`] | what the last error was about, for programs |
//! | [`options`] | the handle of a ledger, and what it is begun and opened with |
//! | [`ledger`] | creating, opening, syncing and closing a ledger |
//! | [`decision`] | the decision of a step |
//! | [`observe`] | recording an answer or a failure of an oracle |
//! | [`exchange`] | what a program asks the provider of a model and what comes back, recorded as the gateway does it |
//! | [`derivation`] | questions that are made from earlier answers |
//! | [`steps`] | recording the time and control inputs; the seal |
//! | [`explanation`] | why a step was decided as it was; what opening a ledger did |
//! | [`state`] | the state of a ledger and of its agent |
//! | [`expectations`] | what the caller of a check knows about a ledger from elsewhere |
//! | [`check`] | verifying, replaying and auditing a ledger; its head |
//! | [`record`] | a record that was read |
//! | [`record_filter`] | the handle of a reader, and the choice of the records that it gives |
//! | [`columns`] | records in columns |
//! | [`reader`] | reading a ledger record by record, or in columns |
//! | [`canonical`] | the canonical form of JSON |
//! | [`canonicalizer`] | the one JSON object in the text of a language model |
//! | [`bundle`] | step awareness bundles, and the grammars that answers to them fit |
//! | [`policy`] | policies that are checked, compiled and tried without a ledger |
//! | [`tool_calls`] | the tool calls in an assistant's message |
//! | [`proof`] | proofs that a ledger has a record |
//! | [`segment`] | one ledger checked by several processes |
//!
//! The modules above are the sources of the header, in this order. A function checks its pointers, calls one function of
//! `axilog-ledger` and maps the result; no panic leaves it. A handle is a number that the library looks up and nobody
//! follows as a pointer, so that a closed handle is an error and never a use of freed memory.

#![allow(non_camel_case_types, reason = "types carry their C names")]
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

mod boundary;
mod bundle_request;
mod error;
mod given_text;
mod handle;
mod last_decision;
mod last_error;
mod open_ledgers;
mod open_readers;
mod pointer;
mod policy_text;

pub mod bundle;
pub mod canonical;
pub mod canonicalizer;
pub mod check;
pub mod columns;
pub mod decision;
pub mod derivation;
pub mod exchange;
pub mod expectations;
pub mod explanation;
pub mod ledger;
pub mod observe;
pub mod options;
pub mod policy;
pub mod proof;
pub mod reader;
pub mod reason;
pub mod record;
pub mod record_filter;
pub mod segment;
pub mod state;
pub mod status;
pub mod steps;
pub mod tool_calls;
