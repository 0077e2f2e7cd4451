//! The oracle whose answers are recorded before they are used, and what its server says of them beside them.

use axilog_ledger::durability::LedgerPosition;
use axilog_ledger::file::durable_watch::DurableWatch;
use axilog_ledger::session::Session;
use axilog_oracle::{
    AnswerConstraint, Consultation, Oracle, Question, consult_oracle, prepare_call, record_exchange,
};

use super::answer_source::{AnswerSource, MissingText, ORACLE_ID, ReceivedAnswer};
use super::asked_ahead::{AskedAhead, SeedExchanges};
use super::error::AblationError;
use super::statements::{
    AnswerFacts, HEADS, HeadsStatement, PROVIDER, ServerStatement, record_statement,
};

/// Who gives the answers.
enum Source {
    Oracle(Box<Oracle>),
    /// Others, who asked the oracle ahead.
    Ahead(AskedAhead),
}

/// An oracle whose answers are recorded before they are used.
pub struct RecordingOracle {
    session: Session,
    source: Source,
    constraint: Option<AnswerConstraint>,
    counts_prompts: bool,
    /// What the server said of the last answer.
    facts: AnswerFacts,
    last_fault: Option<String>,
}

impl RecordingOracle {
    /// Asks `endpoint` and records in `session`.
    #[must_use]
    pub fn new(session: Session, endpoint: Oracle) -> RecordingOracle {
        RecordingOracle {
            session,
            source: Source::Oracle(Box::new(endpoint)),
            constraint: None,
            counts_prompts: false,
            facts: AnswerFacts::default(),
            last_fault: None,
        }
    }

    /// Asks the server to hold each answer to this form.
    #[must_use]
    pub fn with_constraint(mut self, constraint: Option<AnswerConstraint>) -> RecordingOracle {
        self.constraint = constraint;
        self
    }

    /// Records, where `counts_prompts`, how many tokens the server counts in each prompt. It is meant for prompts
    /// of a constant length, where one record says it of all.
    #[must_use]
    pub fn counting_prompts(mut self, counts_prompts: bool) -> RecordingOracle {
        self.counts_prompts = counts_prompts;
        self
    }

    /// Goes on after an answer of which the server said `facts`.
    #[must_use]
    pub fn behind(mut self, facts: AnswerFacts) -> RecordingOracle {
        self.facts = facts;
        self
    }

    /// Takes the answers under `seed` from others who ask the oracle ahead. From here on nothing else is asked.
    pub(crate) fn expect_seed(&mut self, seed: u64, exchanges: SeedExchanges) {
        match &mut self.source {
            Source::Ahead(ahead) => ahead.expect_seed(seed, exchanges),
            Source::Oracle(_) => {
                let mut ahead = AskedAhead::default();
                ahead.expect_seed(seed, exchanges);
                self.source = Source::Ahead(ahead);
            }
        }
    }

    /// Goes on with the answers under `seed`, where others ask ahead.
    pub(crate) fn begin_seed(&mut self, seed: u64) {
        if let Source::Ahead(ahead) = &mut self.source {
            ahead.begin_seed(seed);
        }
    }

    /// Takes no further answer from others, where they ask ahead: who asks learns of it.
    pub(crate) fn end_asking(&mut self) {
        if let Source::Ahead(ahead) = &mut self.source {
            *ahead = AskedAhead::default();
        }
    }

    /// Puts `question` and records what came of it; `None` where nobody asks.
    fn consult(&mut self, question: &Question) -> Result<Option<Consultation>, AblationError> {
        match &mut self.source {
            Source::Oracle(endpoint) => {
                let consulted = consult_oracle(&mut self.session, endpoint, ORACLE_ID, question);
                Ok(Some(consulted?))
            }
            Source::Ahead(ahead) => {
                let call = prepare_call(ORACLE_ID, question)?;
                let exchange = ahead.take(&call.input.hash())?;
                let recorded =
                    exchange.map(|exchange| record_exchange(&mut self.session, &call, exchange));
                Ok(recorded.transpose()?)
            }
        }
    }

    /// Why the oracle gave no answer to the last question, in the server's own words where it had any; `None`
    /// where it answered.
    #[must_use]
    pub fn last_fault(&self) -> Option<&str> {
        self.last_fault.as_deref()
    }

    /// Records how far the ledgers of the other arms have come.
    ///
    /// # Errors
    /// As [`Session::record_statement`].
    pub fn record_heads(&mut self, statement: &HeadsStatement) -> Result<(), AblationError> {
        record_statement(&mut self.session, HEADS, statement)
    }

    /// Tells `watch` how far the ledger is durable, now and from now on.
    pub fn report_durable_to(&mut self, watch: DurableWatch) {
        self.session.report_durable_to(watch);
    }

    /// Makes what was recorded durable, and gives how far the ledger has come.
    ///
    /// # Errors
    /// [`LedgerError::NotDurable`](axilog_ledger::error::LedgerError::NotDurable).
    pub fn sync(&mut self) -> Result<LedgerPosition, AblationError> {
        Ok(self.session.sync()?)
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
    fn ask(&mut self, question: &Question) -> Result<Option<ReceivedAnswer>, AblationError> {
        let question = Question {
            constraint: self.constraint.clone(),
            ..question.clone()
        };
        let Some(consultation) = self.consult(&question)? else {
            return Ok(None);
        };
        let observation = &consultation.decision.observation;
        match &consultation.exchange.reply {
            Ok(answer) => {
                self.last_fault = None;
                let facts = AnswerFacts::of(answer, self.counts_prompts);
                if facts != self.facts {
                    let statement = ServerStatement::new(observation.ledger_seq, &facts);
                    record_statement(&mut self.session, PROVIDER, &statement)?;
                    self.facts = facts;
                }
            }
            Err(fault) => self.last_fault = Some(fault.to_string()),
        }
        let text = consultation.recorded_text();
        Ok(Some(ReceivedAnswer {
            ledger_seq: observation.ledger_seq,
            input_hash: observation.input_hash,
            obs_hash: observation.obs_hash,
            text: MissingText::check(observation.completion, observation.failure, text),
            facts: self.facts.clone(),
        }))
    }
}
