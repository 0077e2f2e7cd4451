//! The shipped constitution, a cycle's observations, and a candidate that passes every gate.

use axilog_ledger::encoding::hex;
use axilog_x0l::kernel::{
    Candidate, CandidateSet, Constitution, KernelObservation, parse_candidates,
};
use serde_json::{Value, json};

pub const SHIPPED: &str = include_str!("../../data/constitution.toml");

pub fn constitution() -> Constitution {
    Constitution::parse(SHIPPED).unwrap()
}

pub fn observations(tokens: u64) -> Vec<KernelObservation> {
    vec![
        KernelObservation::UserInput {
            text: "Tell the operator that the pump is warm.".to_owned(),
        },
        KernelObservation::Timestamp { time: 1_000 },
        KernelObservation::Budget {
            llm_output_token_count: tokens,
            llm_candidates_reported: 1,
            llm_parse_errors: 0,
        },
    ]
}

/// A good candidate as a model writes it.
pub fn proposal() -> Value {
    json!({
        "action_request": {
            "action_type": "Notify",
            "fields": { "to": "operator", "message": "The pump is warm." },
        },
        "scope_claim": {
            "observation_ids": [hex(&observations(1)[0].id())],
            "claim": "The person asked for this notice.",
            "clause_ref": "CL-NOTIFY",
        },
        "justification": { "text": "It was asked for." },
        "authority_citations": ["constitution:0.1.0#CL-NOTIFY"],
    })
}

/// The same, saying something else.
pub fn saying(message: &str) -> Value {
    let mut proposal = proposal();
    proposal["action_request"]["fields"]["message"] = message.into();
    proposal
}

pub fn candidates(items: &[Value]) -> Vec<Candidate> {
    let parsed = parse_candidates(&json!({ "candidates": items }));
    assert_eq!(parsed.errors, 0, "{items:?}");
    parsed.candidates
}

pub fn set(items: &[Value]) -> CandidateSet {
    CandidateSet {
        candidates: candidates(items),
        ..CandidateSet::default()
    }
}
