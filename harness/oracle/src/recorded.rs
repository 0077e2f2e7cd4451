//! An oracle that answers from a ledger, by the hash of the question. For a question that the ledger does not
//! hold, the error shows the most similar one that it holds.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::proof::RawAnswer;
use axilog::hash::{Hash, Tag, sha256};
use axilog_ledger::encoding::hex;
use axilog_ledger::encoding::unescape;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::input_file::open_input;
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

use crate::error::OracleError;
use crate::exchange::{AskFault, Exchange, ModelAnswer};
use crate::nearest_question::describe_nearest;

/// The longest raw answer that is repeated.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// An oracle that repeats the answers of a ledger.
#[derive(Debug)]
pub struct RecordedOracle {
    path: PathBuf,
    blobs: BlobStore,
    /// The answers to each input, by the input's hash.
    answers: BTreeMap<Hash, InputAnswers>,
}

/// The answers that a ledger holds to one input.
#[derive(Debug, Default)]
struct InputAnswers {
    /// The answers that were not repeated yet, oldest first.
    unused: VecDeque<RecordedAnswer>,
    /// The number of all answers.
    recorded: usize,
}

#[derive(Debug)]
struct RecordedAnswer {
    ledger_seq: u64,
    completion: Completion,
    failure: Option<Failure>,
    output: String,
    /// SHA-256 of the answer as it came, where its record does not hold it whole and a RAW record binds it.
    raw_answer: Option<Hash>,
}

impl RecordedOracle {
    /// Reads and verifies a ledger.
    ///
    /// # Errors
    /// [`FileError::Io`], [`LedgerError::Damaged`].
    pub fn open(path: &Path) -> Result<RecordedOracle, OracleError> {
        let file = open_input(path, "open")?;
        let mut answers: BTreeMap<Hash, InputAnswers> = BTreeMap::new();
        // The input of the last observation of a model, after which a RAW record may stand.
        let mut last_input: Option<Hash> = None;
        let checked = verify_ledger(file, None, &LedgerExpectations::default(), &mut |record| {
            if record.entry.tag == Tag::Proof
                && let Ok(raw) = RawAnswer::parse(record.entry.payload)
                && let Some(input) = last_input
                && let Some(of_input) = answers.get_mut(&input)
                && let Some(answer) = of_input.unused.back_mut()
            {
                answer.raw_answer = Some(raw.sha256);
            }
            let Some(view) = &record.observation else {
                return;
            };
            last_input = None;
            let oracle = view.oracle_id.bytes();
            if oracle == TIME_ORACLE.as_bytes() || oracle == CONTROL_ORACLE.as_bytes() {
                return;
            }
            last_input = Some(view.input_hash);
            let of_input = answers.entry(view.input_hash).or_default();
            of_input.recorded += 1;
            of_input.unused.push_back(RecordedAnswer {
                ledger_seq: view.ledger_seq,
                completion: view.completion,
                failure: view.failure,
                output: unescape(view.output),
                raw_answer: None,
            });
        })
        .map_err(FileError::from_io(path, "read"))?;
        if let Some(fault) = checked.fault {
            return Err(LedgerError::Damaged {
                path: path.to_owned(),
                fault,
            }
            .into());
        }
        Ok(RecordedOracle {
            path: path.to_owned(),
            blobs: BlobStore::of_ledger(path),
            answers,
        })
    }

    /// Gives the next answer that the ledger holds to `input`.
    pub(super) fn ask(&mut self, input: &CanonicalInput) -> Result<Exchange, OracleError> {
        let hash = input.hash();
        let (path, input_hash) = (self.path.clone(), hex(&hash));
        let Some(of_input) = self.answers.get_mut(&hash) else {
            return Err(OracleError::NotRecorded {
                path,
                input_hash,
                nearest: describe_nearest(&self.blobs, self.answers.keys(), input)?,
            });
        };
        let Some(answer) = of_input.unused.pop_front() else {
            return Err(OracleError::AnswersExhausted {
                path,
                input_hash,
                recorded: of_input.recorded,
            });
        };
        let of_text = |text| {
            Ok(ModelAnswer {
                text,
                model: None,
                system_fingerprint: None,
                finish_reason: None,
                usage: None,
            })
        };
        let raw_text = match answer.raw_answer {
            Some(hash) => self.read_raw_text(&hash)?,
            None => None,
        };
        let reply = match (answer.completion, answer.failure) {
            (Completion::Complete, _) => of_text(answer.output),
            _ if raw_text.is_some() => of_text(raw_text.unwrap_or_default()),
            (Completion::Error, Some(failure)) => Err(AskFault::RecordedFailure(failure)),
            (Completion::Truncated | Completion::Error, _) => {
                return Err(OracleError::TruncatedAnswer {
                    path,
                    input_hash,
                    ledger_seq: answer.ledger_seq,
                });
            }
        };
        Ok(Exchange::immediate(reply))
    }

    /// The raw answer with this hash, if it is kept beside the ledger, undamaged and text.
    fn read_raw_text(&self, hash: &Hash) -> Result<Option<String>, OracleError> {
        let bytes = self.blobs.read(hash, MAX_ANSWER_BYTES)?;
        let bytes = bytes.filter(|bytes| sha256(bytes) == *hash);
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}
