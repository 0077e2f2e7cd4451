//! The observations of a cycle, in the order `user_input`, `timestamp`, `budget`, `system`.

use axilog::hash::Hash;
use serde::{Deserialize, Serialize};

use crate::document::{hash_document, named_enum};

/// A fact that the kernel is given in a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum KernelObservation {
    /// The request of a person.
    UserInput {
        /// The words of the person.
        text: String,
    },
    /// The time of the cycle; exactly one per cycle.
    Timestamp {
        /// The time in the unit of the session.
        #[serde(with = "number_text")]
        time: u64,
    },
    /// What the model's answer cost and contained; exactly one per cycle.
    Budget {
        /// The tokens of prompt and answer together (Q48a).
        llm_output_token_count: u64,
        /// The number of items under `candidates`, with the malformed ones.
        llm_candidates_reported: u64,
        /// The number of malformed items.
        llm_parse_errors: u64,
    },
    /// A report of the host.
    System {
        /// The event.
        event: SystemEvent,
        /// The event in words.
        detail: String,
    },
}

named_enum! {
    /// An event that the host reports.
    pub enum SystemEvent {
        /// Evidence or code has changed.
        IntegrityRisk = "INTEGRITY_RISK",
    }
}

impl KernelObservation {
    /// SHA-256 of the canonical form.
    #[must_use]
    pub fn id(&self) -> Hash {
        hash_document(self)
    }
}

/// The short ids of the observations that a prompt can name, those before the budget: `obs-1` is the first. A
/// candidate may name an observation by its short id or by the hash of its canonical form.
pub fn short_ids(
    observations: &[KernelObservation],
) -> impl Iterator<Item = (String, &KernelObservation)> {
    let is_known = |observation: &&KernelObservation| {
        matches!(
            observation,
            KernelObservation::UserInput { .. } | KernelObservation::Timestamp { .. }
        )
    };
    let known = observations.iter().take_while(is_known);
    (1..)
        .zip(known)
        .map(|(number, observation): (u32, _)| (format!("obs-{number}"), observation))
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
