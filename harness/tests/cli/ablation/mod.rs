//! The command `axilog ablation`.

mod commands;
mod known_answers;
mod model_tokenizer;
mod padding;
mod replay;
mod stopping;
mod tokenizer_json;
