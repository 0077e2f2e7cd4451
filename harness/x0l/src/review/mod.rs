//! People's judgements on Type III refusals and on actions on injections (Q16, Q46, Q57; D1).
//!
//! The run's ledger is sealed and takes no further records, so that judgements are in a ledger of their own,
//! `review.jsonl`. Its first statement names the run; each further one is a judgement, with who made it and why.
//! The report names the head of this ledger, so that a judgement cannot disappear unnoticed.
//!
//! | file | what it holds |
//! |---|---|
//! | `statement.rs` | what a person says of a cycle |
//! | `ledger.rs` | the ledger of the statements, read as far as it is good |

mod ledger;
mod statement;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};

use super::document::{self, DocumentError, to_text};
use super::log::RunDirectory;
use super::replay::files::require_rules;
use super::replay::noted_head::NotedHead;
use super::replay::{CycleId, ReplayFinding, RunReplay};
use super::report::EarlierReport;
use crate::X0lError;
use ledger::{ReviewRecord, has_statement, read_ledger};
use statement::{
    EARLIER_ORACLE, MODEL, ORACLE, OpeningStatement, check_statement, parse_statement,
};

pub use statement::{Judgement, ReviewStatement};

/// The statements of all reviewers on a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// The statements on each cycle, by the cycle's number: the last one of each person, oldest first.
    pub statements: BTreeMap<u64, Vec<ReviewStatement>>,
    /// The number of records in the ledger; 0 where there is no ledger.
    pub entries: u64,
    /// The chain value of the last record.
    pub head: Hash,
    /// The blobs that the observations name by hash.
    pub named: BTreeSet<Hash>,
}

impl Review {
    /// The judgement that counts on a cycle; `None` where nobody has judged the cycle.
    ///
    /// A confirmation counts until the person who made it dismisses the cycle: another person's dismissal does
    /// not outweigh it. A dismissal without a name or a reason does not count.
    #[must_use]
    pub fn judgement(&self, cycle: u64) -> Option<Judgement> {
        let statements = self.statements.get(&cycle)?;
        let counts = |statement: &&ReviewStatement| {
            statement.judgement == Judgement::Confirmed
                || !statement.by.is_empty() && !statement.because.is_empty()
        };
        let judgements = statements.iter().filter(counts);
        judgements
            .map(|statement| statement.judgement)
            .min_by_key(|judgement| *judgement != Judgement::Confirmed)
    }

    /// Adds a statement, in place of the same person's earlier one on the cycle.
    fn add(&mut self, statement: ReviewStatement) {
        let statements = self.statements.entry(statement.cycle).or_default();
        statements.retain(|earlier| earlier.by != statement.by);
        statements.push(statement);
    }
}

/// Records statements durably in the review of a run.
///
/// # Errors
/// As [`Session::open`] and [`Session::observe`]; [`LedgerError::InvalidInput`] for a name or a reason that is
/// missing, that no record may hold, or that is longer than 1024 or 4096 bytes.
pub fn record_statements(
    run: &RunDirectory,
    statements: &[ReviewStatement],
    now: u64,
) -> Result<(), X0lError> {
    let path = run.review();
    let refused = |reason| LedgerError::InvalidInput {
        path: "what the reviewer says".into(),
        reason,
    };
    for statement in statements {
        check_statement(statement).map_err(refused)?;
    }
    let Some(first) = statements.first() else {
        return Ok(());
    };
    let opening = OpeningStatement { run: first.run };
    let mut texts: Vec<String> = statements.iter().map(to_text).collect();
    for text in &texts {
        CanonicalInput::new(text.as_bytes(), InputKind::Json).map_err(refused)?;
    }
    let mut session = match Session::open(&path, None) {
        Err(LedgerError::NoObservations(_)) => begin_review(run, now)?,
        Err(LedgerError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            begin_review(run, now)?
        }
        opened => opened?,
    };
    // A review that was interrupted at its beginning, or is of the earlier format, has no opening yet.
    if !has_statement(run)? {
        texts.insert(0, to_text(&opening));
    }
    for text in &texts {
        let call = OracleCall {
            oracle_id: ORACLE.to_owned(),
            model_id: MODEL.to_owned(),
            params: Params::NULL,
            input: CanonicalInput::new(b"", InputKind::Text).map_err(refused)?,
        };
        session.observe(&call, OracleReply::Answer(text.as_bytes()))?;
    }
    Ok(())
}

fn begin_review(run: &RunDirectory, now: u64) -> Result<Session, X0lError> {
    let rules = RuleSet::without_policies()?;
    let (session, _) = Session::create(&run.review(), rules, now)?;
    Ok(session)
}

/// Reads the review of the run that `replay` has replayed, and adds its findings to the replay: a statement
/// on another run, or on a cycle that is not among `reviewable`, and a head that the report has seen and the
/// review does not have.
///
/// # Errors
/// [`FileError::Io`].
pub fn read_review(
    run: &RunDirectory,
    reviewable: &[CycleId],
    replay: &mut RunReplay,
) -> Result<Review, X0lError> {
    let mut noted = NotedHead::new(EarlierReport::read(run)?.review_head());
    let Some(ledger) = read_ledger(run, &mut noted)? else {
        if noted.is_some() {
            let expected = "the review whose head report.json has seen";
            let found = "no such file";
            replay.add_conflict(ReplayFinding::new(
                RunDirectory::REVIEW,
                "",
                found,
                expected,
            ));
        }
        return Ok(Review::default());
    };
    let (ledger, rest) = match ledger {
        Ok(ledger) => (Ok(ledger.replayed), Some((ledger.records, ledger.named))),
        Err(error) => (Err(error), None),
    };
    let replayed = require_rules(run, RunDirectory::REVIEW, ledger, &mut replay.findings)?;
    let (Some(replayed), Some((records, named))) = (replayed, rest) else {
        return Ok(Review::default());
    };
    let mut review = Review {
        entries: replayed.verification.replay.entries(),
        head: replayed.verification.replay.ledger().head,
        named,
        ..Review::default()
    };
    if let Some(fault) = &replayed.verification.fault {
        let field = format!("record {} at byte {}", fault.sequence, fault.offset);
        let found = format!("{}: {}", fault.verdict.as_str(), fault.reason);
        let finding = ReplayFinding::new(RunDirectory::REVIEW, field, found, "a good record");
        replay.findings.push(finding);
    }
    if let Some(missing) = noted.missing(RunDirectory::REVIEW, review.entries) {
        replay.add_conflict(missing);
    }
    let statements = records.iter().filter(|record| !record.is_control());
    for (n, record) in statements.enumerate() {
        match read_statement(record, n == 0, &replay.head, reviewable) {
            Ok(statement) => statement.into_iter().for_each(|it| review.add(it)),
            Err((found, expected)) => {
                let field = format!("record {}", record.seq);
                let finding = ReplayFinding::new(RunDirectory::REVIEW, field, found, expected);
                replay.findings.push(finding);
            }
        }
    }
    Ok(review)
}

/// Reads a statement on the run with the head `head`; `None` for the one that opens the review, which is
/// the first. Where it is something else, gives what was found and what was expected.
fn read_statement(
    record: &ReviewRecord,
    is_first: bool,
    head: &Hash,
    reviewable: &[CycleId],
) -> Result<Option<ReviewStatement>, (String, String)> {
    let expected = "a whole observation of a reviewer";
    let earlier = record.oracle == EARLIER_ORACLE;
    if !record.complete || !earlier && record.oracle != ORACLE {
        let found = format!("an observation of {:?}", record.oracle);
        return Err((found, expected.to_owned()));
    }
    let other_run = |run: &Hash| {
        let found = format!("a statement on the run with the head {}", hex(run));
        (found, format!("one on this run, {}", hex(head)))
    };
    if is_first && !earlier {
        let opening = document::read::<OpeningStatement>(record.text.as_bytes());
        let refused = |error: DocumentError| (error.to_string(), "the run's head".to_owned());
        let opening = opening.map_err(refused)?;
        return match opening.run == *head {
            true => Ok(None),
            false => Err(other_run(&opening.run)),
        };
    }
    let statement = parse_statement(&record.text, earlier);
    let statement = statement.map_err(|found| (found, "what a reviewer says".to_owned()))?;
    if statement.run != *head {
        return Err(other_run(&statement.run));
    }
    if !reviewable.iter().any(|id| id.number == statement.cycle) {
        let found = format!("a statement on cycle {}", statement.cycle);
        let expected = "one on a Type III refusal or an action on an injection";
        return Err((found, expected.to_owned()));
    }
    Ok(Some(statement))
}
