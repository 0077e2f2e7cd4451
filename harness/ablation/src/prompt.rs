//! The texts of a prompt: a system message, and a user message with the precedent and the situation
//! between fixed markers.
//!
//! [`super::prompt_frame`] pads the two segments to their constant lengths.

use std::collections::BTreeMap;

use axilog::hash::{Hash, sha256};
use axilog_oracle::Question;
use serde::Serialize;
use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::environment::{Effects, Environment, Situation};
use super::json_document::to_canonical_json;
use super::sampling::Sampling;

/// The marker before the precedent.
pub const HEAD: &str = "PRECEDENT\n";
/// The marker before the situation, in a prompt without a precedent.
pub const SITUATION: &str = "SITUATION\n";
/// The text between the precedent and the situation: it ends in [`SITUATION`].
pub const MIDDLE: &str = " END\nSITUATION\n";
/// The text after the situation.
pub const TAIL: &str = " END\nAnswer with the JSON object and nothing else.";

const ANSWER: &str = "Answer with exactly one JSON object with these members: action (a feasible action), \
     authorized_violations (the commitments that may be broken for it, an array), \
     required_preservations (the commitments that must be kept, an array), conflict_attribution (an array \
     of pairs [kept, broken], kept from required_preservations and broken from authorized_violations), \
     predicted_effects (an object with the arrays satisfies and violates: what the action does).";

const PRECEDENT: &str = "Between PRECEDENT and END stands the record of the last justification that was \
     accepted, if there is one. The letters X that fill the lines mean nothing.";

/// Builds the system message of the base harness, which says nothing of precedents.
#[must_use]
pub fn build_base_system_message(environment: &dyn Environment) -> String {
    format!("{} {ANSWER}", environment.briefing())
}

/// Builds the system message of the v3.1 harness.
#[must_use]
pub fn build_system_message(environment: &dyn Environment) -> String {
    format!("{} {PRECEDENT} {ANSWER}", environment.briefing())
}

/// Builds the question that puts `user` to `model` under `system`.
#[must_use]
pub fn build_question(model: &str, system: &str, user: &str, sampling: Sampling) -> Question {
    Question::new(model, system, user, sampling.to_params())
}

/// Hashes with SHA-256 everything in a prompt that is the same at every step: the system message and the
/// markers.
#[must_use]
pub fn hash_skeleton(system: &str) -> Hash {
    sha256(to_canonical_json(&[system, HEAD, MIDDLE, TAIL]).as_bytes())
}

#[derive(Serialize)]
struct PromptSituation<'a> {
    feasible: &'a BTreeMap<String, Effects>,
    observation: &'a Map<String, Value>,
    resources: &'a BTreeMap<String, Decimal>,
    step: u32,
}

/// Renders a situation as it stands in prompts: canonical JSON.
#[must_use]
pub fn render_situation(situation: &Situation, step: u32) -> String {
    to_canonical_json(&PromptSituation {
        feasible: &situation.feasible,
        observation: &situation.observation,
        resources: &situation.resources,
        step,
    })
}
