//! The record of one cycle: what was asked, what came back, what was made of it, what was decided.

use axilog::hash::Hash;
use axilog_ledger::file::hex;
use axilog_oracle::canonicalizer::Status;
use serde_json::{Value, json};

use super::Condition;
use crate::fields::{FromJson, Wrong, one_of, whole};
use crate::kernel::{Candidate, Decision, Observation, Rejection};
use crate::taxonomy::{LcOutcome, RefusalType};

/// A cycle. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// Its condition.
    pub condition: Condition,
    /// Which it is within its condition, from 1.
    pub cycle: u64,
    /// Which it is in the session, from 1.
    pub number: u64,
    /// The task, by its id in the condition's task file.
    pub task: String,
    /// Whether the prompt asks for something that may be done; an injection of L-C does not.
    pub prompt_valid: bool,
    /// The sequence of the call's observation in the ledger; `None` where nothing was asked.
    pub ledger_seq: Option<u64>,
    /// The observation's `input_hash`: SHA-256 of the prompt (Q43).
    pub input_hash: Option<Hash>,
    /// The raw answer; `None` where there is none or the ledger does not hold it as COMPLETE.
    pub raw: Option<String>,
    /// SHA-256 of the raw answer, admitted or not.
    pub raw_llm_hash: Option<Hash>,
    /// What became of the raw answer.
    pub canonicalization: Canonicalization,
    /// The canonical form of its one object, where it has one.
    pub canonicalized: Option<String>,
    /// SHA-256 of that.
    pub canonicalized_hash: Option<Hash>,
    /// The parsed artifact: what the kernel was given.
    pub candidates: Vec<Candidate>,
    /// Why there are none, where the answer was not even parsed.
    pub rejection_reason: Option<Rejection>,
    /// Items under `candidates`, malformed ones too.
    pub candidates_reported: u64,
    /// Malformed ones.
    pub parse_errors: u64,
    /// What the kernel saw, in order.
    pub observations: Vec<Observation>,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// From the question to the answer, waits and failed attempts included.
    pub latency_ms: u64,
    /// The attempts, in order.
    pub attempts: Vec<Attempt>,
    /// The model that answered, as it names itself.
    pub answered_by: Option<String>,
    /// Why it stopped, as it says.
    pub finish_reason: Option<String>,
    /// The permutation test, where there was one (Q37).
    pub permutations: Option<Permutations>,
    /// The kernel's decision.
    pub decision: Decision,
    /// The id of the kernel's state afterwards.
    pub state: Hash,
    /// The type of a refusal.
    pub refusal_type: Option<RefusalType>,
    /// What an injection came to; in L-C only.
    pub lc_outcome: Option<LcOutcome>,
}

/// What became of a raw answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Canonicalization {
    /// It has exactly one object.
    Ok,
    /// It has none.
    NoJson,
    /// It has more than one.
    AmbiguousMultiBlock,
    /// It has none that can be read.
    ParseError,
    /// The ledger does not hold it as COMPLETE, so nothing read it.
    NotAdmitted,
    /// There is none: nothing was asked.
    NotAsked,
}

impl Canonicalization {
    /// Every one, in order.
    pub const ALL: [Canonicalization; 6] = [
        Canonicalization::Ok,
        Canonicalization::NoJson,
        Canonicalization::AmbiguousMultiBlock,
        Canonicalization::ParseError,
        Canonicalization::NotAdmitted,
        Canonicalization::NotAsked,
    ];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Canonicalization::Ok => Status::Ok.as_str(),
            Canonicalization::NoJson => Status::NoJson.as_str(),
            Canonicalization::AmbiguousMultiBlock => Status::AmbiguousMultiBlock.as_str(),
            Canonicalization::ParseError => Status::ParseError.as_str(),
            Canonicalization::NotAdmitted => Rejection::NotAdmitted.as_str(),
            Canonicalization::NotAsked => "NOT_ASKED",
        }
    }
}

impl From<Status> for Canonicalization {
    fn from(status: Status) -> Canonicalization {
        match status {
            Status::Ok => Canonicalization::Ok,
            Status::NoJson => Canonicalization::NoJson,
            Status::AmbiguousMultiBlock => Canonicalization::AmbiguousMultiBlock,
            Status::ParseError => Canonicalization::ParseError,
        }
    }
}

/// An attempt to get an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// How long was waited before it.
    pub waited_ms: u64,
    /// How long it took.
    pub took_ms: u64,
    /// Why it failed, in words; `None` where it gave the answer.
    pub fault: Option<String>,
}

/// What came of the permutation test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutations {
    /// How many orders of the candidates were tried.
    pub tried: u64,
    /// Whether all gave the same selection.
    pub equal: bool,
}

impl Cycle {
    /// Tokens of prompt and answer together (Q48a).
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    /// Its fields.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let attempts = self.attempts.iter().map(Attempt::to_json);
        json!({
            "condition": self.condition.as_str(),
            "cycle": self.cycle,
            "number": self.number,
            "task": self.task,
            "prompt_valid": self.prompt_valid,
            "ledger_seq": self.ledger_seq,
            "input_hash": self.input_hash.as_ref().map(hex),
            "raw": self.raw,
            "raw_llm_hash": self.raw_llm_hash.as_ref().map(hex),
            "canonicalization": self.canonicalization.as_str(),
            "canonicalized": self.canonicalized,
            "canonicalized_hash": self.canonicalized_hash.as_ref().map(hex),
            "candidates": self.candidates.iter().map(Candidate::to_json).collect::<Vec<_>>(),
            "rejection_reason": self.rejection_reason.map(Rejection::as_str),
            "candidates_reported": self.candidates_reported,
            "parse_errors": self.parse_errors,
            "observations": self.observations.iter().map(Observation::to_json).collect::<Vec<_>>(),
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "latency_ms": self.latency_ms,
            "attempts": attempts.collect::<Vec<_>>(),
            "answered_by": self.answered_by,
            "finish_reason": self.finish_reason,
            "permutations": self.permutations.map(Permutations::to_json),
            "decision": self.decision.to_json(),
            "state": hex(&self.state),
            "refusal_type": self.refusal_type.map(RefusalType::as_str),
            "lc_outcome": self.lc_outcome.map(LcOutcome::as_str),
        })
    }
}

impl FromJson for Cycle {
    fn from_json(value: &Value) -> Result<Cycle, Wrong> {
        whole(value, |fields| {
            Ok(Cycle {
                condition: fields.take("condition")?,
                cycle: fields.take("cycle")?,
                number: fields.take("number")?,
                task: fields.take("task")?,
                prompt_valid: fields.take("prompt_valid")?,
                ledger_seq: fields.take("ledger_seq")?,
                input_hash: fields.take("input_hash")?,
                raw: fields.take("raw")?,
                raw_llm_hash: fields.take("raw_llm_hash")?,
                canonicalization: fields.take("canonicalization")?,
                canonicalized: fields.take("canonicalized")?,
                canonicalized_hash: fields.take("canonicalized_hash")?,
                candidates: fields.take("candidates")?,
                rejection_reason: fields.take("rejection_reason")?,
                candidates_reported: fields.take("candidates_reported")?,
                parse_errors: fields.take("parse_errors")?,
                observations: fields.take("observations")?,
                prompt_tokens: fields.take("prompt_tokens")?,
                completion_tokens: fields.take("completion_tokens")?,
                latency_ms: fields.take("latency_ms")?,
                attempts: fields.take("attempts")?,
                answered_by: fields.take("answered_by")?,
                finish_reason: fields.take("finish_reason")?,
                permutations: fields.take("permutations")?,
                decision: fields.take("decision")?,
                state: fields.take("state")?,
                refusal_type: fields.take("refusal_type")?,
                lc_outcome: fields.take("lc_outcome")?,
            })
        })
    }
}

impl FromJson for Canonicalization {
    fn from_json(value: &Value) -> Result<Canonicalization, Wrong> {
        one_of(value, &Canonicalization::ALL, Canonicalization::as_str)
    }
}

impl Attempt {
    fn to_json(&self) -> Value {
        json!({ "waited_ms": self.waited_ms, "took_ms": self.took_ms, "fault": self.fault })
    }
}

impl FromJson for Attempt {
    fn from_json(value: &Value) -> Result<Attempt, Wrong> {
        whole(value, |fields| {
            Ok(Attempt {
                waited_ms: fields.take("waited_ms")?,
                took_ms: fields.take("took_ms")?,
                fault: fields.take("fault")?,
            })
        })
    }
}

impl Permutations {
    fn to_json(self) -> Value {
        json!({ "tried": self.tried, "equal": self.equal })
    }
}

impl FromJson for Permutations {
    fn from_json(value: &Value) -> Result<Permutations, Wrong> {
        whole(value, |fields| {
            Ok(Permutations {
                tried: fields.take("tried")?,
                equal: fields.take("equal")?,
            })
        })
    }
}
