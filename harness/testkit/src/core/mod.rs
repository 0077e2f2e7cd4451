//! What needs the crate `axilog`: ledgers in memory, and what its JSON and text are measured against.

pub mod ledger;
pub mod strict_json;
pub mod text;
