//! `session_metadata.json`: what is frozen before the first call, and what came of it.
//!
//! `{"calibration":…|null,"frozen":…,"outcome":…|null}`, canonical JSON and a line feed. The outcome of
//! a run that was killed is null.

use axilog::hash::Hash;
use axilog_ledger::file::hex;
use serde_json::{Value, json};

use super::{Frozen, Outcome};
use crate::fields::{FromJson, Wrong, one_of, whole};

/// The metadata of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What does not change during the run.
    pub frozen: Frozen,
    /// The calibration, once it was done.
    pub calibration: Option<Calibration>,
    /// How the run ended, once it has.
    pub outcome: Option<Outcome>,
}

/// What the calibration gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// What was found.
    pub verdict: CalibrationVerdict,
    /// SHA-256 of the prompt.
    pub input_hash: Hash,
    /// The one hash of the answers, where there is one.
    pub canonicalized_hash: Option<Hash>,
    /// The sequences of the calls' observations.
    pub ledger_seqs: Vec<u64>,
    /// Tokens spent; they do not count towards B2.
    pub tokens: u64,
}

/// What a calibration found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationVerdict {
    /// One canonical form.
    Steady,
    /// More than one, or an answer that has none.
    Drift,
    /// A call without an answer, which ends it.
    TransportFailure,
}

impl CalibrationVerdict {
    /// Every verdict.
    pub const ALL: [CalibrationVerdict; 3] = [
        CalibrationVerdict::Steady,
        CalibrationVerdict::Drift,
        CalibrationVerdict::TransportFailure,
    ];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CalibrationVerdict::Steady => "OK",
            CalibrationVerdict::Drift => "MODEL_DRIFT_DETECTED",
            CalibrationVerdict::TransportFailure => "TRANSPORT_FAILURE_ABORT",
        }
    }
}

impl Metadata {
    /// Its fields.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "calibration": self.calibration.as_ref().map(Calibration::to_json),
            "frozen": self.frozen.to_json(),
            "outcome": self.outcome.as_ref().map(Outcome::to_json),
        })
    }
}

impl FromJson for Metadata {
    fn from_json(value: &Value) -> Result<Metadata, Wrong> {
        whole(value, |fields| {
            Ok(Metadata {
                calibration: fields.take("calibration")?,
                frozen: fields.take("frozen")?,
                outcome: fields.take("outcome")?,
            })
        })
    }
}

impl Calibration {
    /// Its fields.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "verdict": self.verdict.as_str(),
            "input_hash": hex(&self.input_hash),
            "canonicalized_hash": self.canonicalized_hash.as_ref().map(hex),
            "ledger_seqs": self.ledger_seqs,
            "tokens": self.tokens,
        })
    }
}

impl FromJson for Calibration {
    fn from_json(value: &Value) -> Result<Calibration, Wrong> {
        whole(value, |fields| {
            Ok(Calibration {
                verdict: fields.take("verdict")?,
                input_hash: fields.take("input_hash")?,
                canonicalized_hash: fields.take("canonicalized_hash")?,
                ledger_seqs: fields.take("ledger_seqs")?,
                tokens: fields.take("tokens")?,
            })
        })
    }
}

impl FromJson for CalibrationVerdict {
    fn from_json(value: &Value) -> Result<CalibrationVerdict, Wrong> {
        one_of(value, &CalibrationVerdict::ALL, CalibrationVerdict::as_str)
    }
}
