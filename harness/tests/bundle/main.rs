//! Step Awareness Bundles: the rules of Addendum A, the seven prompts, budgets, grammars, history.
#![cfg(feature = "bundle")]

#[cfg(feature = "oracle")]
mod asking;
#[path = "../cli/bench.rs"]
#[allow(dead_code, reason = "the tests of other commands need more of it")]
mod bench;
mod budgets;
mod catalogue;
mod commands;
mod effects;
mod grammar;
mod grammar_reference;
mod history;
mod place;
mod prompts;
mod rules;
mod schema;
#[cfg(feature = "oracle")]
#[path = "../oracle/server.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod server;
