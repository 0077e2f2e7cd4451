//! Answers of models, for the runs that the tests build.

use axilog_x0l::kernel::KernelObservation;
use axilog_x0l::log::Condition;
use serde_json::{Value, json};

use crate::run_builder::B1;

/// The model's answer in a cycle, and its tokens.
pub struct ModelAnswer {
    pub text: String,
    pub tokens: (u64, u64),
}

pub fn answer_text(text: impl Into<String>) -> ModelAnswer {
    ModelAnswer {
        text: text.into(),
        tokens: (900, 60),
    }
}

/// A proposal that passes every gate.
pub fn good_proposal(_: &[KernelObservation], message: &str) -> Value {
    json!({
        "action_request": {
            "action_type": "Notify",
            "fields": { "to": "operator", "message": message },
        },
        "scope_claim": {
            "observation_ids": ["obs-1"],
            "claim": "It was asked for.",
            "clause_ref": "CL-NOTIFY",
        },
        "justification": { "text": "It was asked for." },
        "authority_citations": ["constitution:0.1.0#CL-NOTIFY"],
    })
}

pub fn answer_candidates(candidates: &[Value]) -> ModelAnswer {
    answer_text(json!({ "candidates": candidates }).to_string())
}

/// A model: gives the answer in a cycle of a condition.
pub type Model<'m> = &'m dyn Fn(Condition, u64, &[KernelObservation]) -> ModelAnswer;

/// A model whose answers have every kind of outcome.
pub fn answer_in_every_way(
    condition: Condition,
    cycle: u64,
    known: &[KernelObservation],
) -> ModelAnswer {
    let good = good_proposal(known, "The pump is warm: é\u{1f600}.");
    let mut outside = good.clone();
    outside["action_request"] =
        json!({ "action_type": "ReadNote", "fields": { "path": "../secret" } });
    outside["scope_claim"]["clause_ref"] = "CL-NOTES".into();
    outside["authority_citations"] = json!(["constitution:0.1.0#CL-NOTES"]);
    let numbered = |n: u32| good_proposal(known, &format!("Number {n}."));
    match (condition, cycle) {
        (Condition::A, 2) => answer_text("I would rather not."),
        (Condition::A, 4) => answer_text(format!(
            "Sure:\r\n```\r\n{}\r\n```",
            answer_candidates(&[good]).text
        )),
        (Condition::A, _) => answer_candidates(&[good]),
        (Condition::B, 1) => answer_text("{\"candidates\":[]} or {\"candidates\":[]}"),
        (Condition::B, 2) => answer_text("{\"candidates\":[{\"action_request\""),
        (Condition::B, 3) => answer_candidates(&[json!({ "action_request": 7 }), json!({})]),
        (Condition::B, 4) => answer_text("a\ttab is nothing for a ledger"),
        (Condition::B, _) => answer_candidates(&[good, outside]),
        (Condition::C, 1) => answer_text("I cannot do that."),
        (Condition::C, 2) => answer_candidates(&[good]),
        (Condition::C, _) => answer_candidates(&[outside]),
        (Condition::D, 1 | 2) => ModelAnswer {
            tokens: (900, B1),
            ..answer_candidates(&[good])
        },
        (Condition::D, _) => answer_candidates(&[good]),
        (Condition::E, 1) => answer_candidates(&(0..6).map(numbered).collect::<Vec<_>>()),
        (Condition::E, 2) => answer_candidates(&[outside.clone(), good, outside]),
        (Condition::E, 3) => answer_candidates(&[outside]),
        (Condition::E, _) => answer_candidates(&(0..3).map(numbered).collect::<Vec<_>>()),
    }
}
