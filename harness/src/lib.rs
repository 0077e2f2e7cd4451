//! # axilog-harness
//!
//! The companion of the core on a host: ledger files, the rules they were made under, agents bound
//! to them, and the command `axilog`. It uses the core's safe Rust API and re-implements no format:
//! records, lines, verdicts and hashes all come from `axilog`.
//!
//! | module | what it holds |
//! |---|---|
//! | `ablation` | whether precedent memory matters to an oracle's choices; with the feature of that name |
//! | `bundle` | what a model gets to see of a pipeline step; with the feature of that name |
//! | [`cli`] | the command `axilog`: one file per subcommand, text and JSON for its results |
//! | [`session`] | an agent bound to an open ledger file |
//! | [`decision`] | what one step put into the ledger, and why |
//! | [`rules`] | policies as the core's registry, and which rules a ledger names |
//! | `canonicalizer` | a model's raw text to one JSON object; with the feature `x0l` |
//! | [`input`] | the canonical form of what an oracle is asked |
//! | `jcs` | the canonical form of any JSON; with the feature `audit`, `bundle`, `memory` or `x0l` |
//! | [`ledger_file`] | the `.jsonl` file, its blobs, streaming verification and replay |
//! | `memory` | the Oracle memory: what a long game knows; with the feature of that name |
//! | `oracle` | asking a language model, and the record of it; with the feature of that name |
//! | `tokens` | how many tokens a text is for a model; with the feature of that name |
//! | `x0l` | the live harness: the kernel that decides; with the feature of that name |
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

#[cfg(feature = "ablation")]
pub mod ablation;
#[cfg(feature = "bundle")]
pub mod bundle;
#[cfg(feature = "x0l")]
pub mod canonicalizer;
pub mod cli;
pub mod decision;
pub mod error;
pub mod input;
#[cfg(any(
    feature = "audit",
    feature = "bundle",
    feature = "memory",
    feature = "x0l"
))]
pub mod jcs;
pub mod ledger_file;
#[cfg(feature = "memory")]
pub mod memory;
#[cfg(feature = "oracle")]
pub mod oracle;
pub mod rules;
pub mod session;
#[cfg(feature = "tokens")]
pub mod tokens;
pub mod what_if;
#[cfg(feature = "x0l")]
pub mod x0l;
