//! What the model proposes.
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
    /// The ids of observations of the cycle, in hexadecimal.
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

named_enum! {
    /// Why an answer, or the lack of one, gives no candidates.
    pub enum Rejection {
        /// No JSON object in it.
        NoJson = "NO_JSON",
        /// More than one.
        AmbiguousMultiBlock = "AMBIGUOUS_MULTI_BLOCK",
        /// None that can be read.
        ParseError = "PARSE_ERROR",
        /// The ledger does not hold it as COMPLETE.
        NotAdmitted = "NOT_ADMITTED",
        /// The session's budget does not allow another cycle (Q58).
        BudgetExhaustedSession = "BUDGET_EXHAUSTED_SESSION",
    }
}

impl Rejection {
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
    // An item that is malformed is counted and skipped.
    let read = |item: &Value| object(item).ok();
    let candidates: Vec<Candidate> = items.iter().filter_map(read).collect();
    Parsed {
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
