//! The answers of a run, read from its ledger: no model, no key, no network.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use axilog::evidence::observation::Params;
use axilog::hash::Hash;
use axilog::replay::Verdict;
use axilog_ledger::encoding::hex;
use axilog_ledger::encoding::unescape;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::input_file::open_input;
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};
use axilog_oracle::Question;
use serde::de::DeserializeOwned;

use super::answer_source::{AnswerSource, MissingText, ORACLE_ID, ReceivedAnswer};
use super::error::AblationError;
use super::statements::{
    AnswerFacts, HEADS, HeadsStatement, PROVIDER, RESUME, RUN, ResumeStatement, RunStatement,
    ServerStatement,
};

/// The answers of a ledger, in their order. Each is given only to the question that it answered.
pub struct LedgerAnswers {
    path: PathBuf,
    statement: Option<RunStatement>,
    remaining: VecDeque<Recorded>,
    /// What the server said of the last answer.
    facts: AnswerFacts,
    /// How many answers were read, those included that are not given.
    answers: u64,
    resumed: u64,
    /// What the ledger says of the other arms' ledgers, each with the sequence of its record.
    heads: Vec<(u64, HeadsStatement)>,
    /// The chain value of each record.
    chain: Vec<Hash>,
}

/// What a run meets in its ledger, in this order.
enum Recorded {
    Answer(Box<LedgerAnswer>),
    /// The heads of the other arms' ledgers before the first answer under this seed.
    Heads(u64),
}

/// An answer, and what besides the prompt it was asked with.
struct LedgerAnswer {
    answer: ReceivedAnswer,
    model: String,
    params: Params,
}

/// What the observations of a ledger say, in their order.
enum Entry {
    Run(RunStatement),
    Answer(LedgerAnswer),
    Provider(ServerStatement),
    Resume(ResumeStatement),
    Heads(u64, HeadsStatement),
}

impl LedgerAnswers {
    /// Reads the ledger at `path`, which must verify. It may end in a torn line, as a kill leaves it.
    ///
    /// # Errors
    /// [`FileError::Io`], [`LedgerError::Damaged`]; [`AblationError::ForeignLedger`] where the statements are not
    /// those that the harness records, or not in their places.
    pub fn read(path: &Path) -> Result<LedgerAnswers, AblationError> {
        let file = open_input(path, "open the ledger")?;
        let (mut entries, mut chain, mut unreadable) = (Vec::new(), Vec::new(), None);
        let checked = verify_ledger(file, None, &LedgerExpectations::default(), &mut |record| {
            chain.push(record.entry.chain);
            let Some(view) = &record.observation else {
                return;
            };
            let oracle = view.oracle_id.bytes();
            let parsed = if oracle == ORACLE_ID.as_bytes() {
                let output = Some(unescape(view.output));
                Ok(Entry::Answer(LedgerAnswer {
                    answer: ReceivedAnswer {
                        ledger_seq: view.ledger_seq,
                        input_hash: view.input_hash,
                        obs_hash: view.obs_hash,
                        text: MissingText::check(view.completion, view.failure, output),
                        facts: AnswerFacts::default(),
                    },
                    model: unescape(view.model_id),
                    params: view.params,
                }))
            } else {
                let form = unescape(view.model_id);
                let text = unescape(view.output);
                match [RUN, PROVIDER, RESUME, HEADS].map(|(id, _)| id.as_bytes() == oracle) {
                    [true, ..] => parse_statement(RUN, &form, &text).map(Entry::Run),
                    [_, true, ..] => parse_statement(PROVIDER, &form, &text).map(Entry::Provider),
                    [_, _, true, _] => parse_statement(RESUME, &form, &text).map(Entry::Resume),
                    [.., true] => parse_statement(HEADS, &form, &text)
                        .map(|heads| Entry::Heads(view.ledger_seq, heads)),
                    _ => return,
                }
            };
            match parsed {
                Ok(entry) => entries.push(entry),
                Err(reason) => {
                    unreadable.get_or_insert(format!("record {}: {reason}", view.ledger_seq));
                }
            }
        })
        .map_err(FileError::from_io(path, "read the ledger"))?;
        let path = path.to_owned();
        if let Some(fault) = checked.fault.filter(|fault| fault.verdict != Verdict::Torn) {
            return Err(LedgerError::Damaged { path, fault }.into());
        }
        let answers = LedgerAnswers {
            path: path.clone(),
            statement: None,
            remaining: VecDeque::new(),
            facts: AnswerFacts::default(),
            answers: 0,
            resumed: 0,
            heads: Vec::new(),
            chain,
        };
        match unreadable {
            Some(reason) => Err(reason),
            None => answers.take_entries(entries),
        }
        .map_err(|reason| AblationError::ForeignLedger {
            path,
            reason: format!(
                "{reason}; this is no ledger of `axilog ablation`, or another version's"
            ),
        })
    }

    /// Puts what the observations say together. The error is a statement out of its place.
    fn take_entries(mut self, entries: Vec<Entry>) -> Result<LedgerAnswers, String> {
        for entry in entries {
            match entry {
                Entry::Run(statement) => {
                    if self.statement.is_some() || self.answers > 0 {
                        return Err("what is run is stated twice, or after an answer".to_owned());
                    }
                    self.statement = Some(statement);
                }
                Entry::Answer(mut answer) => {
                    answer.answer.facts = self.facts.clone();
                    self.remaining.push_back(Recorded::Answer(Box::new(answer)));
                    self.answers += 1;
                }
                Entry::Provider(stated) => match self.remaining.back_mut() {
                    Some(Recorded::Answer(last)) if last.answer.ledger_seq == stated.ledger_seq => {
                        self.facts = stated.to_facts();
                        last.answer.facts = self.facts.clone();
                    }
                    _ => {
                        return Err(format!(
                            "what a server said is stated of record {}, and the last answer is another",
                            stated.ledger_seq
                        ));
                    }
                },
                Entry::Heads(seq, stated) => {
                    if self.is_closed() {
                        return Err(format!(
                            "record {seq} states heads of other arms after the end of the experiment"
                        ));
                    }
                    if self.statement.as_ref().is_none_or(|run| run.plan.is_none()) {
                        return Err(format!(
                            "record {seq} states the heads of other arms, and the run is no arm of a plan"
                        ));
                    }
                    self.remaining.extend(stated.seed.map(Recorded::Heads));
                    self.heads.push((seq, stated));
                }
                Entry::Resume(stated) => {
                    if stated.answers != self.answers {
                        return Err(format!(
                            "the run goes on after {} answers, and the ledger holds {} up to there",
                            stated.answers, self.answers
                        ));
                    }
                    self.resumed += 1;
                    self.drop_failure();
                }
            }
        }
        Ok(self)
    }

    /// Drops the last answer where it is a failure: its question is put again when the run goes on.
    pub(crate) fn drop_failure(&mut self) {
        self.remaining
            .pop_back_if(|last| matches!(last, Recorded::Answer(last) if matches!(last.answer.text, Err(MissingText::Failed(_)))));
    }

    /// What is run, as the ledger says; `None` where nothing was asked yet.
    #[must_use]
    pub fn statement(&self) -> Option<&RunStatement> {
        self.statement.as_ref()
    }

    /// What the server said of the last answer.
    #[must_use]
    pub fn facts(&self) -> &AnswerFacts {
        &self.facts
    }

    /// How many answers the ledger holds, failures included.
    #[must_use]
    pub fn answer_count(&self) -> u64 {
        self.answers
    }

    /// How often the run went on after it was stopped.
    #[must_use]
    pub fn resumed_count(&self) -> u64 {
        self.resumed
    }

    /// The chain value of the last record, in hexadecimal.
    #[must_use]
    pub fn head(&self) -> String {
        hex(&self.chain.last().copied().unwrap_or_default())
    }

    /// How many records the ledger holds.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.chain.len() as u64
    }

    /// The chain value of the last of the first `entries` records, in hexadecimal; `None` where the ledger holds fewer.
    #[must_use]
    pub fn head_at(&self, entries: u64) -> Option<String> {
        let last = usize::try_from(entries.checked_sub(1)?).ok()?;
        self.chain.get(last).map(hex)
    }

    /// What the ledger says of the ledgers of other arms, each with the sequence of its record.
    #[must_use]
    pub fn stated_heads(&self) -> &[(u64, HeadsStatement)] {
        &self.heads
    }

    /// Whether the ledger says that the experiment is over.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let last = self.heads.last();
        last.is_some_and(|(_, stated)| stated.seed.is_none())
    }

    /// How many answers and statements of other arms' heads the run has not met.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.remaining.len()
    }

    /// The texts of the answers that have not been asked for.
    pub(crate) fn list_texts(&self) -> Vec<Result<String, MissingText>> {
        let answers = self.remaining.iter().filter_map(|next| match next {
            Recorded::Answer(found) => Some(found.answer.text.clone()),
            Recorded::Heads(_) => None,
        });
        answers.collect()
    }

    /// How many answers have not been asked for.
    #[must_use]
    pub fn unasked_count(&self) -> usize {
        let answers = self.remaining.iter();
        answers
            .filter(|next| matches!(next, Recorded::Answer(_)))
            .count()
    }

    fn refuse(&self, reason: String) -> AblationError {
        AblationError::ForeignLedger {
            path: self.path.clone(),
            reason,
        }
    }

    /// Checks that the ledger was begun for `expected`. A ledger without a statement holds no answer.
    ///
    /// # Errors
    /// [`AblationError::ForeignLedger`].
    pub fn check_statement(&self, header: &Path, expected: &str) -> Result<(), AblationError> {
        match &self.statement {
            Some(found) if found.header == expected => Ok(()),
            Some(found) => Err(self.refuse(format!(
                "was recorded under a header with SHA-256 {}, and {} has {expected}: the header was changed, or is another run's; take the file as it was written",
                found.header,
                header.display()
            ))),
            None if self.answers == 0 => Ok(()),
            None => Err(self.refuse(
                "holds answers, and does not say what was run; a run of an earlier version is replayed by the build that made it".to_owned(),
            )),
        }
    }
}

/// Reads a statement of `oracle`, whose model in the ledger is `form`.
fn parse_statement<T: DeserializeOwned>(
    oracle: (&str, &str),
    form: &str,
    text: &str,
) -> Result<T, String> {
    let (id, expected) = oracle;
    if form != expected {
        return Err(format!("{id} has the form {form:?}; expected {expected}"));
    }
    serde_json::from_str(text).map_err(|error| format!("not what {id} states: {error}"))
}

impl AnswerSource for LedgerAnswers {
    fn ask(&mut self, question: &Question) -> Result<Option<ReceivedAnswer>, AblationError> {
        let input = question
            .to_canonical_input()
            .map_err(|reason| LedgerError::InvalidInput {
                path: "the prompt".into(),
                reason,
            })?;
        let LedgerAnswer {
            answer,
            model,
            params,
        } = match self.remaining.pop_front() {
            Some(Recorded::Answer(answer)) => *answer,
            Some(Recorded::Heads(seed)) => {
                return Err(self.refuse(format!(
                    "states the heads of the other arms before the seed {seed} where the run puts another question: this is not the run's ledger, or its header was changed"
                )));
            }
            None => return Ok(None),
        };
        let same_sampling = model == question.model && params == question.params;
        if same_sampling && answer.input_hash == input.hash() {
            return Ok(Some(answer));
        }
        Err(self.refuse(format!(
            "record {} answers the prompt {} to {model} with {params:?}, where the run puts {} to {} with {:?}: this is not the run's ledger, or its header was changed",
            answer.ledger_seq,
            hex(&answer.input_hash),
            hex(&input.hash()),
            question.model,
            question.params
        )))
    }

    fn begin_seed(&mut self, seed: u64) -> Result<(), AblationError> {
        let has_plan = self
            .statement
            .as_ref()
            .is_some_and(|run| run.plan.is_some());
        match self.remaining.front() {
            Some(Recorded::Heads(found)) if *found == seed => {
                self.remaining.pop_front();
                Ok(())
            }
            Some(Recorded::Answer(found)) if has_plan => Err(self.refuse(format!(
                "record {} is the first answer under the seed {seed}, and no record before it states the heads of the other arms: the ledger was changed",
                found.answer.ledger_seq
            ))),
            _ => Ok(()),
        }
    }
}
