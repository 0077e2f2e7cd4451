//! A plan: what will be run, committed before anything is.

use axilog::hash::{Hash, sha256};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::frozen::FrozenSettings;
use crate::document::{named_enum, to_line, to_value};

named_enum! {
    /// The form of a plan.
    pub enum PlanFormat {
        /// The only one.
        V1 = "X0L:PLAN:v1",
    }
}

/// A plan: the frozen settings of a session, without what each attempt has of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanDocument {
    /// The form of the document.
    pub format: PlanFormat,
    /// When the plan was committed, in seconds since 1970.
    pub planned: u64,
    /// The settings.
    pub settings: Value,
}

/// The members of the frozen settings that each attempt has of its own: its place, its time, and whether its server was
/// found to have a tokenizer.
const OF_THE_ATTEMPT: [&str; 4] = ["correction", "plan", "prompt_count", "started"];

impl PlanDocument {
    /// The plan of sessions with these settings.
    #[must_use]
    pub fn new(frozen: &FrozenSettings, planned: u64) -> PlanDocument {
        let mut settings = to_value(frozen);
        if let Some(members) = settings.as_object_mut() {
            members.retain(|name, _| !OF_THE_ATTEMPT.contains(&name.as_str()));
        }
        PlanDocument {
            format: PlanFormat::V1,
            planned,
            settings,
        }
    }

    /// The plan's hash: SHA-256 of its file, which is the document and a line feed.
    #[must_use]
    pub fn hash(&self) -> Hash {
        sha256(&to_line(self))
    }
}
