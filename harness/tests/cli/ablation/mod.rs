//! The command `axilog ablation`.

mod agent_server;
mod commands;
mod comparing;
mod controls;
mod cost;
mod environments;
mod figures;
mod known_answers;
mod model_tokenizer;
mod padding;
mod parallel;
mod primary;
mod prompts;
mod replay;
mod resume;
mod sealing;
mod server_facts;
#[cfg(target_os = "linux")]
mod signing;
mod stopping;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
