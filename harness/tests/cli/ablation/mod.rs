//! The command `axilog ablation`.

mod commands;
mod known_answers;
mod replay;
mod stopping;
mod tokenizer_json;
