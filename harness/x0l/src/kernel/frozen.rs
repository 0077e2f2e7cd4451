//! The two hashes by which a session pins the kernel, as one pins the canonicalizer (Q4, Q33).

use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::hex;
use serde_json::json;

use super::candidate::parse_candidates;
use super::{CandidateSet, Constitution, KernelObservation, KernelState, SystemEvent, decide};
use crate::document::to_text;

/// The hash of this module's code.
pub const SOURCE_HASH: &str = env!("KERNEL_SOURCE_HASH");

/// What [`self_test_hash`] gives, in hexadecimal, where everything works as it should.
pub const SELF_TEST_HASH: &str = "fb585a5ba7c81b9c0c7f66987bf18a6eb4221992a292d6b73b806f735b23f995";

/// The constitution of the self test: an action of every kind of field.
const CONSTITUTION: &str = r#"{"version":"1","clauses":[{"id":"C","text":"All."}],
"action_types":[{"name":"Halt","kernel_only":true},{"name":"Do","fields":[
{"name":"t","type":"text","required":true,"max_len":3,"allowed":["a","é","long"]},{"name":"n","type":"integer"},
{"name":"b","type":"boolean"},{"name":"r","type":"read_path"},{"name":"w","type":"write_path"}]}],
"limits":{"max_total_tokens_per_cycle":100,"max_candidates":2},"io_allowlist":{"read":["in"],"write":["out"]}}"#;

/// SHA-256 over the decisions on fixed candidates, one after the other, and the states between them: an action,
/// a choice between two, every gate, the budget, and the end.
#[must_use]
pub fn self_test_hash() -> Hash {
    let Ok(constitution) = Constitution::parse(CONSTITUTION) else {
        return sha256(b"");
    };
    let candidate = |kind: &str, fields: serde_json::Value, id: &str| {
        json!({
            "action_request": { "action_type": kind, "fields": fields },
            "scope_claim": { "observation_ids": [id], "claim": "c", "clause_ref": "C" },
            "justification": { "text": "j" },
            "authority_citations": ["constitution:1#C"],
        })
    };
    let act = |fields| candidate("Do", fields, "obs-1");
    let answers = [
        (100, json!([act(json!({ "t": "a", "n": 7, "b": true }))])),
        (101, json!([act(json!({ "t": "a" }))])),
        (
            1,
            json!([act(json!({ "t": "é" })), act(json!({ "t": "a" }))]),
        ),
        (1, json!([act(json!({ "t": "a" })), {}, 7, {}])),
        (1, json!([{}, candidate("Halt", json!({}), "obs-2")])),
        (1, json!([candidate("Do", json!({ "t": "a" }), "obs-3")])),
        (
            1,
            json!([act(json!({ "t": "long" })), act(json!({ "t": "b" }))]),
        ),
        (
            1,
            json!([act(json!({ "t": "a", "n": 1.5 })), act(json!({}))]),
        ),
        (1, json!([act(json!({ "t": "a", "r": "in/../x" }))])),
        (
            1,
            json!([act(json!({ "t": "a", "r": "in/x", "w": "out" }))]),
        ),
        (1, json!([act(json!({ "t": "a", "w": "in" }))])),
        (1, json!([])),
    ];
    let mut state = KernelState::default();
    let mut text = String::new();
    for (tokens, items) in answers {
        let parsed = parse_candidates(&json!({ "candidates": items }));
        let mut observations = vec![
            KernelObservation::UserInput {
                text: "Do it.".to_owned(),
            },
            KernelObservation::Timestamp { time: 9 },
            KernelObservation::Budget {
                llm_output_token_count: tokens,
                llm_candidates_reported: parsed.reported,
                llm_parse_errors: parsed.errors,
            },
        ];
        if parsed.reported == 0 {
            observations.push(KernelObservation::System {
                event: SystemEvent::IntegrityRisk,
                detail: "test".to_owned(),
            });
        }
        let set = CandidateSet {
            candidates: parsed.candidates,
            ..CandidateSet::default()
        };
        let (decision, next) = decide(&constitution, &state, &observations, &set);
        text.push_str(&format!("{} {}\n", to_text(&decision), hex(&next.id())));
        state = next;
    }
    sha256(text.as_bytes())
}
