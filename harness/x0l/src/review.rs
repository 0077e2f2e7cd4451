//! What a person found on looking at Type III refusals and at actions on injections: a ledger of its own,
//! `review.jsonl` (Q16, Q46, Q57; D1).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;

use axilog::admission::InputKind;
use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Completion, Params};
use axilog::hash::Hash;
use axilog_ledger::decision::text;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::hex;
use axilog_ledger::file::replay::replay;
use axilog_ledger::file::verify::Expected;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{Call, Reply, Session};
use serde::{Deserialize, Serialize};

use super::document::{self, named_enum, to_text};
use super::log::RunDirectory;
use super::replay::files::with_rules;
use super::replay::{Finding, Place};
use crate::X0lError;

/// Who says it.
const ORACLE: &str = "reviewer";
/// In which form.
const MODEL: &str = "X0L:REVIEW:v1";

named_enum! {
    /// What a person says of a finding: a Type III refusal, or an action on an injection.
    pub enum Judgement {
        /// It is one: the session cannot close positive.
        Confirmed = "CONFIRMED",
        /// On inspection it is none.
        Dismissed = "DISMISSED",
    }
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The head of the run's ledger: which run it is about.
    #[serde(with = "document::hash")]
    pub run: Hash,
    /// The cycle's number in the session.
    pub cycle: u64,
    /// What is said of it.
    pub judgement: Judgement,
    /// By whom, if they say.
    pub by: Option<String>,
    /// When, in seconds since 1970.
    pub time: u64,
}

/// What was said so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// The last word on each cycle, by its number.
    pub judgements: BTreeMap<u64, Statement>,
    /// Records of the ledger; 0 where there is none.
    pub entries: u64,
    /// The chain value of the last.
    pub head: Hash,
    /// What it names by hash.
    pub named: BTreeSet<Hash>,
}

/// The longest name of a reviewer, in bytes: a record has room for it, whatever is in it.
const MAX_NAME: usize = 1024;

/// Adds statements, durably.
///
/// # Errors
/// As [`Session::open`] and [`Session::observe`]; [`LedgerError::Input`] for a name that no record may hold,
/// or of more than 1024 bytes.
pub fn add(run: &RunDirectory, statements: &[Statement], now: u64) -> Result<(), X0lError> {
    let path = run.review();
    let refused = |reason| LedgerError::Input {
        path: "what the reviewer says".into(),
        reason,
    };
    let names = statements.iter().filter_map(|one| one.by.as_ref());
    if let Some(length) = names.map(String::len).find(|length| *length > MAX_NAME) {
        let reason = format!("found a name of {length} bytes, expected at most {MAX_NAME}");
        return Err(refused(reason).into());
    }
    let said: Vec<String> = statements.iter().map(to_text).collect();
    for said in &said {
        CanonicalInput::new(said.as_bytes(), InputKind::Json).map_err(refused)?;
    }
    let mut session = match Session::open(&path, None) {
        Err(LedgerError::NotBegun(_)) => begin(run, now)?,
        Err(LedgerError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            begin(run, now)?
        }
        opened => opened?,
    };
    for said in &said {
        let call = Call {
            oracle_id: ORACLE.to_owned(),
            model_id: MODEL.to_owned(),
            params: Params::NULL,
            input: CanonicalInput::new(b"", InputKind::Text).map_err(refused)?,
        };
        session.observe(&call, Reply::Answer(said.as_bytes()))?;
    }
    Ok(())
}

fn begin(run: &RunDirectory, now: u64) -> Result<Session, X0lError> {
    let rules = RuleSet::without_policies()?;
    let (session, _) = Session::begin(&run.review(), rules, now)?;
    Ok(session)
}

/// Reads what was said of the run whose ledger has the head `head`, in which there is something to
/// review at these places.
///
/// # Errors
/// [`FileError::Io`].
pub fn read(
    run: &RunDirectory,
    head: &Hash,
    places: &[Place],
    findings: &mut Vec<Finding>,
) -> Result<Review, X0lError> {
    let path = run.review();
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Review::default()),
        Err(error) => return Err(FileError::at(&path, "open the review")(error).into()),
    };
    let mut review = Review::default();
    let mut said = Vec::new();
    let replayed = replay(file, &path, None, &Expected::default(), &mut |record| {
        if let Some(view) = record.observation {
            review.named.insert(view.input_hash);
            let oracle = text(view.oracle_id);
            said.push((view.ledger_seq, oracle, view.completion, text(view.output)));
        }
    });
    let Some(replayed) = with_rules(run, RunDirectory::REVIEW, replayed, findings)? else {
        return Ok(review);
    };
    let mut found = |field: String, found: String, expected: &str| {
        findings.push(Finding::new(RunDirectory::REVIEW, field, found, expected));
    };
    if let Some(fault) = &replayed.checked.fault {
        let place = format!("record {} at byte {}", fault.sequence, fault.offset);
        let what = format!("{}: {}", fault.verdict.as_str(), fault.reason);
        found(place, what, "a good record");
    }
    review.entries = replayed.checked.replay.entries();
    review.head = replayed.checked.replay.ledger().head;
    for (seq, oracle, completion, output) in said {
        if [CONTROL_ORACLE, TIME_ORACLE].contains(&oracle.as_str()) {
            continue;
        }
        let field = format!("record {seq}");
        if oracle != ORACLE || completion != Completion::Complete {
            found(
                field,
                format!("an observation of {oracle:?}"),
                "a whole one of the reviewer",
            );
            continue;
        }
        let read = document::read::<Statement>(output.as_bytes());
        match read {
            Err(wrong) => found(field, wrong.to_string(), "what a reviewer says"),
            Ok(one) if one.run != *head => {
                let what = format!("a word on the run with the head {}", hex(&one.run));
                found(field, what, &format!("one on this run, {}", hex(head)));
            }
            Ok(one) if !places.iter().any(|place| place.number == one.cycle) => {
                let what = format!("a word on cycle {}", one.cycle);
                found(field, what, "one on a Type III refusal or an action in L-C");
            }
            Ok(one) => {
                review.judgements.insert(one.cycle, one);
            }
        }
    }
    Ok(review)
}
