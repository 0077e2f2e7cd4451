//! The v3.1 ablation harness: what makes runs invalid, how long prompts are, what stays the same.
#![cfg(feature = "ablation")]

#[path = "../cli/bench.rs"]
#[allow(dead_code, reason = "the tests of other commands need more of it")]
mod bench;

mod base;
mod calibration;
mod commands;
mod gates;
mod justification;
mod known_answers;
mod lab;
mod length;
mod pad;
mod pipeline;
mod replay;
mod stopping;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
mod variants;
