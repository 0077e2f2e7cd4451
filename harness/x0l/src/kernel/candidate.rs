//! What the model proposes.
//!
//! `{"candidates":[{"action_request":{"action_type","fields"},"scope_claim":{"observation_ids","claim",
//! "clause_ref"},"justification":{"text"},"authority_citations":[…]}]}`. Other members, such as ids,
//! authors and times of the model's own making, are ignored.

use axilog::hash::Hash;
use axilog_oracle::canonicalizer::Status;
use serde_json::{Map, Value, json};

use super::hash_of;
use crate::fields::{FromJson, Wrong, one_of, whole};

/// A proposal. Parts that are missing are empty; the gates say so.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What is to be done.
    pub action_type: String,
    /// With what.
    pub fields: Map<String, Value>,
    /// The ids of the observations it rests on, in hexadecimal.
    pub observation_ids: Vec<String>,
    /// What it claims of them.
    pub claim: String,
    /// The clause it claims under.
    pub clause_ref: String,
    /// Why.
    pub justification: String,
    /// Citations, as `constitution:VERSION#CLAUSE-ID`.
    pub authority_citations: Vec<String>,
}

/// The candidates of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// Those that could be read.
    pub candidates: Vec<Candidate>,
    /// How many items there were.
    pub reported: u64,
    /// How many could not be read: not an object, or a part of another type than it should be. An
    /// answer whose `candidates` is no array counts as one.
    pub errors: u64,
}

/// What the kernel is given of an answer (Q56).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateSet {
    /// What is proposed; empty where there is a reason.
    pub candidates: Vec<Candidate>,
    /// Why there are none.
    pub rejection_reason: Option<Rejection>,
    /// SHA-256 of the raw answer, where there was one.
    pub raw_llm_hash: Option<Hash>,
}

/// Why an answer, or the lack of one, gives no candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// No JSON object in it.
    NoJson,
    /// More than one.
    AmbiguousMultiBlock,
    /// None that can be read.
    ParseError,
    /// The ledger does not hold it as COMPLETE.
    NotAdmitted,
    /// The session's budget does not allow another cycle (Q58).
    BudgetExhaustedSession,
}

impl Rejection {
    /// Every reason.
    pub const ALL: [Rejection; 5] = [
        Rejection::NoJson,
        Rejection::AmbiguousMultiBlock,
        Rejection::ParseError,
        Rejection::NotAdmitted,
        Rejection::BudgetExhaustedSession,
    ];

    /// The canonicalizer's reason; `None` where it accepted.
    #[must_use]
    pub fn of(status: Status) -> Option<Rejection> {
        match status {
            Status::Ok => None,
            Status::NoJson => Some(Rejection::NoJson),
            Status::AmbiguousMultiBlock => Some(Rejection::AmbiguousMultiBlock),
            Status::ParseError => Some(Rejection::ParseError),
        }
    }

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Rejection::NoJson => "NO_JSON",
            Rejection::AmbiguousMultiBlock => "AMBIGUOUS_MULTI_BLOCK",
            Rejection::ParseError => "PARSE_ERROR",
            Rejection::NotAdmitted => "NOT_ADMITTED",
            Rejection::BudgetExhaustedSession => "BUDGET_EXHAUSTED_SESSION",
        }
    }
}

/// Reads the candidates of a canonicalized answer.
#[must_use]
pub fn parse_candidates(answer: &Value) -> Parsed {
    let Some(items) = answer.get("candidates").and_then(Value::as_array) else {
        return Parsed {
            errors: 1,
            ..Parsed::default()
        };
    };
    let candidates: Vec<Candidate> = items.iter().filter_map(candidate).collect();
    Parsed {
        reported: items.len() as u64,
        errors: (items.len() - candidates.len()) as u64,
        candidates,
    }
}

fn candidate(item: &Value) -> Option<Candidate> {
    let item = item.as_object()?;
    let part = |name: &str| match item.get(name) {
        None => Some(Map::new()),
        Some(part) => part.as_object().cloned(),
    };
    let (action, scope, why) = (
        part("action_request")?,
        part("scope_claim")?,
        part("justification")?,
    );
    Some(Candidate {
        action_type: text(&action, "action_type")?,
        fields: match action.get("fields") {
            None => Map::new(),
            Some(fields) => fields.as_object()?.clone(),
        },
        observation_ids: texts(&scope, "observation_ids")?,
        claim: text(&scope, "claim")?,
        clause_ref: text(&scope, "clause_ref")?,
        justification: text(&why, "text")?,
        authority_citations: texts(item, "authority_citations")?,
    })
}

/// Empty where absent, `None` where of another type.
fn text(part: &Map<String, Value>, name: &str) -> Option<String> {
    match part.get(name) {
        None => Some(String::new()),
        Some(value) => value.as_str().map(str::to_owned),
    }
}

fn texts(part: &Map<String, Value>, name: &str) -> Option<Vec<String>> {
    let Some(value) = part.get(name) else {
        return Some(Vec::new());
    };
    let items = value.as_array()?.iter();
    items.map(|item| item.as_str().map(str::to_owned)).collect()
}

impl Candidate {
    /// Everything that counts of it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "action_request": { "action_type": self.action_type, "fields": self.fields },
            "scope_claim": {
                "observation_ids": self.observation_ids,
                "claim": self.claim,
                "clause_ref": self.clause_ref,
            },
            "justification": { "text": self.justification },
            "authority_citations": self.authority_citations,
        })
    }

    /// SHA-256 of its canonical JSON: the bundle hash, by which one of several is selected.
    #[must_use]
    pub fn hash(&self) -> Hash {
        hash_of(&self.to_json())
    }
}

impl FromJson for Candidate {
    /// Of what [`Candidate::to_json`] gives, and of nothing else.
    fn from_json(value: &Value) -> Result<Candidate, Wrong> {
        whole(value, |fields| {
            let (action_type, requested) = fields.inner("action_request", |fields| {
                Ok((fields.take("action_type")?, fields.take("fields")?))
            })?;
            let (observation_ids, claim, clause_ref) = fields.inner("scope_claim", |fields| {
                Ok((
                    fields.take("observation_ids")?,
                    fields.take("claim")?,
                    fields.take("clause_ref")?,
                ))
            })?;
            Ok(Candidate {
                action_type,
                fields: requested,
                observation_ids,
                claim,
                clause_ref,
                justification: fields.inner("justification", |fields| fields.take("text"))?,
                authority_citations: fields.take("authority_citations")?,
            })
        })
    }
}

impl FromJson for Rejection {
    fn from_json(value: &Value) -> Result<Rejection, Wrong> {
        one_of(value, &Rejection::ALL, Rejection::as_str)
    }
}
