//! The gates that a candidate must pass, in order; the first gate that it fails is recorded.

use serde_json::Value;

use super::candidate::Candidate;
use super::constitution::{ActionField, ActionType, Constitution, FieldType};
use super::path::is_below;
use crate::document::named_enum;

/// The largest integer that every JSON reader reads alike.
const MAX_INTEGER: u64 = (1 << 53) - 1;

named_enum! {
    /// A check that a candidate must pass.
    pub enum KernelGate {
        /// The candidate has every part.
        Completeness = "completeness",
        /// Citations name clauses of this constitution.
        AuthorityCitation = "authority_citation",
        /// The claim rests on observations of this cycle and on a clause that is cited.
        ScopeClaim = "scope_claim",
        /// The constitution has the action type, and the fields are as it declares them.
        ConstitutionCompliance = "constitution_compliance",
        /// Paths are below the roots of the allowlist.
        IoAllowlist = "io_allowlist",
    }
}

named_enum! {
    /// Why a candidate fails a gate.
    #[allow(missing_docs, reason = "each says what it is in its name")]
    pub enum FailureCode {
        TooManyCandidates = "TOO_MANY_CANDIDATES",
        MissingActionType = "MISSING_ACTION_TYPE",
        MissingScopeClaim = "MISSING_SCOPE_CLAIM",
        MissingJustification = "MISSING_JUSTIFICATION",
        MissingCitation = "MISSING_CITATION",
        MalformedCitation = "MALFORMED_CITATION",
        OtherConstitution = "OTHER_CONSTITUTION",
        UnknownClause = "UNKNOWN_CLAUSE",
        UnknownObservation = "UNKNOWN_OBSERVATION",
        ClauseNotCited = "CLAUSE_NOT_CITED",
        UnknownActionType = "UNKNOWN_ACTION_TYPE",
        KernelOnly = "KERNEL_ONLY",
        UnknownField = "UNKNOWN_FIELD",
        MissingField = "MISSING_FIELD",
        WrongFieldType = "WRONG_FIELD_TYPE",
        FieldTooLong = "FIELD_TOO_LONG",
        ValueNotAllowed = "VALUE_NOT_ALLOWED",
        ReadOutsideAllowlist = "READ_OUTSIDE_ALLOWLIST",
        WriteOutsideAllowlist = "WRITE_OUTSIDE_ALLOWLIST",
    }
}

/// The first gate that a candidate fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateFailure {
    /// The gate.
    pub gate: KernelGate,
    /// The reason.
    pub code: FailureCode,
}

/// Checks `candidate` by every gate, given every id of the cycle's observations.
pub(super) fn check_candidate(
    constitution: &Constitution,
    observations: &[String],
    candidate: &Candidate,
) -> Result<(), GateFailure> {
    let at = |gate| move |code| GateFailure { gate, code };
    check_completeness(candidate).map_err(at(KernelGate::Completeness))?;
    check_citations(constitution, candidate).map_err(at(KernelGate::AuthorityCitation))?;
    check_scope(constitution, observations, candidate).map_err(at(KernelGate::ScopeClaim))?;
    let kind =
        check_action(constitution, candidate).map_err(at(KernelGate::ConstitutionCompliance))?;
    check_paths(constitution, kind, candidate).map_err(at(KernelGate::IoAllowlist))
}

fn check_completeness(candidate: &Candidate) -> Result<(), FailureCode> {
    let missing = |text: &str| text.trim().is_empty();
    let scope = &candidate.scope_claim;
    if missing(&candidate.action_request.action_type) {
        return Err(FailureCode::MissingActionType);
    }
    if scope.observation_ids.is_empty() || missing(&scope.claim) || missing(&scope.clause_ref) {
        return Err(FailureCode::MissingScopeClaim);
    }
    if missing(&candidate.justification.text) {
        return Err(FailureCode::MissingJustification);
    }
    if candidate.authority_citations.is_empty() {
        return Err(FailureCode::MissingCitation);
    }
    Ok(())
}

fn check_citations(constitution: &Constitution, candidate: &Candidate) -> Result<(), FailureCode> {
    for citation in &candidate.authority_citations {
        let (version, clause) = citation
            .strip_prefix("constitution:")
            .and_then(|rest| rest.split_once('#'))
            .ok_or(FailureCode::MalformedCitation)?;
        if version != constitution.version {
            return Err(FailureCode::OtherConstitution);
        }
        if !constitution.has_clause(clause) {
            return Err(FailureCode::UnknownClause);
        }
    }
    Ok(())
}

fn check_scope(
    constitution: &Constitution,
    observations: &[String],
    candidate: &Candidate,
) -> Result<(), FailureCode> {
    let claim = &candidate.scope_claim;
    if !claim
        .observation_ids
        .iter()
        .all(|id| observations.contains(id))
    {
        return Err(FailureCode::UnknownObservation);
    }
    // By its id alone, or as it is cited.
    let clause = &claim.clause_ref;
    let citation = if clause.starts_with("constitution:") {
        clause.clone()
    } else if constitution.has_clause(clause) {
        constitution.citation(clause)
    } else {
        return Err(FailureCode::UnknownClause);
    };
    if !candidate.authority_citations.contains(&citation) {
        return Err(FailureCode::ClauseNotCited);
    }
    Ok(())
}

fn check_action<'c>(
    constitution: &'c Constitution,
    candidate: &Candidate,
) -> Result<&'c ActionType, FailureCode> {
    let request = &candidate.action_request;
    let kind = constitution
        .action_types
        .get(&request.action_type)
        .ok_or(FailureCode::UnknownActionType)?;
    if kind.kernel_only {
        return Err(FailureCode::KernelOnly);
    }
    let declared = |name: &String| kind.fields.iter().any(|field| field.name == *name);
    if !request.fields.keys().all(declared) {
        return Err(FailureCode::UnknownField);
    }
    for field in &kind.fields {
        match request.fields.get(&field.name) {
            Some(value) => check_field(field, value)?,
            None if field.required => return Err(FailureCode::MissingField),
            None => {}
        }
    }
    Ok(kind)
}

fn check_field(field: &ActionField, value: &Value) -> Result<(), FailureCode> {
    let text = match (field.kind, value) {
        (FieldType::Boolean, Value::Bool(_)) => return Ok(()),
        (FieldType::Integer, Value::Number(number)) => {
            let within = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
            let fits = within.is_some_and(|n| n <= MAX_INTEGER);
            return if fits {
                Ok(())
            } else {
                Err(FailureCode::WrongFieldType)
            };
        }
        (FieldType::Text | FieldType::ReadPath | FieldType::WritePath, Value::String(text)) => text,
        _ => return Err(FailureCode::WrongFieldType),
    };
    let length = text.chars().count() as u64;
    if field.max_len.is_some_and(|most| length > most) {
        return Err(FailureCode::FieldTooLong);
    }
    if field
        .allowed
        .as_ref()
        .is_some_and(|all| !all.contains(text))
    {
        return Err(FailureCode::ValueNotAllowed);
    }
    Ok(())
}

fn check_paths(
    constitution: &Constitution,
    kind: &ActionType,
    candidate: &Candidate,
) -> Result<(), FailureCode> {
    let allowed = &constitution.io_allowlist;
    for field in &kind.fields {
        let (roots, code) = match field.kind {
            FieldType::ReadPath => (&allowed.read, FailureCode::ReadOutsideAllowlist),
            FieldType::WritePath => (&allowed.write, FailureCode::WriteOutsideAllowlist),
            _ => continue,
        };
        let path = candidate
            .action_request
            .fields
            .get(&field.name)
            .and_then(Value::as_str);
        if path.is_some_and(|path| !is_below(path, roots)) {
            return Err(code);
        }
    }
    Ok(())
}
