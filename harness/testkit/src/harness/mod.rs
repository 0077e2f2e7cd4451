//! What needs the crates of the harness: servers and clients on this machine, models and tokenizers.

pub mod byte_level_tokenizer;
pub mod client;
pub mod clock;
pub mod llama_server;
pub mod proxy;
pub mod server;
pub mod test_ledger;
pub mod tokenizer_families;
