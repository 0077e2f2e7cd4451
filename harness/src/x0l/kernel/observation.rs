//! What a cycle saw, in the order `user_input`, `timestamp`, `budget`, `system`.

use axilog::hash::Hash;
use serde_json::{Value, json};

use super::hash_of;

/// Something that a cycle saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// What a person asked for.
    UserInput {
        /// The words.
        text: String,
    },
    /// When it was; exactly one per cycle.
    Timestamp {
        /// In the session's unit.
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

/// What the host reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemEvent {
    /// Evidence or code is not what it was.
    IntegrityRisk,
    /// Something worth recording that decides nothing.
    Notice,
}

impl Observation {
    /// Its fields, without its id.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Observation::UserInput { text } => json!({ "kind": "user_input", "text": text }),
            Observation::Timestamp { time } => {
                // As text: a time may be beyond what a double holds.
                json!({ "kind": "timestamp", "time": time.to_string() })
            }
            Observation::Budget {
                llm_output_token_count,
                llm_candidates_reported,
                llm_parse_errors,
            } => json!({
                "kind": "budget",
                "llm_output_token_count": llm_output_token_count,
                "llm_candidates_reported": llm_candidates_reported,
                "llm_parse_errors": llm_parse_errors,
            }),
            Observation::System { event, detail } => {
                let event = match event {
                    SystemEvent::IntegrityRisk => "INTEGRITY_RISK",
                    SystemEvent::Notice => "NOTICE",
                };
                json!({ "kind": "system", "event": event, "detail": detail })
            }
        }
    }

    /// SHA-256 of the canonical JSON of its fields.
    #[must_use]
    pub fn id(&self) -> Hash {
        hash_of(&self.to_json())
    }
}
