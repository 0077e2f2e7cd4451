//! `axilog ablation`, as researchers run it.

mod commands;
mod known_answers;
mod replay;
mod stopping;
mod tokenizer_json;
