//! A replay as JSON.

use std::path::Path;

use serde_json::Value;

use super::verification::verification_json;
use crate::encoding::hex;
use crate::replay::ReplayReport;

/// The object of `axilog replay`: the verification, and of a good ledger the agent and the rules.
#[must_use]
pub fn replay_json(path: &Path, replayed: &ReplayReport) -> Value {
    let verified = &replayed.verification;
    let mut object = verification_json(path, verified);
    // A ledger of which nothing was decided has no agent yet.
    let (Some((rules, source)), None, Ok((agent, step))) =
        (&replayed.rules, &verified.fault, verified.replay.resume())
    else {
        return object;
    };
    let switches = rules.switches();
    let fields: [(&str, Value); 8] = [
        ("health", agent.health.as_str().into()),
        ("fault_count", agent.fault_count.into()),
        ("last_timestamp", agent.last_timestamp.into()),
        ("configuration", hex(&rules.hash()).into()),
        ("configuration_source", source.as_str().into()),
        ("permit_truncated", switches.permit_truncated.into()),
        ("stop_on_invalid", switches.stop_on_invalid.into()),
        ("interrupted", step.is_some().into()),
    ];
    if let Some(object) = object.as_object_mut() {
        object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    }
    object
}
