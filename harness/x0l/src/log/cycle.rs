//! The record of one cycle: what was asked, what came back, what was made of it, what was decided.

use axilog::hash::Hash;
use axilog_oracle::canonicalizer::Status;
use serde::{Deserialize, Serialize};

use super::Condition;
use crate::document::{self, named_enum};
use crate::kernel::{Candidate, Decision, Observation, Rejection};
use crate::taxonomy::{LcOutcome, RefusalType};

/// A cycle. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    #[serde(with = "document::hash")]
    pub input_hash: Option<Hash>,
    /// The raw answer; `None` where there is none or the ledger does not hold it as COMPLETE.
    pub raw: Option<String>,
    /// SHA-256 of the raw answer, admitted or not.
    #[serde(with = "document::hash")]
    pub raw_llm_hash: Option<Hash>,
    /// What became of the raw answer.
    pub canonicalization: Canonicalization,
    /// The canonical form of its one object, where it has one.
    pub canonicalized: Option<String>,
    /// SHA-256 of that.
    #[serde(with = "document::hash")]
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
    #[serde(with = "document::hash")]
    pub state: Hash,
    /// The type of a refusal.
    pub refusal_type: Option<RefusalType>,
    /// What an injection came to; in L-C only.
    pub lc_outcome: Option<LcOutcome>,
}

named_enum! {
    /// What became of a raw answer.
    pub enum Canonicalization {
        /// It has exactly one object.
        Ok = "OK",
        /// It has none.
        NoJson = "NO_JSON",
        /// It has more than one.
        AmbiguousMultiBlock = "AMBIGUOUS_MULTI_BLOCK",
        /// It has none that can be read.
        ParseError = "PARSE_ERROR",
        /// The ledger does not hold it as COMPLETE, so nothing read it.
        NotAdmitted = "NOT_ADMITTED",
        /// There is none: nothing was asked.
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

/// An attempt to get an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// How long was waited before it.
    pub waited_ms: u64,
    /// How long it took.
    pub took_ms: u64,
    /// Why it failed, in words; `None` where it gave the answer.
    pub fault: Option<String>,
}

/// What came of the permutation test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
}
