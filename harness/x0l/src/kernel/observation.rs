//! What a cycle saw, in the order `user_input`, `timestamp`, `budget`, `system`.

use axilog::hash::Hash;
use serde::{Deserialize, Serialize};

use crate::document::{hash_document, named_enum};

/// Something that a cycle saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Observation {
    /// What a person asked for.
    UserInput {
        /// The words.
        text: String,
    },
    /// When it was; exactly one per cycle.
    Timestamp {
        /// In the session's unit.
        #[serde(with = "number_text")]
        time: u64,
    },
    /// What the model's answer cost and held; exactly one per cycle.
    Budget {
        /// Prompt and answer together (Q48a).
        llm_output_token_count: u64,
        /// Items under `candidates`, malformed ones too.
        llm_candidates_reported: u64,
        /// Malformed ones.
        llm_parse_errors: u64,
    },
    /// Something about the host.
    System {
        /// What.
        event: SystemEvent,
        /// In words.
        detail: String,
    },
}

named_enum! {
    /// What the host reports.
    pub enum SystemEvent {
        /// Evidence or code is not what it was.
        IntegrityRisk = "INTEGRITY_RISK",
    }
}

impl Observation {
    /// SHA-256 of the canonical form.
    #[must_use]
    pub fn id(&self) -> Hash {
        hash_document(self)
    }
}

/// A number as a text, since a time may be beyond what a double holds.
mod number_text {
    use serde::de::{Deserialize, Deserializer, Error, Unexpected};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.parse().ok();
        number
            .filter(|number: &u64| number.to_string() == text)
            .ok_or_else(|| {
                let expected = "an integer from 0 to 2^64-1, as a text";
                D::Error::invalid_value(Unexpected::Str(&text), &expected)
            })
    }
}
