//! Where a run's answers come from: an oracle, by way of the ledger, or the ledger alone.

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};

use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::hash::Hash;
use axilog::replay::Verdict;
use axilog_ledger::decision::text;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::hex;
use axilog_ledger::file::verify::{Expected, check};
use axilog_ledger::session::Session;
use axilog_oracle::{Endpoint, Question, consult};

use super::error::AblationError;

/// The id under which every oracle of this harness answers.
pub const ORACLE: &str = "proposer";

/// Why there is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The ledger does not hold what came back as COMPLETE.
    NotAdmitted,
    /// Nothing came back, after every attempt.
    Failed(Failure),
}

/// A recorded answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Its observation's sequence.
    pub ledger_seq: u64,
    /// SHA-256 of the prompt.
    pub input_hash: Hash,
    /// The observation's own hash.
    pub obs_hash: Hash,
    /// What was said.
    pub raw: Result<String, NoAnswer>,
}

/// Whoever answers.
pub trait Answers {
    /// The answer to `question`; `None` where there is nothing more to come.
    ///
    /// # Errors
    /// What the oracle or the ledger could not do.
    fn ask(&mut self, question: &Question) -> Result<Option<Answered>, AblationError>;
}

/// An oracle whose answers are recorded before they are used.
pub struct Live {
    session: Session,
    endpoint: Endpoint,
}

impl Live {
    /// Asks `endpoint` and records in `session`.
    #[must_use]
    pub fn new(session: Session, endpoint: Endpoint) -> Live {
        Live { session, endpoint }
    }

    /// The session, with what was recorded made durable.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`].
    pub fn finish(mut self) -> Result<Session, AblationError> {
        self.session.sync()?;
        Ok(self.session)
    }
}

impl Answers for Live {
    fn ask(&mut self, question: &Question) -> Result<Option<Answered>, AblationError> {
        let consultation = consult(&mut self.session, &mut self.endpoint, ORACLE, question)?;
        let recorded = &consultation.decision.observation;
        let said = consultation.recorded_text();
        Ok(Some(Answered {
            ledger_seq: recorded.ledger_seq,
            input_hash: recorded.input_hash,
            obs_hash: recorded.obs_hash,
            raw: raw(recorded.completion, recorded.failure, said),
        }))
    }
}

/// An answer that is not whole, or holds what no record may, is none; it was given all the same.
fn raw(
    completion: Completion,
    failure: Option<Failure>,
    said: Option<String>,
) -> Result<String, NoAnswer> {
    match (completion, failure) {
        (Completion::Complete, _) => said.ok_or(NoAnswer::NotAdmitted),
        (_, Some(failure @ (Failure::Timeout | Failure::TransportError))) => {
            Err(NoAnswer::Failed(failure))
        }
        _ => Err(NoAnswer::NotAdmitted),
    }
}

/// The answers of a ledger in their order, to the questions that they were given to.
pub struct Replayed {
    path: PathBuf,
    left: VecDeque<(Answered, String, Params)>,
}

impl Replayed {
    /// Reads a ledger, which must be good; a torn last line, as a kill may leave it, is its end.
    ///
    /// # Errors
    /// [`FileError::Io`], [`LedgerError::Damaged`].
    pub fn read(path: &Path) -> Result<Replayed, AblationError> {
        let file = File::open(path).map_err(FileError::at(path, "open the ledger"))?;
        let mut left = VecDeque::new();
        let checked = check(file, None, &Expected::default(), &mut |record| {
            let Some(view) = &record.observation else {
                return;
            };
            if view.oracle_id.bytes() == ORACLE.as_bytes() {
                let answered = Answered {
                    ledger_seq: view.ledger_seq,
                    input_hash: view.input_hash,
                    obs_hash: view.obs_hash,
                    raw: raw(view.completion, view.failure, Some(text(view.output))),
                };
                left.push_back((answered, text(view.model_id), view.params));
            }
        })
        .map_err(FileError::at(path, "read the ledger"))?;
        match checked.fault.filter(|fault| fault.verdict != Verdict::Torn) {
            Some(fault) => Err(LedgerError::Damaged {
                path: path.to_owned(),
                fault,
            }
            .into()),
            None => Ok(Replayed {
                path: path.to_owned(),
                left,
            }),
        }
    }

    /// How many answers have not been asked for.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left.len()
    }
}

impl Answers for Replayed {
    fn ask(&mut self, question: &Question) -> Result<Option<Answered>, AblationError> {
        let input = question.input().map_err(|reason| LedgerError::Input {
            path: "the prompt".into(),
            reason,
        })?;
        let Some((answered, model, params)) = self.left.pop_front() else {
            return Ok(None);
        };
        let same = model == question.model && params == question.params;
        if same && answered.input_hash == input.hash() {
            return Ok(Some(answered));
        }
        Err(AblationError::File {
            path: self.path.clone(),
            reason: format!(
                "record {} answers the prompt {} to {model} with {params:?}, where the run puts {} to {} with {:?}: this is not the run's ledger, or its header was changed",
                answered.ledger_seq,
                hex(&answered.input_hash),
                hex(&input.hash()),
                question.model,
                question.params
            ),
        }
        .into())
    }
}
