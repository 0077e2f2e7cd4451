//! Where the answers of a run come from: [`AnswerSource`], and the oracle whose answers are recorded.
//!
//! The other source, a finished run's ledger, is [`super::ledger_answers`].

use axilog::evidence::observation::{Completion, Failure};
use axilog::hash::Hash;
use axilog_ledger::session::Session;
use axilog_oracle::{AnswerConstraint, Endpoint, Question, consult_oracle};

use super::error::AblationError;

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
pub struct RecordedAnswer {
    /// The sequence of its observation.
    pub ledger_seq: u64,
    /// SHA-256 of the prompt.
    pub input_hash: Hash,
    /// The observation's own hash.
    pub obs_hash: Hash,
    /// The answer's text.
    pub text: Result<String, MissingText>,
}

/// A source of answers.
pub trait AnswerSource {
    /// Answers `question`; `None` where no further answer comes.
    ///
    /// # Errors
    /// What the oracle or the ledger could not do.
    fn ask(&mut self, question: &Question) -> Result<Option<RecordedAnswer>, AblationError>;
}

/// An oracle whose answers are recorded before they are used.
pub struct RecordingOracle {
    session: Session,
    endpoint: Endpoint,
    constraint: Option<AnswerConstraint>,
}

impl RecordingOracle {
    /// Asks `endpoint` and records in `session`.
    #[must_use]
    pub fn new(session: Session, endpoint: Endpoint) -> RecordingOracle {
        RecordingOracle {
            session,
            endpoint,
            constraint: None,
        }
    }

    /// Asks the server to hold each answer to this form.
    #[must_use]
    pub fn with_constraint(mut self, constraint: Option<AnswerConstraint>) -> RecordingOracle {
        self.constraint = constraint;
        self
    }

    /// Makes what was recorded durable and gives the session back.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`](axilog_ledger::error::LedgerError::NotDurable).
    pub fn finish(mut self) -> Result<Session, AblationError> {
        self.session.sync()?;
        Ok(self.session)
    }
}

impl AnswerSource for RecordingOracle {
    fn ask(&mut self, question: &Question) -> Result<Option<RecordedAnswer>, AblationError> {
        let question = Question {
            constraint: self.constraint.clone(),
            ..question.clone()
        };
        let consultation =
            consult_oracle(&mut self.session, &mut self.endpoint, ORACLE_ID, &question)?;
        let observation = &consultation.decision.observation;
        let text = consultation.recorded_text();
        Ok(Some(RecordedAnswer {
            ledger_seq: observation.ledger_seq,
            input_hash: observation.input_hash,
            obs_hash: observation.obs_hash,
            text: MissingText::check(observation.completion, observation.failure, text),
        }))
    }
}
