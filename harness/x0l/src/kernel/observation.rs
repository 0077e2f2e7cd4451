//! What a cycle saw, in the order `user_input`, `timestamp`, `budget`, `system`.

use axilog::hash::Hash;
use serde_json::{Value, json};

use super::hash_of;
use crate::fields::{Fields, FromJson, Wrong, one_of};

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

impl SystemEvent {
    /// Every event.
    pub const ALL: [SystemEvent; 2] = [SystemEvent::IntegrityRisk, SystemEvent::Notice];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SystemEvent::IntegrityRisk => "INTEGRITY_RISK",
            SystemEvent::Notice => "NOTICE",
        }
    }
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
                json!({ "kind": "system", "event": event.as_str(), "detail": detail })
            }
        }
    }

    /// SHA-256 of the canonical JSON of its fields.
    #[must_use]
    pub fn id(&self) -> Hash {
        hash_of(&self.to_json())
    }
}

impl FromJson for Observation {
    /// Of what [`Observation::to_json`] gives, and of nothing else.
    fn from_json(value: &Value) -> Result<Observation, Wrong> {
        let mut fields = Fields::of(value)?;
        let kind = fields.value("kind")?;
        let observation = match kind.as_str() {
            Some("user_input") => Observation::UserInput {
                text: fields.take("text")?,
            },
            Some("timestamp") => Observation::Timestamp {
                time: time(fields.value("time")?).map_err(|wrong| wrong.within("time"))?,
            },
            Some("budget") => Observation::Budget {
                llm_output_token_count: fields.take("llm_output_token_count")?,
                llm_candidates_reported: fields.take("llm_candidates_reported")?,
                llm_parse_errors: fields.take("llm_parse_errors")?,
            },
            Some("system") => Observation::System {
                event: fields.take("event")?,
                detail: fields.take("detail")?,
            },
            _ => {
                let expected = "one of user_input, timestamp, budget, system";
                return Err(Wrong::new(kind, expected).within("kind"));
            }
        };
        fields.end()?;
        Ok(observation)
    }
}

/// A time from its one text.
fn time(value: &Value) -> Result<u64, Wrong> {
    let text = value.as_str().unwrap_or_default();
    let time = text
        .parse()
        .ok()
        .filter(|time: &u64| time.to_string() == text);
    time.ok_or_else(|| Wrong::new(value, "an integer from 0 to 2^64-1, as a text"))
}

impl FromJson for SystemEvent {
    fn from_json(value: &Value) -> Result<SystemEvent, Wrong> {
        one_of(value, &SystemEvent::ALL, SystemEvent::as_str)
    }
}
