//! `session_metadata.json`: the frozen settings, the calibration and the outcome of a session.
//!
//! `{"calibration":…|null,"frozen":…,"outcome":…|null}`, canonical JSON and a line feed. The outcome of
//! a run that was killed is null.

use axilog::hash::Hash;
use serde::{Deserialize, Serialize};

use super::frozen::FrozenSettings;
use super::outcome::SessionOutcome;
use crate::document::{self, named_enum};

/// The metadata of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionMetadata {
    /// The settings that do not change during the run.
    pub frozen: FrozenSettings,
    /// The calibration; `None` before it is done.
    pub calibration: Option<CalibrationRecord>,
    /// How the run ended; `None` before its end.
    pub outcome: Option<SessionOutcome>,
}

/// The record of a calibration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrationRecord {
    /// The verdict on the model.
    pub verdict: CalibrationVerdict,
    /// SHA-256 of the prompt.
    #[serde(with = "document::hash")]
    pub input_hash: Hash,
    /// The hash of the answers' one canonical form; `None` where they have no common form.
    #[serde(with = "document::hash")]
    pub canonicalized_hash: Option<Hash>,
    /// The model of the first answer, as its server names it: every other answer must name the same (Q6).
    pub answered_by: Option<String>,
    /// The `system_fingerprint` of the first answer; another one is reported.
    pub system_fingerprint: Option<String>,
    /// The sequence numbers of the calls' observations in the ledger.
    pub ledger_seqs: Vec<u64>,
    /// The tokens that the calibration cost, which do not count towards B2.
    pub tokens: u64,
}

named_enum! {
    /// The verdict of a calibration.
    pub enum CalibrationVerdict {
        /// The answers have one canonical form.
        Steady = "OK",
        /// The answers have several canonical forms, or one of them has no canonical form.
        Drift = "MODEL_DRIFT_DETECTED",
        /// A call gave no answer, which ended the calibration.
        TransportFailure = "TRANSPORT_FAILURE_ABORT",
    }
}
