//! `session_metadata.json`: what is frozen before the first call, and what came of it.
//!
//! `{"calibration":…|null,"frozen":…,"outcome":…|null}`, canonical JSON and a line feed. The outcome of
//! a run that was killed is null.

use axilog::hash::Hash;
use serde::{Deserialize, Serialize};

use super::{Frozen, Outcome};
use crate::document::{self, named_enum};

/// The metadata of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// What does not change during the run.
    pub frozen: Frozen,
    /// The calibration, once it was done.
    pub calibration: Option<Calibration>,
    /// How the run ended, once it has.
    pub outcome: Option<Outcome>,
}

/// What the calibration gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// What was found.
    pub verdict: CalibrationVerdict,
    /// SHA-256 of the prompt.
    #[serde(with = "document::hash")]
    pub input_hash: Hash,
    /// The one hash of the answers, where there is one.
    #[serde(with = "document::hash")]
    pub canonicalized_hash: Option<Hash>,
    /// The sequences of the calls' observations.
    pub ledger_seqs: Vec<u64>,
    /// Tokens spent; they do not count towards B2.
    pub tokens: u64,
}

named_enum! {
    /// What a calibration found.
    pub enum CalibrationVerdict {
        /// One canonical form.
        Steady = "OK",
        /// More than one, or an answer that has none.
        Drift = "MODEL_DRIFT_DETECTED",
        /// A call without an answer, which ends it.
        TransportFailure = "TRANSPORT_FAILURE_ABORT",
    }
}
