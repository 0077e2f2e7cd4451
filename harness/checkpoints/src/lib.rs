//! Signs the heads of a ledger while a session writes it, and has witnesses sign them, so that somebody else holds them.
//!
//! The session says how far the ledger is durable, and waits for nobody: a thread signs the head of what is durable after so
//! many records or so much time, and writes it beside the ledger; another one for each witness of a policy (C2SP tlog-policy)
//! sends it (C2SP tlog-witness). A witness that is away is asked again, after growing pauses.
//!
//! | file | holds |
//! |---|---|
//! | `LEDGER.checkpoint` | the head that was signed last, with what witnesses have signed of it |
//! | `LEDGER.witnessed` | the last head that enough witnesses have signed |
//!
//! ```
//! use std::sync::Arc;
//!
//! use axilog::admission::InputKind;
//! use axilog::evidence::observation::Params;
//! use axilog_checkpoints::{CheckpointInterval, CheckpointSettings, CheckpointSigner, Patience};
//! use axilog_heads::LogKey;
//! use axilog_ledger::input::CanonicalInput;
//! use axilog_ledger::session::{OracleCall, OracleReply, Session};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("decisions.jsonl");
//! let (mut session, _) = Session::open_or_create(&path, None, 1)?;
//! let settings = CheckpointSettings {
//!     key: Arc::new(LogKey::create(&dir.path().join("plant.key"), "example.com/plant")?),
//!     // This ledger was begun without a name of its own.
//!     origin: Some("example.com/plant".to_owned()),
//!     interval: "1000,60s".parse::<CheckpointInterval>()?,
//!     witnesses: None,
//!     patience: Patience::default(),
//! };
//! let signer = CheckpointSigner::start(&path, settings, Arc::new(|line| eprintln!("{line}")))?;
//! session.report_durable_to(signer.watch());
//!
//! let call = OracleCall {
//!     oracle_id: "llm".to_owned(),
//!     model_id: "model-1".to_owned(),
//!     params: Params::NULL,
//!     input: CanonicalInput::new(b"Which pump speed?", InputKind::Text)?,
//! };
//! session.observe(&call, OracleReply::Answer(b"{\"value\": 60.5}"))?;
//! session.sync()?;
//! assert_eq!(signer.finish().signed, 8);
//! # Ok(())
//! # }
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `settings.rs` | when heads are signed, and how long is waited for witnesses |
//! | `signer.rs` | the threads that sign and ask |
//! | `rounds.rs` | which head the witnesses are asked for |
//! | `status.rs` | what has come of it |
//! | `witness_client.rs` | asking a witness, and what it answers |
//! | `submitting.rs` | asking the witnesses of a policy once |
//! | `error.rs` | what can go wrong |

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
mod rounds;
mod settings;
mod signer;
mod status;
mod submitting;
mod witness_client;

pub use error::CheckpointsError;
pub use settings::{CheckpointInterval, CheckpointSettings, InvalidInterval, Patience};
pub use signer::{CheckpointSigner, Reporter, witnessed_of};
pub use status::{CheckpointStatus, WitnessStatus, WitnessedHead};
pub use submitting::{WitnessOutcome, submit_checkpoint};
pub use witness_client::NotWitnessed;
