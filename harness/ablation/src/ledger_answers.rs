//! The answers of a finished run, read from its ledger: no model, no key, no network.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use axilog::evidence::observation::Params;
use axilog::replay::Verdict;
use axilog_ledger::encoding::hex;
use axilog_ledger::encoding::unescape;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::input_file::open_input;
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};
use axilog_oracle::Question;

use super::answer_source::{AnswerSource, MissingText, ORACLE_ID, RecordedAnswer};
use super::error::AblationError;

/// The answers of a ledger, in their order. Each is given only to the question that it answered.
pub struct LedgerAnswers {
    path: PathBuf,
    remaining: VecDeque<LedgerAnswer>,
}

/// An answer, and what besides the prompt it was asked with.
struct LedgerAnswer {
    answer: RecordedAnswer,
    model: String,
    params: Params,
}

impl LedgerAnswers {
    /// Reads the ledger at `path`, which must verify. It may end in a torn line, as a kill leaves it.
    ///
    /// # Errors
    /// [`FileError::Io`], [`LedgerError::Damaged`].
    pub fn read(path: &Path) -> Result<LedgerAnswers, AblationError> {
        let file = open_input(path, "open the ledger")?;
        let mut remaining = VecDeque::new();
        let checked = verify_ledger(file, None, &LedgerExpectations::default(), &mut |record| {
            let Some(view) = &record.observation else {
                return;
            };
            if view.oracle_id.bytes() == ORACLE_ID.as_bytes() {
                let output = Some(unescape(view.output));
                remaining.push_back(LedgerAnswer {
                    answer: RecordedAnswer {
                        ledger_seq: view.ledger_seq,
                        input_hash: view.input_hash,
                        obs_hash: view.obs_hash,
                        text: MissingText::check(view.completion, view.failure, output),
                    },
                    model: unescape(view.model_id),
                    params: view.params,
                });
            }
        })
        .map_err(FileError::from_io(path, "read the ledger"))?;
        let path = path.to_owned();
        match checked.fault.filter(|fault| fault.verdict != Verdict::Torn) {
            Some(fault) => Err(LedgerError::Damaged { path, fault }.into()),
            None => Ok(LedgerAnswers { path, remaining }),
        }
    }

    /// How many answers have not been asked for.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.remaining.len()
    }
}

impl AnswerSource for LedgerAnswers {
    fn ask(&mut self, question: &Question) -> Result<Option<RecordedAnswer>, AblationError> {
        let input = question
            .to_canonical_input()
            .map_err(|reason| LedgerError::InvalidInput {
                path: "the prompt".into(),
                reason,
            })?;
        let Some(LedgerAnswer {
            answer,
            model,
            params,
        }) = self.remaining.pop_front()
        else {
            return Ok(None);
        };
        let same_sampling = model == question.model && params == question.params;
        if same_sampling && answer.input_hash == input.hash() {
            return Ok(Some(answer));
        }
        Err(AblationError::ForeignLedger {
            path: self.path.clone(),
            reason: format!(
                "record {} answers the prompt {} to {model} with {params:?}, where the run puts {} to {} with {:?}: this is not the run's ledger, or its header was changed",
                answer.ledger_seq,
                hex(&answer.input_hash),
                hex(&input.hash()),
                question.model,
                question.params
            ),
        })
    }
}
