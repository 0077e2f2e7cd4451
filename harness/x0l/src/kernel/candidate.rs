//! The candidates that the model proposes.
//!
//! `{"candidates":[{"action_request":{"action_type","fields"},"scope_claim":{"observation_ids","claim",
//! "clause_ref"},"justification":{"text"},"authority_citations":[…]}]}`. Other members, such as ids,
//! authors and times of the model's own making, are ignored.

use std::fmt;
use std::marker::PhantomData;

use axilog::hash::Hash;
use axilog_oracle::canonicalizer::Status;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::document::{hash_document, named_enum};

/// A proposal of the model. Parts that are missing are empty, which the gates refuse by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Candidate {
    /// What is to be done.
    #[serde(deserialize_with = "object")]
    pub action_request: ActionRequest,
    /// What the proposal rests on.
    #[serde(deserialize_with = "object")]
    pub scope_claim: ScopeClaim,
    /// Why it should be done.
    #[serde(deserialize_with = "object")]
    pub justification: Justification,
    /// The clauses that allow it, as `constitution:VERSION#CLAUSE-ID`.
    pub authority_citations: Vec<String>,
}

/// What a candidate asks to be done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActionRequest {
    /// The name of the action type.
    pub action_type: String,
    /// The fields of the action.
    pub fields: Map<String, Value>,
}

/// What a candidate rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScopeClaim {
    /// The ids of observations of the cycle, short ones or in hexadecimal.
    pub observation_ids: Vec<String>,
    /// What the candidate claims of these observations.
    pub claim: String,
    /// The clause under which it claims that: its id, or a citation of it.
    pub clause_ref: String,
}

/// Why a candidate should be acted on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Justification {
    /// The reason, in words.
    pub text: String,
}

/// Reads an object. Serde by itself takes an array of the values for one too.
fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Object<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(members))
        }
    }
    deserializer.deserialize_map(Object(PhantomData))
}

/// The candidates of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedCandidates {
    /// The candidates that could be read.
    pub candidates: Vec<Candidate>,
    /// The number of items.
    pub reported: u64,
    /// The number of items that could not be read, being no object or having a part of a wrong type. An
    /// answer whose `candidates` is no array counts as one such item.
    pub errors: u64,
}

/// What the kernel is given of a model's answer (Q56).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateSet {
    /// The candidates; empty where there is a rejection reason.
    pub candidates: Vec<Candidate>,
    /// Why there are no candidates.
    pub rejection_reason: Option<RejectionReason>,
    /// SHA-256 of the raw answer, where there was one.
    pub raw_llm_hash: Option<Hash>,
}

named_enum! {
    /// Why an answer, or the lack of one, gives no candidates.
    pub enum RejectionReason {
        /// The answer has no JSON object.
        NoJson = "NO_JSON",
        /// The answer has more than one JSON object.
        AmbiguousMultiBlock = "AMBIGUOUS_MULTI_BLOCK",
        /// The answer has no JSON object that can be read.
        ParseError = "PARSE_ERROR",
        /// The session's budget does not allow another cycle (Q58).
        BudgetExhaustedSession = "BUDGET_EXHAUSTED_SESSION",
    }
}

impl RejectionReason {
    /// The reason for a status of the canonicalizer; `None` for `Ok`.
    #[must_use]
    pub fn from_status(status: Status) -> Option<RejectionReason> {
        match status {
            Status::Ok => None,
            Status::NoJson => Some(RejectionReason::NoJson),
            Status::AmbiguousMultiBlock => Some(RejectionReason::AmbiguousMultiBlock),
            Status::ParseError => Some(RejectionReason::ParseError),
        }
    }
}

/// Reads the candidates of a canonicalized answer.
#[must_use]
pub fn parse_candidates(answer: &Value) -> ParsedCandidates {
    let Some(items) = answer.get("candidates").and_then(Value::as_array) else {
        return ParsedCandidates {
            errors: 1,
            ..ParsedCandidates::default()
        };
    };
    // An item that is malformed is counted and skipped.
    let read = |item: &Value| object(item).ok();
    let candidates: Vec<Candidate> = items.iter().filter_map(read).collect();
    ParsedCandidates {
        reported: items.len() as u64,
        errors: (items.len() - candidates.len()) as u64,
        candidates,
    }
}

impl Candidate {
    /// The bundle hash, SHA-256 of the candidate's canonical form: of several admitted candidates the one with
    /// the smallest is selected.
    #[must_use]
    pub fn hash(&self) -> Hash {
        hash_document(self)
    }
}
