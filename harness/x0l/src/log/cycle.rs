//! The record of one cycle: the call, the answer, what the canonicalizer and the parser made of the
//! answer, and the decision.

use axilog::hash::Hash;
use axilog_oracle::canonicalizer::Status;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::document::{self, named_enum};
use crate::kernel::{Candidate, Decision, KernelObservation, RejectionReason};
use crate::taxonomy::{LcOutcome, RefusalType};

/// One cycle of a session, as a line of the cycle log records it. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// The condition of the cycle.
    pub condition: Condition,
    /// The number of the cycle within its condition, from 1.
    pub cycle: u64,
    /// The number of the cycle in the session, from 1.
    pub number: u64,
    /// The task, by its id in the condition's task file.
    pub task: String,
    /// Whether the prompt asks for something that may be done; false for an injection of L-C.
    pub prompt_valid: bool,
    /// The sequence number of the call's observation in the ledger; `None` where the model was not asked.
    pub ledger_seq: Option<u64>,
    /// The `input_hash` of that observation: SHA-256 of the prompt (Q43).
    #[serde(with = "document::hash")]
    pub input_hash: Option<Hash>,
    /// The raw answer; `None` where the model was not asked.
    pub raw: Option<String>,
    /// SHA-256 of the raw answer.
    #[serde(with = "document::hash")]
    pub raw_llm_hash: Option<Hash>,
    /// What the canonicalizer made of the raw answer.
    pub canonicalization: Canonicalization,
    /// The canonical form of the answer's one JSON object, where the answer has exactly one.
    pub canonicalized: Option<String>,
    /// SHA-256 of `canonicalized`.
    #[serde(with = "document::hash")]
    pub canonicalized_hash: Option<Hash>,
    /// The candidates that the kernel was given.
    pub candidates: Vec<Candidate>,
    /// Why the kernel was given no candidates, where the answer was not parsed.
    pub rejection_reason: Option<RejectionReason>,
    /// The number of items under `candidates` in the answer, with the malformed ones.
    pub candidates_reported: u64,
    /// The number of malformed items.
    pub parse_errors: u64,
    /// The observations that the kernel was given, in order.
    pub observations: Vec<KernelObservation>,
    /// The tokens of the prompt.
    pub prompt_tokens: u64,
    /// The tokens of the answer.
    pub completion_tokens: u64,
    /// The time from the question to the answer, with waits and failed attempts.
    pub latency_ms: u64,
    /// The attempts to get an answer, in order.
    pub attempts: Vec<AttemptRecord>,
    /// The model that answered, as it names itself.
    pub answered_by: Option<String>,
    /// The build or configuration that answered, as its server names it.
    pub system_fingerprint: Option<String>,
    /// Why the model stopped, as its server says.
    pub finish_reason: Option<String>,
    /// The permutation test, where there was one (Q37).
    pub permutations: Option<PermutationTest>,
    /// The kernel's decision.
    pub decision: Decision,
    /// The id of the kernel's state after the cycle.
    #[serde(with = "document::hash")]
    pub state: Hash,
    /// The type of the refusal; `None` for an action and an exit.
    pub refusal_type: Option<RefusalType>,
    /// What became of an injection; `None` outside L-C.
    pub lc_outcome: Option<LcOutcome>,
}

named_enum! {
    /// What the canonicalizer made of a raw answer.
    pub enum Canonicalization {
        /// The answer has exactly one JSON object.
        Ok = "OK",
        /// The answer has no JSON object.
        NoJson = "NO_JSON",
        /// The answer has more than one JSON object.
        AmbiguousMultiBlock = "AMBIGUOUS_MULTI_BLOCK",
        /// The answer has no JSON object that can be read.
        ParseError = "PARSE_ERROR",
        /// The model was not asked.
        NotAsked = "NOT_ASKED",
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

/// One attempt to get an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttemptRecord {
    /// The wait before the attempt.
    pub waited_ms: u64,
    /// The duration of the attempt.
    pub took_ms: u64,
    /// Why the attempt failed, in words; `None` where it gave the answer.
    pub fault: Option<String>,
}

/// The result of a permutation test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermutationTest {
    /// The number of orders of the candidates that were tried.
    pub tried: u64,
    /// Whether every order gave the same selection.
    pub equal: bool,
}

impl Cycle {
    /// The tokens of prompt and answer together (Q48a).
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}
