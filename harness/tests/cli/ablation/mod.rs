//! The command `axilog ablation`.

mod commands;
mod comparing;
mod controls;
mod known_answers;
mod replay;
mod stopping;
mod tokenizer_json;
