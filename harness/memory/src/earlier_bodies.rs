//! The bodies of events as versions up to 6 of the memory wrote them. They are read from logs, and never appended.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::document::{nullable, read_document};
use crate::error::Result;
use crate::event_bodies::Mode;
use crate::identifier::Identifier;
use crate::words::words;

/// The body of an event that had other members before.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Revised<P, E> {
    Present(P),
    Earlier(E),
}

impl<P: DeserializeOwned, E: DeserializeOwned> Revised<P, E> {
    /// Reads a body of the present form.
    pub(crate) fn read_present(id: &str, body: &Value) -> Result<Revised<P, E>> {
        read_document(id, body).map(Revised::Present)
    }

    /// Reads a body of either form. The error of a body that has none is that of the present one.
    pub(crate) fn read_either(id: &str, body: &Value) -> Result<Revised<P, E>> {
        Revised::read_present(id, body).or_else(|error| {
            read_document(id, body)
                .map(Revised::Earlier)
                .map_err(|_| error)
        })
    }
}

words! {
    /// What the validation of a roleplay found. EV-120 has recorded failures alone since.
    pub(crate) enum EarlierValidationOutcome {
        Valid = "VALID",
        Invalid = "INVALID",
    }
}

/// EV-020.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierReadingSpotBody {
    pub(crate) setting: Identifier,
}

/// EV-030.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierModeBody {
    pub(crate) mode: Mode,
}

/// EV-033.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierNudgeBody {
    nudge_id: Identifier,
}

/// EV-034.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierSuppressedNudgeBody {
    nudge_id: Identifier,
    #[serde(deserialize_with = "nullable")]
    rule_ref: Option<Identifier>,
}

/// EV-107 to EV-109.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierPlaybackBody {
    playback_id: Identifier,
}

/// EV-120.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierValidationBody {
    playback_id: Identifier,
    outcome: EarlierValidationOutcome,
}

/// EV-121.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierFallbackBody {
    playback_id: Identifier,
    #[serde(deserialize_with = "nullable")]
    rule_ref: Option<Identifier>,
}
