//! The gates that a candidate passes, in order; the first that it fails is recorded.

use axilog::hash::Hash;
use axilog_ledger::file::hex;
use serde_json::Value;

use super::candidate::Candidate;
use super::constitution::{ActionType, Constitution, Field, FieldType};
use super::path::is_below;
use crate::fields::{FromJson, Wrong, one_of};

/// The largest integer that every JSON reader reads alike.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// A gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// Every part is there.
    Completeness,
    /// Citations name clauses of this constitution.
    AuthorityCitation,
    /// The claim rests on observations of this cycle and on a clause that is cited.
    ScopeClaim,
    /// The action is one that may be asked for, with the fields it has.
    ConstitutionCompliance,
    /// Paths stay where they may be.
    IoAllowlist,
}

impl Gate {
    /// Every gate, in order.
    pub const ALL: [Gate; 5] = [
        Gate::Completeness,
        Gate::AuthorityCitation,
        Gate::ScopeClaim,
        Gate::ConstitutionCompliance,
        Gate::IoAllowlist,
    ];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Gate::Completeness => "completeness",
            Gate::AuthorityCitation => "authority_citation",
            Gate::ScopeClaim => "scope_claim",
            Gate::ConstitutionCompliance => "constitution_compliance",
            Gate::IoAllowlist => "io_allowlist",
        }
    }
}

/// Why a gate is failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each says what it is in its name")]
pub enum Code {
    TooManyCandidates,
    MissingActionType,
    MissingScopeClaim,
    MissingJustification,
    MissingCitation,
    MalformedCitation,
    OtherConstitution,
    UnknownClause,
    UnknownObservation,
    ClauseNotCited,
    UnknownActionType,
    KernelOnly,
    UnknownField,
    MissingField,
    WrongFieldType,
    FieldTooLong,
    ValueNotAllowed,
    ReadOutsideAllowlist,
    WriteOutsideAllowlist,
}

impl Code {
    /// Every code.
    pub const ALL: [Code; 19] = [
        Code::TooManyCandidates,
        Code::MissingActionType,
        Code::MissingScopeClaim,
        Code::MissingJustification,
        Code::MissingCitation,
        Code::MalformedCitation,
        Code::OtherConstitution,
        Code::UnknownClause,
        Code::UnknownObservation,
        Code::ClauseNotCited,
        Code::UnknownActionType,
        Code::KernelOnly,
        Code::UnknownField,
        Code::MissingField,
        Code::WrongFieldType,
        Code::FieldTooLong,
        Code::ValueNotAllowed,
        Code::ReadOutsideAllowlist,
        Code::WriteOutsideAllowlist,
    ];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Code::TooManyCandidates => "TOO_MANY_CANDIDATES",
            Code::MissingActionType => "MISSING_ACTION_TYPE",
            Code::MissingScopeClaim => "MISSING_SCOPE_CLAIM",
            Code::MissingJustification => "MISSING_JUSTIFICATION",
            Code::MissingCitation => "MISSING_CITATION",
            Code::MalformedCitation => "MALFORMED_CITATION",
            Code::OtherConstitution => "OTHER_CONSTITUTION",
            Code::UnknownClause => "UNKNOWN_CLAUSE",
            Code::UnknownObservation => "UNKNOWN_OBSERVATION",
            Code::ClauseNotCited => "CLAUSE_NOT_CITED",
            Code::UnknownActionType => "UNKNOWN_ACTION_TYPE",
            Code::KernelOnly => "KERNEL_ONLY",
            Code::UnknownField => "UNKNOWN_FIELD",
            Code::MissingField => "MISSING_FIELD",
            Code::WrongFieldType => "WRONG_FIELD_TYPE",
            Code::FieldTooLong => "FIELD_TOO_LONG",
            Code::ValueNotAllowed => "VALUE_NOT_ALLOWED",
            Code::ReadOutsideAllowlist => "READ_OUTSIDE_ALLOWLIST",
            Code::WriteOutsideAllowlist => "WRITE_OUTSIDE_ALLOWLIST",
        }
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
    let scope = [&candidate.claim, &candidate.clause_ref];
    if missing(&candidate.action_type) {
        return Err(Code::MissingActionType);
    }
    if candidate.observation_ids.is_empty() || scope.into_iter().any(|part| missing(part)) {
        return Err(Code::MissingScopeClaim);
    }
    if missing(&candidate.justification) {
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
    let known = |id: &String| observations.iter().any(|hash| hex(hash) == *id);
    if !candidate.observation_ids.iter().all(known) {
        return Err(Code::UnknownObservation);
    }
    // By its id alone, or as it is cited.
    let clause = &candidate.clause_ref;
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
    let kind = constitution
        .action_types
        .get(&candidate.action_type)
        .ok_or(Code::UnknownActionType)?;
    if kind.kernel_only {
        return Err(Code::KernelOnly);
    }
    let declared = |name: &String| kind.fields.iter().any(|field| field.name == *name);
    if !candidate.fields.keys().all(declared) {
        return Err(Code::UnknownField);
    }
    for field in &kind.fields {
        match candidate.fields.get(&field.name) {
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
        let path = candidate.fields.get(&field.name).and_then(Value::as_str);
        if path.is_some_and(|path| !is_below(path, roots)) {
            return Err(code);
        }
    }
    Ok(())
}

impl FromJson for Gate {
    fn from_json(value: &Value) -> Result<Gate, Wrong> {
        one_of(value, &Gate::ALL, Gate::as_str)
    }
}

impl FromJson for Code {
    fn from_json(value: &Value) -> Result<Code, Wrong> {
        one_of(value, &Code::ALL, Code::as_str)
    }
}
