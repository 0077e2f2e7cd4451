//! The gates that a candidate passes, in order; the first that it fails is recorded.

use axilog::hash::Hash;
use axilog_ledger::file::hex;
use serde_json::Value;

use super::candidate::Candidate;
use super::constitution::{ActionType, Constitution, Field, FieldType};
use super::path::is_below;
use crate::document::named_enum;

/// The largest integer that every JSON reader reads alike.
const MAX_INTEGER: u64 = (1 << 53) - 1;

named_enum! {
    /// A gate.
    pub enum Gate {
        /// Every part is there.
        Completeness = "completeness",
        /// Citations name clauses of this constitution.
        AuthorityCitation = "authority_citation",
        /// The claim rests on observations of this cycle and on a clause that is cited.
        ScopeClaim = "scope_claim",
        /// The action is one that may be asked for, with the fields it has.
        ConstitutionCompliance = "constitution_compliance",
        /// Paths stay where they may be.
        IoAllowlist = "io_allowlist",
    }
}

named_enum! {
    /// Why a gate is failed.
    #[allow(missing_docs, reason = "each says what it is in its name")]
    pub enum Code {
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
pub struct Refused {
    /// Which.
    pub gate: Gate,
    /// Why.
    pub code: Code,
}

/// Whether `candidate` passes every gate, given the ids of the cycle's observations.
pub(super) fn pass(
    constitution: &Constitution,
    observations: &[Hash],
    candidate: &Candidate,
) -> Result<(), Refused> {
    let at = |gate| move |code| Refused { gate, code };
    completeness(candidate).map_err(at(Gate::Completeness))?;
    citations(constitution, candidate).map_err(at(Gate::AuthorityCitation))?;
    scope(constitution, observations, candidate).map_err(at(Gate::ScopeClaim))?;
    let kind = compliance(constitution, candidate).map_err(at(Gate::ConstitutionCompliance))?;
    paths(constitution, kind, candidate).map_err(at(Gate::IoAllowlist))
}

fn completeness(candidate: &Candidate) -> Result<(), Code> {
    let missing = |text: &str| text.trim().is_empty();
    let scope = &candidate.scope_claim;
    if missing(&candidate.action_request.action_type) {
        return Err(Code::MissingActionType);
    }
    if scope.observation_ids.is_empty() || missing(&scope.claim) || missing(&scope.clause_ref) {
        return Err(Code::MissingScopeClaim);
    }
    if missing(&candidate.justification.text) {
        return Err(Code::MissingJustification);
    }
    if candidate.authority_citations.is_empty() {
        return Err(Code::MissingCitation);
    }
    Ok(())
}

fn citations(constitution: &Constitution, candidate: &Candidate) -> Result<(), Code> {
    for citation in &candidate.authority_citations {
        let (version, clause) = citation
            .strip_prefix("constitution:")
            .and_then(|rest| rest.split_once('#'))
            .ok_or(Code::MalformedCitation)?;
        if version != constitution.version {
            return Err(Code::OtherConstitution);
        }
        if !constitution.has_clause(clause) {
            return Err(Code::UnknownClause);
        }
    }
    Ok(())
}

fn scope(
    constitution: &Constitution,
    observations: &[Hash],
    candidate: &Candidate,
) -> Result<(), Code> {
    let claim = &candidate.scope_claim;
    let known = |id: &String| observations.iter().any(|hash| hex(hash) == *id);
    if !claim.observation_ids.iter().all(known) {
        return Err(Code::UnknownObservation);
    }
    // By its id alone, or as it is cited.
    let clause = &claim.clause_ref;
    let citation = if clause.starts_with("constitution:") {
        clause.clone()
    } else if constitution.has_clause(clause) {
        constitution.citation(clause)
    } else {
        return Err(Code::UnknownClause);
    };
    if !candidate.authority_citations.contains(&citation) {
        return Err(Code::ClauseNotCited);
    }
    Ok(())
}

fn compliance<'c>(
    constitution: &'c Constitution,
    candidate: &Candidate,
) -> Result<&'c ActionType, Code> {
    let request = &candidate.action_request;
    let kind = constitution
        .action_types
        .get(&request.action_type)
        .ok_or(Code::UnknownActionType)?;
    if kind.kernel_only {
        return Err(Code::KernelOnly);
    }
    let declared = |name: &String| kind.fields.iter().any(|field| field.name == *name);
    if !request.fields.keys().all(declared) {
        return Err(Code::UnknownField);
    }
    for field in &kind.fields {
        match request.fields.get(&field.name) {
            Some(value) => complies(field, value)?,
            None if field.required => return Err(Code::MissingField),
            None => {}
        }
    }
    Ok(kind)
}

fn complies(field: &Field, value: &Value) -> Result<(), Code> {
    let text = match (field.kind, value) {
        (FieldType::Boolean, Value::Bool(_)) => return Ok(()),
        (FieldType::Integer, Value::Number(number)) => {
            let within = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
            let fits = within.is_some_and(|n| n <= MAX_INTEGER);
            return if fits {
                Ok(())
            } else {
                Err(Code::WrongFieldType)
            };
        }
        (FieldType::Text | FieldType::ReadPath | FieldType::WritePath, Value::String(text)) => text,
        _ => return Err(Code::WrongFieldType),
    };
    let length = text.chars().count() as u64;
    if field.max_len.is_some_and(|most| length > most) {
        return Err(Code::FieldTooLong);
    }
    if field
        .allowed
        .as_ref()
        .is_some_and(|all| !all.contains(text))
    {
        return Err(Code::ValueNotAllowed);
    }
    Ok(())
}

fn paths(
    constitution: &Constitution,
    kind: &ActionType,
    candidate: &Candidate,
) -> Result<(), Code> {
    let allowed = &constitution.io_allowlist;
    for field in &kind.fields {
        let (roots, code) = match field.kind {
            FieldType::ReadPath => (&allowed.read, Code::ReadOutsideAllowlist),
            FieldType::WritePath => (&allowed.write, Code::WriteOutsideAllowlist),
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
