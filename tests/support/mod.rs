//! What the integration tests share: reading `tests/vectors`, and making and keeping ledgers.

#![allow(dead_code)]

pub mod c_tables;
pub mod declarations;
pub mod ledger;
pub mod text;
mod vectors;

pub use vectors::*;

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
