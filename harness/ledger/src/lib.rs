//! Ledger files on a host: written, verified and replayed, with the rules that they were made under.
//!
//! The crate uses the core's safe Rust API and re-implements no format: records, lines, verdicts and hashes
//! all come from `axilog`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`file`] | the `.jsonl` file, its blobs, streaming verification and replay |
//! | [`session`] | an agent bound to an open ledger file |
//! | [`decision`] | what one step put into the ledger, and why |
//! | [`rules`] | policies as the core's registry, and which rules a ledger names |
//! | [`what_if`] | what other rules would have decided |
//! | [`input`] | the canonical form of what an oracle is asked |
//! | [`jcs`] | the canonical form of any JSON |
//! | [`error`] | what can go wrong, where, and what to do |

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

pub mod decision;
mod encoding;
pub mod error;
pub mod file;
pub mod input;
pub mod jcs;
pub mod rules;
pub mod session;
pub mod what_if;
