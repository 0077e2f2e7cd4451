//! Records what an oracle (a language model, a sensor, a person) answers, in a file that cannot be changed
//! unnoticed.
//!
//! The file is a *ledger*: one line per record, each bound to the line before by its SHA-256. A [`Session`] runs
//! an agent on the ledger: it records an answer, evaluates policies on it, and says whether the caller may act
//! on it. Afterwards anybody can verify the file, and replay it: make every decision again without the oracle.
//!
//! ```no_run
#![doc = include_str!("../examples/first.rs")]
//! ```
//!
//! [`verify::verify_ledger`] and [`replay::replay_ledger`] check the file afterwards, as `axilog verify` and `axilog replay` do.
//!
//! The crate contains no format of its own: records, lines, verdicts and hashes come from the core, `axilog`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`session`] | an agent bound to an open ledger file |
//! | [`decision`] | the decision of one step |
//! | [`decision_reasons`], [`answer_values`] | why a step was decided as it was, in words |
//! | [`policy_trial`] | what policies and schemas would decide on an answer, without recording it |
//! | [`what_if`] | the decisions that other rules would have made |
//! | [`verify`], [`replay`] | streaming verification and replay of a ledger file |
//! | [`segments`] | verification and replay of one ledger file by several processes |
//! | [`reader`] | a ledger file read record by record, verified on the way |
//! | [`record_contents`] | the contents of one record |
//! | [`mod@file`] | the ledger file, its lines, blobs and lock |
//! | [`durability`] | when a ledger is synced |
//! | [`rules`] | the policies of an agent, and the choice of the rules that a ledger names |
//! | [`manifest`] | what else a ledger is bound to: its name, a note, schemas |
//! | [`named_blobs`] | the blobs that a ledger names |
//! | [`schema`] | the declared schemas of what oracles are asked and answer |
//! | [`admission`] | admission, made again from the bytes of an answer |
//! | [`audit`] | every check of a ledger, as one verdict |
//! | [`json_report`] | decision, verification, replay, audit, head and policies as JSON |
//! | [`input`] | inputs of oracles in canonical form |
//! | [`derivation`] | inputs that are made from earlier answers |
//! | [`running_values`] | sums, counts and changes that the ledger computes and records itself |
//! | [`derivation_graph`] | which answers fed which questions |
//! | [`questions`] | the questions that lie beside a ledger |
//! | [`tool_calls`] | the tool calls in an assistant's message |
//! | [`standing`] | whether an answer may be acted on, and so may feed a question |
//! | [`input_file`], [`standard_input`] | files that a caller names to be read |
//! | [`jcs`] | the canonical form of any JSON (RFC 8785) |
//! | [`encoding`] | bytes and text as records write them |
//! | [`visible_text`] | text as people may be shown it |
//! | [`error`] | the errors: where, what was found, what to do |
//!
//! [`Session`]: session::Session

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

pub mod admission;
pub mod answer_values;
pub mod audit;
pub mod decision;
pub mod decision_reasons;
pub mod derivation;
pub mod derivation_graph;
pub mod durability;
pub mod encoding;
pub mod error;
pub mod file;
pub mod input;
pub mod input_file;
pub mod jcs;
pub mod json_report;
pub mod ledger_input;
pub mod manifest;
pub mod named_blobs;
mod number_search;
pub mod policy_trial;
pub mod questions;
mod raw_json;
pub mod reader;
pub mod record_contents;
pub mod replay;
pub mod rules;
pub mod running_values;
pub mod schema;
pub mod segments;
pub mod session;
pub mod standard_input;
pub mod standing;
pub mod tool_calls;
pub mod trial;
pub mod verify;
pub mod visible_text;
pub mod what_if;
mod written_number;
