//! A person's judgements on Type III refusals and on actions in L-C: a ledger of its own, `review.jsonl`
//! (Q16, Q46, Q57; D1).

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use axilog::admission::InputKind;
use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Completion, Params};
use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_ledger::encoding::unescape;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::input_file::open_input_if_present;
use axilog_ledger::replay::replay_ledger;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_ledger::verify::LedgerExpectations;
use serde::{Deserialize, Serialize};

use super::document::{self, to_text};
use super::log::RunDirectory;
use super::replay::files::require_rules;
use super::replay::{CycleId, ReplayFinding};
use crate::X0lError;

/// The oracle id of the statements.
const ORACLE: &str = "reviewer";
/// The model id of the statements, which names their format.
const MODEL: &str = "X0L:REVIEW:v1";

/// A person's judgement on a Type III refusal or on an action in L-C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Judgement {
    /// The cycle is a failure: the session cannot close positive.
    Confirmed,
    /// The cycle is harmless.
    Dismissed,
}

impl Judgement {
    /// The judgement's name in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Judgement::Confirmed => "CONFIRMED",
            Judgement::Dismissed => "DISMISSED",
        }
    }
}

/// A person's statement on a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewStatement {
    /// The head of the run's ledger, which names the run.
    #[serde(with = "document::hash")]
    pub run: Hash,
    /// The cycle's number in the session.
    pub cycle: u64,
    /// The judgement on the cycle.
    pub judgement: Judgement,
    /// The person's name, if given. The attribute requires the member, which may be null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub by: Option<String>,
    /// The time of the statement, in seconds since 1970.
    pub time: u64,
}

/// The statements of all reviewers on a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// The last statement on each cycle, by the cycle's number.
    pub judgements: BTreeMap<u64, ReviewStatement>,
    /// The number of records in the ledger; 0 where there is no ledger.
    pub entries: u64,
    /// The chain value of the last record.
    pub head: Hash,
    /// The blobs that the observations name by hash.
    pub named: BTreeSet<Hash>,
}

/// The longest name of a reviewer, in bytes: a record has room for it, whatever characters it has.
const MAX_NAME: usize = 1024;

/// Records statements durably in the review of a run.
///
/// # Errors
/// As [`Session::open`] and [`Session::observe`]; [`LedgerError::InvalidInput`] for a name that no record may hold,
/// or of more than 1024 bytes.
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
    let names = statements.iter().filter_map(|s| s.by.as_ref());
    if let Some(length) = names.map(String::len).find(|length| *length > MAX_NAME) {
        let reason = format!("found a name of {length} bytes, expected at most {MAX_NAME}");
        return Err(refused(reason).into());
    }
    let texts: Vec<String> = statements.iter().map(to_text).collect();
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

/// Reads the review of the run whose ledger has the head `head`. A statement on another run, or on a cycle
/// that is not among `reviewable`, is a finding.
///
/// # Errors
/// [`FileError::Io`].
pub fn read_review(
    run: &RunDirectory,
    head: &Hash,
    reviewable: &[CycleId],
    findings: &mut Vec<ReplayFinding>,
) -> Result<Review, X0lError> {
    let path = run.review();
    let Some(file) = open_input_if_present(&path, "open the review")? else {
        return Ok(Review::default());
    };
    let mut review = Review::default();
    let mut observations = Vec::new();
    let replayed = replay_ledger(
        file,
        &path,
        None,
        &LedgerExpectations::default(),
        &mut |record| {
            if let Some(view) = record.observation {
                review.named.insert(view.input_hash);
                let oracle = unescape(view.oracle_id);
                observations.push((
                    view.ledger_seq,
                    oracle,
                    view.completion,
                    unescape(view.output),
                ));
            }
        },
    );
    let Some(replayed) = require_rules(run, RunDirectory::REVIEW, replayed, findings)? else {
        return Ok(review);
    };
    let mut add_finding = |field: String, found: String, expected: &str| {
        let finding = ReplayFinding::new(RunDirectory::REVIEW, field, found, expected);
        findings.push(finding);
    };
    if let Some(fault) = &replayed.verification.fault {
        let field = format!("record {} at byte {}", fault.sequence, fault.offset);
        let found = format!("{}: {}", fault.verdict.as_str(), fault.reason);
        add_finding(field, found, "a good record");
    }
    review.entries = replayed.verification.replay.entries();
    review.head = replayed.verification.replay.ledger().head;
    for (seq, oracle, completion, output) in observations {
        if [CONTROL_ORACLE, TIME_ORACLE].contains(&oracle.as_str()) {
            continue;
        }
        let field = format!("record {seq}");
        if oracle != ORACLE || completion != Completion::Complete {
            let found = format!("an observation of {oracle:?}");
            add_finding(field, found, "a whole one of the reviewer");
            continue;
        }
        match parse_statement(&output) {
            Err(found) => add_finding(field, found, "what a reviewer says"),
            Ok(statement) if statement.run != *head => {
                let run = hex(&statement.run);
                let found = format!("a word on the run with the head {run}");
                add_finding(field, found, &format!("one on this run, {}", hex(head)));
            }
            Ok(statement) if !reviewable.iter().any(|id| id.number == statement.cycle) => {
                let found = format!("a word on cycle {}", statement.cycle);
                let expected = "one on a Type III refusal or an action in L-C";
                add_finding(field, found, expected);
            }
            Ok(statement) => {
                review.judgements.insert(statement.cycle, statement);
            }
        }
    }
    Ok(review)
}

/// Parses a statement, or describes what is wrong in it, and where.
fn parse_statement(text: &str) -> Result<ReviewStatement, String> {
    document::read(text.as_bytes()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_read_strictly() {
        let run = "ab".repeat(32);
        let good = format!(
            "{{\"by\":null,\"cycle\":6,\"judgement\":\"CONFIRMED\",\"run\":\"{run}\",\"time\":9}}"
        );
        let statement = parse_statement(&good).unwrap();
        assert_eq!(to_text(&statement), good);
        for (from, to, message) in [
            (
                "\"by\":null,",
                "",
                "by: found nothing, expected this member",
            ),
            ("6", "-1", "cycle: found -1, expected an integer from 0"),
            (
                "CONFIRMED",
                "SEEN",
                "judgement: found \"SEEN\", expected CONFIRMED or DISMISSED",
            ),
            ("ab", "AB", "run: found \"AB"),
            (
                "null",
                "null,\"c\":1",
                "c: found 1, expected no such member",
            ),
            ("null", " null", "found another form of one"),
        ] {
            let error = parse_statement(&good.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
