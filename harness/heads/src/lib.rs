//! Heads of ledgers that others can hold: signed checkpoints, and proofs that a record, or an older checkpoint, belongs
//! to one.
//!
//! The chain of a ledger has no key: whoever can write the file can write it anew, or cut off its end. So a ledger is a
//! transparency log too. Its tree (RFC 6962) has one leaf for each record, genesis included: the 32 bytes of the
//! record's `commit`. A [`Checkpoint`] is the tree's size and root, signed; once somebody else holds one, every
//! rewriting of what it covers can be shown. The formats are those of C2SP: signed-note, tlog-checkpoint, tlog-proof,
//! and the body of tlog-witness's `add-checkpoint`.
//!
//! ```
//! use std::fs::File;
//!
//! use axilog::admission::InputKind;
//! use axilog::evidence::observation::Params;
//! use axilog_heads::{LogKey, RecordProof, SigningRequest, prove_record, sign_ledger};
//! use axilog_ledger::input::CanonicalInput;
//! use axilog_ledger::session::{OracleCall, OracleReply, Session};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("decisions.jsonl");
//! let (mut session, _) = Session::open_or_create(&path, None, 1)?;
//! let call = OracleCall {
//!     oracle_id: "llm".to_owned(),
//!     model_id: "model-1".to_owned(),
//!     params: Params::NULL,
//!     input: CanonicalInput::new(b"Which pump speed?", InputKind::Text)?,
//! };
//! session.observe(&call, OracleReply::Answer(b"{\"value\": 60.5}"))?;
//!
//! let key = LogKey::create(&dir.path().join("plant.key"), "example.com/plant")?;
//! let request = SigningRequest {
//!     ledger: &path,
//!     key: &key,
//!     // This ledger was begun without a name of its own.
//!     origin: Some("example.com/plant"),
//!     earlier: None,
//! };
//! let signed = sign_ledger(&mut File::open(&path)?, &request)?;
//!
//! // Whoever gets the proof needs nothing else but the public key.
//! let proven = prove_record(&mut File::open(&path)?, &path, 5, signed.checkpoint)?;
//! let proof = RecordProof::parse(&proven.proof.to_bytes())?;
//! let record = proof.check(proof.record_line().unwrap(), key.verifier_key())?;
//! assert_eq!(record.sequence, 5);
//! # Ok(())
//! # }
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `verifier_key.rs` | the public key of a log |
//! | `key_kind.rs` | what a key signs |
//! | `secret_key.rs` | a secret key, and the file that holds it |
//! | `log_key.rs` | the secret key of a log |
//! | `witness_key.rs` | the keys of a witness, and its signatures with the time |
//! | `checkpoint.rs` | a signed size and root |
//! | `tree.rs` | the right edge of a growing tree, and the hashes of it that a proof needs |
//! | `tree_place.rs` | a place of a ledger file, from which the tree of the records before it grows |
//! | `saved_tree.rs`, `saved_tree_check.rs` | the file `LEDGER.tree` that keeps such a place, and its audit |
//! | `growth.rs` | what the proof is made of that a tree has grown |
//! | `growing_log.rs` | a ledger whose heads are signed while it grows |
//! | `ledger_tree.rs` | the tree of a ledger file, made while the ledger is verified |
//! | `ledger_name.rs` | the name that a ledger has, which is the origin of its checkpoints |
//! | `signing.rs` | the signing of a ledger's head |
//! | `proof_text.rs` | what the texts of both proofs have in common |
//! | `record_difference.rs` | how a ledger's records differ from those that were signed |
//! | `held_checkpoint.rs` | a checkpoint that somebody holds, compared with the ledger in its audit |
//! | `record_proof.rs` | the proof of one record |
//! | `proven_record_json.rs` | what it shows, as JSON |
//! | `extension_proof.rs` | the proof that a ledger extends an older checkpoint |
//! | `proving.rs` | the making of both proofs from a ledger |
//! | `policy.rs`, `policy_error.rs` | which witnesses must have signed |
//! | `bounds.rs` | how much is read of what others hand over |
//! | `error.rs`, `invalid_verifier_key.rs` | what can go wrong |
//!
//! Tree, notes and signatures are `tlog_tiles`', `signed_note`'s and `ed25519-dalek`'s.

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

mod bounds;
mod checkpoint;
mod error;
mod extension_proof;
mod growing_log;
mod growth;
mod held_checkpoint;
mod invalid_verifier_key;
mod key_kind;
mod ledger_name;
mod ledger_tree;
mod log_key;
mod policy;
mod policy_error;
mod proof_text;
mod proven_record_json;
mod proving;
mod record_difference;
mod record_proof;
mod saved_tree;
mod saved_tree_check;
mod secret_key;
mod signing;
mod tree;
mod tree_place;
mod verifier_key;
mod witness_key;

pub use bounds::{MAX_CHECKPOINT_BYTES, MAX_PROOF_BYTES, MAX_TREE_SIZE};
pub use checkpoint::{Checkpoint, checkpoint_of};
pub use error::{HeadsError, InvalidCheckpoint, InvalidProof, Unproven};
pub use extension_proof::{ExtensionProof, NoGrowth};
pub use growing_log::{GrowingLog, SignedTree};
pub use held_checkpoint::HeldCheckpoint;
pub use invalid_verifier_key::InvalidVerifierKey;
pub use key_kind::KeyKind;
pub use ledger_name::find_ledger_name;
pub use log_key::LogKey;
pub use policy::{PolicyWitness, QuorumReport, WitnessPolicy};
pub use policy_error::{InvalidPolicy, PolicyFault};
pub use proof_text::ProofKind;
pub use proven_record_json::proven_record_json;
pub use proving::{Proven, prove_extension, prove_record, write_submissions};
pub use record_difference::RecordDifference;
pub use record_proof::RecordProof;
pub use saved_tree_check::SavedTreeCheck;
pub use secret_key::SecretKey;
pub use signing::{SignedHead, SigningRequest, check_log_name, sign_ledger, sync_ledger};
pub use tree::TreeEdge;
pub use verifier_key::VerifierKey;
pub use witness_key::{WitnessKey, WitnessPublicKey};
