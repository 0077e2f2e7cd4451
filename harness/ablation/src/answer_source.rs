//! Where the answers of a run come from: [`AnswerSource`].
//!
//! The sources are an oracle that is recorded ([`super::recording_oracle`]), a ledger
//! ([`super::ledger_answers`]), and the one after the other ([`super::resumed_answers`]).

use axilog::evidence::observation::{Completion, Failure};
use axilog::hash::Hash;
use axilog_oracle::Question;

use super::error::AblationError;
use super::statements::AnswerFacts;

/// The oracle id under which the ledger records every answer of this harness.
pub const ORACLE_ID: &str = "proposer";

/// Why an answer has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingText {
    /// The oracle answered, but the ledger does not hold the answer as COMPLETE.
    NotAdmitted,
    /// The oracle gave no answer, after every attempt.
    Failed(Failure),
}

impl MissingText {
    /// The text of an observation, or why there is none: an answer that is cut off or holds what no
    /// record may hold is not admitted.
    pub(crate) fn check(
        completion: Completion,
        failure: Option<Failure>,
        text: Option<String>,
    ) -> Result<String, MissingText> {
        match (completion, failure) {
            (Completion::Complete, _) => text.ok_or(MissingText::NotAdmitted),
            (_, Some(failure @ (Failure::Timeout | Failure::TransportError))) => {
                Err(MissingText::Failed(failure))
            }
            _ => Err(MissingText::NotAdmitted),
        }
    }
}

/// An answer as the ledger holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedAnswer {
    /// The sequence of its observation.
    pub ledger_seq: u64,
    /// SHA-256 of the prompt.
    pub input_hash: Hash,
    /// The observation's own hash.
    pub obs_hash: Hash,
    /// The answer's text.
    pub text: Result<String, MissingText>,
    /// What the server said of the answer.
    pub facts: AnswerFacts,
}

/// A source of answers.
pub trait AnswerSource {
    /// Answers `question`; `None` where no further answer comes.
    ///
    /// # Errors
    /// What the oracle or the ledger could not do.
    fn ask(&mut self, question: &Question) -> Result<Option<ReceivedAnswer>, AblationError>;

    /// Called before the first question under `seed` is put.
    ///
    /// # Errors
    /// What the ledger could not do, or does not hold.
    fn begin_seed(&mut self, seed: u64) -> Result<(), AblationError> {
        let _ = seed;
        Ok(())
    }
}
