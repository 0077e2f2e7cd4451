//! Going on with a run that was stopped: first the answers that its ledger holds, then those of the oracle.

use std::path::Path;

use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::durable_watch::DurableWatch;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;
use axilog_oracle::{Question, TransportSettings};

use super::answer_source::{AnswerSource, MissingText, ReceivedAnswer};
use super::asked_ahead::SeedExchanges;
use super::error::AblationError;
use super::ledger_answers::LedgerAnswers;
use super::recording_oracle::RecordingOracle;
use super::statements::{
    ArmHead, HeadsStatement, RESUME, RUN, ResumeStatement, RunStatement, record_statement,
};
use super::variant::Variant;

/// Begins the ledger of a run at `path` at the time `time`, in Unix seconds, with the statement of what is run.
///
/// # Errors
/// As [`Session::create`] and [`Session::record_statement`].
pub fn begin_ledger(
    path: &Path,
    statement: &RunStatement,
    time: u64,
) -> Result<Session, AblationError> {
    let (mut session, _) = Session::create(path, RuleSet::without_policies()?, time)?;
    record_statement(&mut session, RUN, statement)?;
    Ok(session)
}

/// Opens the ledger of a run that was stopped, records that the run goes on with calls that are made as `transport`
/// says, and reads what the ledger holds. One that was stopped before anything was asked is begun.
///
/// # Errors
/// As [`Session::open`] and [`LedgerAnswers::read`]; [`AblationError::ForeignLedger`] for a ledger that
/// was begun for other arms or under another header than `statement` has.
pub fn resume_ledger(
    path: &Path,
    statement: &RunStatement,
    transport: Option<TransportSettings>,
    time: u64,
) -> Result<(Session, LedgerAnswers), AblationError> {
    let mut session = match Session::open(path, None) {
        Ok(session) => session,
        Err(LedgerError::NoObservations(_)) => {
            let session = begin_ledger(path, statement, time)?;
            return Ok((session, LedgerAnswers::read(path)?));
        }
        Err(error) => return Err(error.into()),
    };
    let mut answers = LedgerAnswers::read(path)?;
    let count = answers.answer_count();
    match answers.statement() {
        None if count == 0 => record_statement(&mut session, RUN, statement)?,
        Some(found)
            if (&found.arms, &found.header, &found.plan)
                == (&statement.arms, &statement.header, &statement.plan) =>
        {
            let goes_on = ResumeStatement {
                answers: count,
                base_url: statement.base_url.clone(),
                transport,
            };
            record_statement(&mut session, RESUME, &goes_on)?;
        }
        found => {
            let found = found.map_or_else(|| "nothing".to_owned(), describe_plan);
            return Err(AblationError::ForeignLedger {
                path: path.to_owned(),
                reason: format!(
                    "was begun for {found}, and what is to go on is {}; give the options that it was begun with",
                    describe_plan(statement)
                ),
            });
        }
    }
    answers.drop_failure();
    Ok((session, answers))
}

/// Describes what is run in words.
fn describe_plan(statement: &RunStatement) -> String {
    let arms: Vec<&str> = statement.arms.iter().map(|arm| arm.as_str()).collect();
    let arms = match arms.as_slice() {
        [] => "a calibration".to_owned(),
        arms => format!("the arms {}", arms.join(", ")),
    };
    let header = &statement.header;
    match &statement.plan {
        None => format!("{arms} under the header with SHA-256 {header}"),
        Some(plan) => {
            format!(
                "{arms} under the header with SHA-256 {header} and the plan with SHA-256 {plan}"
            )
        }
    }
}

/// The answers of a ledger, and after them those of an oracle.
pub struct ResumedAnswers {
    recorded: LedgerAnswers,
    oracle: RecordingOracle,
    /// How far the ledgers of the other arms have come, to be recorded before the next seed's first question.
    heads: Option<Vec<ArmHead>>,
}

impl ResumedAnswers {
    /// Gives the answers of `recorded`, then asks `oracle`, which records in the same ledger.
    #[must_use]
    pub fn new(recorded: LedgerAnswers, oracle: RecordingOracle) -> ResumedAnswers {
        let oracle = oracle.behind(recorded.facts().clone());
        ResumedAnswers {
            recorded,
            oracle,
            heads: None,
        }
    }

    /// Takes how far the ledgers of the other arms have come. It is recorded before the next seed's first question,
    /// unless the ledger holds that statement already.
    pub fn set_heads(&mut self, heads: Vec<ArmHead>) {
        self.heads = Some(heads);
    }

    /// As [`RecordingOracle::expect_seed`].
    pub(crate) fn expect_seed(&mut self, seed: u64, exchanges: SeedExchanges) {
        self.oracle.expect_seed(seed, exchanges);
    }

    /// As [`RecordingOracle::end_asking`].
    pub(crate) fn end_asking(&mut self) {
        self.oracle.end_asking();
    }

    /// The texts of the ledger's answers that have not been asked for.
    pub(crate) fn list_recorded_texts(&self) -> Vec<Result<String, MissingText>> {
        self.recorded.list_texts()
    }

    /// Records that the experiment is over, and how far the ledgers of the other arms have come.
    ///
    /// # Errors
    /// As [`RecordingOracle::record_heads`].
    pub fn close(&mut self, heads: Vec<ArmHead>) -> Result<(), AblationError> {
        self.oracle
            .record_heads(&HeadsStatement { heads, seed: None })
    }

    /// As [`RecordingOracle::report_durable_to`].
    pub fn report_durable_to(&mut self, watch: DurableWatch) {
        self.oracle.report_durable_to(watch);
    }

    /// Makes what was recorded durable, and gives how far the ledger of this arm, `arm`, has come.
    ///
    /// # Errors
    /// As [`RecordingOracle::sync`].
    pub fn sync(&mut self, arm: Variant) -> Result<ArmHead, AblationError> {
        let reached = self.oracle.sync()?;
        Ok(ArmHead {
            arm,
            entries: reached.entries,
            head: hex(&reached.head),
        })
    }

    /// How many answers of the ledger have not been asked for.
    #[must_use]
    pub fn recorded_count(&self) -> u64 {
        self.recorded.unasked_count() as u64
    }

    /// The oracle.
    #[must_use]
    pub fn into_oracle(self) -> RecordingOracle {
        self.oracle
    }
}

impl AnswerSource for ResumedAnswers {
    fn ask(&mut self, question: &Question) -> Result<Option<ReceivedAnswer>, AblationError> {
        match self.recorded.remaining() {
            0 => self.oracle.ask(question),
            _ => self.recorded.ask(question),
        }
    }

    fn begin_seed(&mut self, seed: u64) -> Result<(), AblationError> {
        self.oracle.begin_seed(seed);
        match (self.recorded.remaining(), self.heads.take()) {
            (0, Some(heads)) => self.oracle.record_heads(&HeadsStatement {
                heads,
                seed: Some(seed),
            }),
            (0, None) => Ok(()),
            _ => self.recorded.begin_seed(seed),
        }
    }
}
