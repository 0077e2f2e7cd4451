//! Oracles of each kind: over real HTTP from a server that misbehaves on purpose, from scripts, from ledgers and
//! from code; and the records of their answers.

#[cfg(feature = "tokenizer-json")]
mod byte_level_tokenizer;
mod client;
mod clock;
mod http;
mod key;
mod recorded;
mod recording;
mod scripted;
#[allow(dead_code, reason = "the tests of sessions need more of it")]
mod server;
mod servers;
mod test_ledger;
#[cfg(feature = "tokenizer-json")]
mod tokenizer_json;
mod waits;
