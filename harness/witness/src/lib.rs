//! A witness of ledgers' heads, over HTTP (C2SP tlog-witness).
//!
//! A witness remembers of each log the last head that it signed, and signs the next one only with a proof that it extends
//! that one. Two heads of a log that disagree therefore never both have its signature: who holds a head with the signatures
//! of enough witnesses has the one that everybody else has. A witness reads no records, and needs none.
//!
//! | file | what it holds |
//! |---|---|
//! | `known_logs.rs` | the logs whose heads are signed, and their keys |
//! | `head_store.rs` | the heads that were signed, in an SQLite database |
//! | `signer.rs` | the thread that compares, keeps and signs |
//! | `refusal.rs` | why a head is not signed, and the status codes |
//! | `metrics.rs` | what is counted |
//! | `server.rs` | the answers over HTTP |
//! | `witness.rs` | all of them at an address |
//! | `error.rs` | why a witness cannot begin |
//!
//! Notes, proofs and signatures are those of `axilog-heads`, connections and their bounds of `axilog-connections`.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

mod error;
mod head_store;
mod known_logs;
mod metrics;
mod refusal;
mod server;
mod signer;
mod witness;

pub use error::WitnessError;
pub use known_logs::KnownLogs;
pub use refusal::Refusal;
pub use server::MAX_SUBMISSION_BYTES;
pub use witness::{Witness, create_state};
