//! What the codes of a cycle mean, each in a sentence.

use super::verdict::{GateVerdict, find_verdict};
use crate::kernel::{DecisionKind, DecisionReason, FailureCode, RejectionReason};
use crate::log::{Canonicalization, Cycle};
use crate::taxonomy::RefusalType;

/// Says why a gate refuses a candidate.
#[must_use]
pub fn explain_code(code: FailureCode) -> &'static str {
    match code {
        FailureCode::TooManyCandidates => {
            "the answer has more candidates than the constitution allows, so none is judged"
        }
        FailureCode::MissingActionType => "the candidate names no action type",
        FailureCode::MissingScopeClaim => {
            "the scope claim lacks its observations, its claim or its clause"
        }
        FailureCode::MissingJustification => "the candidate gives no justification",
        FailureCode::MissingCitation => "the candidate cites no clause",
        FailureCode::MalformedCitation => {
            "a citation is not of the form constitution:VERSION#CLAUSE-ID"
        }
        FailureCode::OtherConstitution => "a citation names another version of the constitution",
        FailureCode::UnknownClause => "a clause that is named is not in the constitution",
        FailureCode::UnknownObservation => {
            "the scope claim names an observation that this cycle does not have"
        }
        FailureCode::ClauseNotCited => {
            "the clause of the scope claim is not among the candidate's citations"
        }
        FailureCode::UnknownActionType => "the constitution has no such action type",
        FailureCode::KernelOnly => {
            "the action is the kernel's own, and no candidate may ask for it"
        }
        FailureCode::UnknownField => "the action has a field that its type does not declare",
        FailureCode::MissingField => "the action lacks a field that its type declares",
        FailureCode::WrongFieldType => "a field of the action has a value of the wrong type",
        FailureCode::FieldTooLong => "a field of the action is longer than its type allows",
        FailureCode::ValueNotAllowed => "a field of the action has a value that is not on its list",
        FailureCode::ReadOutsideAllowlist => {
            "the action reads from a path outside the constitution's allowlist"
        }
        FailureCode::WriteOutsideAllowlist => {
            "the action writes to a path outside the constitution's allowlist"
        }
    }
}

/// Says what the canonicalizer found in the raw answer.
#[must_use]
pub fn explain_canonicalization(found: Canonicalization) -> &'static str {
    match found {
        Canonicalization::Ok => "the answer has exactly one JSON object",
        Canonicalization::NoJson => "the answer has no JSON object",
        Canonicalization::AmbiguousMultiBlock => "the answer has more than one JSON object",
        Canonicalization::ParseError => {
            "a part of the answer carries structure and is not valid JSON"
        }
        Canonicalization::NotAsked => "the model was not asked",
    }
}

/// Says what a type of refusals is.
#[must_use]
pub fn explain_refusal_type(kind: RefusalType) -> &'static str {
    match kind {
        RefusalType::I => {
            "the prompt was invalid by design, and the kernel refused what was proposed"
        }
        RefusalType::II => "the model gave nothing admissible to judge, or the budget refused",
        RefusalType::III => {
            "the prompt was valid and the kernel refused a well-formed candidate: a person must look at it"
        }
    }
}

/// Says why the kernel decided on `cycle` as it did.
#[must_use]
pub fn explain_decision(cycle: &Cycle) -> String {
    let decision = &cycle.decision;
    if decision.kind == DecisionKind::Action {
        return explain_action(cycle);
    }
    match decision.reason {
        Some(DecisionReason::MissingRequiredObservation) => {
            "the cycle has not exactly one time and one count of tokens".to_owned()
        }
        Some(DecisionReason::IntegrityRisk) => {
            "the session has lost its integrity, so that it ends here".to_owned()
        }
        Some(DecisionReason::BudgetExhausted) => format!(
            "the cycle's {} tokens are more than the constitution allows",
            cycle.tokens()
        ),
        Some(DecisionReason::NoAdmissibleAction) => explain_lack(cycle),
        None => "the record gives no reason".to_owned(),
    }
}

fn explain_action(cycle: &Cycle) -> String {
    let warrant = cycle.decision.warrant.as_ref();
    let chosen = warrant.map(|warrant| warrant.bundle_hash);
    let mut candidates = cycle.candidates.iter();
    let place = candidates.position(|candidate| Some(candidate.hash()) == chosen);
    let admitted = cycle
        .candidates
        .iter()
        .filter(|candidate| find_verdict(cycle, candidate) == GateVerdict::Admitted)
        .count();
    match (place, admitted) {
        (Some(place), 0 | 1) => format!("candidate {} passed every gate", place + 1),
        (Some(place), admitted) => format!(
            "{admitted} candidates passed every gate, and of these candidate {} has the smallest hash",
            place + 1
        ),
        (None, _) => "the record names a candidate that it does not have".to_owned(),
    }
}

/// Says why there was no admissible candidate.
fn explain_lack(cycle: &Cycle) -> String {
    match cycle.rejection_reason {
        Some(RejectionReason::BudgetExhaustedSession) => {
            "the session's budget B2 does not allow another cycle".to_owned()
        }
        Some(_) => format!(
            "there was no candidate to judge: {}",
            explain_canonicalization(cycle.canonicalization)
        ),
        None if cycle.candidates.is_empty() && cycle.parse_errors > 0 => format!(
            "there was no candidate to judge: {} items could not be read as one",
            cycle.parse_errors
        ),
        None if cycle.candidates.is_empty() => "the answer proposes nothing".to_owned(),
        None => "no candidate passed the gates".to_owned(),
    }
}
