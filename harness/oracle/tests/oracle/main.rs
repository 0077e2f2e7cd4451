//! Oracles of each kind: over real HTTP from a server that misbehaves on purpose, from scripts, from ledgers and
//! from code; and the records of their answers.

mod http;
mod key;
mod recorded;
mod recording;
mod scripted;
mod servers;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
mod waits;
