//! Oracles: over real HTTP from a server that misbehaves on purpose, from scripts, from ledgers; and
//! what the ledger holds of it all.

mod client;
mod http;
mod key;
mod place;
mod recorded;
mod recording;
mod scripted;
#[allow(dead_code, reason = "the tests of sessions need more of it")]
mod server;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
