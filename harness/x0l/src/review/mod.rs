//! People's judgements on Type III refusals and on actions on injections (Q16, Q46, Q57; D1).
//!
//! The run's ledger is sealed and takes no further records, so that judgements are in a ledger of their own,
//! `review.jsonl`. Its first statement names the run; each further one is a judgement, with who made it and why.
//! The report names the head of this ledger, so that a judgement cannot disappear unnoticed.
//!
//! | file | what it holds |
//! |---|---|
//! | `statement.rs` | what a person says of a cycle |
//! | `sighting.rs` | what was known of the attempts under the plan, at a later time |
//! | `agreement.rs` | how far reviewers agree |
//! | `recording.rs` | statements added to the review |
//! | `ledger.rs` | the ledger of the statements, read as far as it is good |

mod agreement;
mod ledger;
mod recording;
mod sighting;
mod statement;

use std::collections::BTreeSet;

use axilog::hash::Hash;
use axilog::replay::Verdict;
use axilog_ledger::encoding::hex;

use super::document::{self, DocumentError};
use super::log::noted_report::NotedReport;
use super::log::{FrozenSettings, RunDirectory};
use super::replay::files::require_rules;
use super::replay::noted_head::NotedHead;
use super::replay::{CycleId, ReplayFinding, RunReplay};
use crate::error::X0lError;
use agreement::compare_reviewers;
use ledger::{ReviewRecord, read_ledger};
use statement::{EARLIER_ORACLE, ORACLE, OpeningStatement, parse_statement};

pub use agreement::ReviewerAgreement;
pub use recording::{record_sighting, record_statements};
pub use sighting::AttemptSighting;
pub use statement::{Judgement, ReviewStatement};

/// The statements of all reviewers on a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// The statements, oldest first, each with the place of its record in the ledger.
    statements: Vec<(u64, ReviewStatement)>,
    /// What was seen of the attempts under the plan, and of the corrections, in the same way.
    sightings: Vec<(u64, AttemptSighting)>,
    /// The number of records in the ledger; 0 where there is no ledger.
    pub entries: u64,
    /// The chain value of the last record.
    pub head: Hash,
    /// The chain value of each record.
    heads: Vec<Hash>,
    /// The blobs that the observations name by hash.
    pub named: BTreeSet<Hash>,
}

/// A statement, and whether it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingStatement<'r> {
    /// The statement.
    pub statement: &'r ReviewStatement,
    /// Whether it is the person's last one on the cycle.
    pub stands: bool,
}

impl Review {
    /// The statements on a cycle, oldest first. One that its author has replaced stays among them.
    #[must_use]
    pub fn statements(&self, cycle: u64) -> Vec<StandingStatement<'_>> {
        let on_cycle = self.statements.iter().map(|(_, statement)| statement);
        let on_cycle: Vec<&ReviewStatement> = on_cycle.filter(|it| it.cycle == cycle).collect();
        let stands = |(n, statement): (usize, &&ReviewStatement)| {
            let later = on_cycle.iter().skip(n + 1);
            !later.into_iter().any(|later| later.by == statement.by)
        };
        let statements = on_cycle.iter().enumerate();
        statements
            .map(|(n, statement)| StandingStatement {
                statement,
                stands: stands((n, statement)),
            })
            .collect()
    }

    /// The judgement that counts on a cycle; `None` where nobody has judged the cycle.
    ///
    /// A confirmation counts until the person who made it dismisses the cycle: another person's dismissal does
    /// not outweigh it. A dismissal without a name or a reason does not count.
    #[must_use]
    pub fn judgement(&self, cycle: u64) -> Option<Judgement> {
        let judgements = self.counting_statements(cycle);
        judgements
            .map(|statement| statement.judgement)
            .min_by_key(|judgement| *judgement != Judgement::Confirmed)
    }

    /// The statements on a cycle that stand and count.
    fn counting_statements(&self, cycle: u64) -> impl Iterator<Item = &ReviewStatement> {
        let standing = self.statements(cycle).into_iter().filter(|it| it.stands);
        standing.map(|it| it.statement).filter(|statement| {
            statement.judgement == Judgement::Confirmed
                || !statement.by.is_empty() && !statement.because.is_empty()
        })
    }

    /// Whether a person has said something of a cycle.
    #[must_use]
    pub fn has_judged(&self, by: &str, cycle: u64) -> bool {
        let mut statements = self.statements.iter().map(|(_, statement)| statement);
        statements.any(|it| it.cycle == cycle && it.by == by)
    }

    /// How far those agree who have judged the same cycles, for each two of them.
    #[must_use]
    pub fn agreements(&self) -> Vec<ReviewerAgreement> {
        compare_reviewers(self.judged_cycles().into_iter().map(|cycle| {
            let named = self
                .counting_statements(cycle)
                .filter(|it| !it.by.is_empty());
            named.map(|it| (it.by.as_str(), it.judgement)).collect()
        }))
    }

    /// The cycles that anybody has judged.
    fn judged_cycles(&self) -> BTreeSet<u64> {
        let cycles = self.statements.iter().map(|(_, statement)| statement.cycle);
        cycles.collect()
    }

    /// The confirmations that the person who made them replaced by a dismissal, oldest first.
    #[must_use]
    pub fn withdrawn_confirmations(&self) -> Vec<&ReviewStatement> {
        let mut withdrawn = Vec::new();
        for cycle in self.judged_cycles() {
            let statements = self.statements(cycle);
            let has_dismissed = |by: &str| {
                let mut standing = statements.iter().filter(|it| it.stands);
                standing.any(|StandingStatement { statement, .. }| {
                    statement.by == by && statement.judgement == Judgement::Dismissed
                })
            };
            let confirmed = statements.iter().map(|it| it.statement);
            let confirmed = confirmed.filter(|it| it.judgement == Judgement::Confirmed);
            withdrawn.extend(confirmed.filter(|it| has_dismissed(&it.by)));
        }
        withdrawn
    }

    /// What was seen last of the attempts under a plan, or of the corrections of a run.
    #[must_use]
    pub fn last_sighting(&self, subject: &Hash) -> Option<&AttemptSighting> {
        let mut sightings = self.sightings.iter().rev().map(|(_, sighting)| sighting);
        sightings.find(|sighting| sighting.subject == *subject)
    }

    /// The number of records that the review had when its head was this one, in hexadecimal digits.
    #[must_use]
    pub fn find_entries_at(&self, head: &str) -> Option<u64> {
        let mut heads = (1..).zip(&self.heads);
        heads.find_map(|(entries, known)| (hex(known) == head).then_some(entries))
    }

    /// The review as it was when its ledger had this many records.
    #[must_use]
    pub fn as_of(&self, entries: u64) -> Review {
        if entries >= self.entries {
            return self.clone();
        }
        let statements = self.statements.iter();
        let sightings = self.sightings.iter();
        let head = usize::try_from(entries).ok().and_then(|n| n.checked_sub(1));
        Review {
            statements: statements
                .filter(|(place, _)| *place < entries)
                .cloned()
                .collect(),
            sightings: sightings
                .filter(|(place, _)| *place < entries)
                .cloned()
                .collect(),
            entries,
            head: head
                .and_then(|n| self.heads.get(n))
                .copied()
                .unwrap_or_default(),
            heads: self.heads.clone(),
            named: self.named.clone(),
        }
    }
}

/// Reads the review of the run that `replay` has replayed, and adds its findings to the replay: a statement
/// on another run, or on a cycle that is not among `reviewable`, and a head that the report has seen and the
/// review does not have.
///
/// # Errors
/// [`FileError::Io`](axilog_ledger::error::FileError::Io).
pub fn read_review(
    run: &RunDirectory,
    reviewable: &[CycleId],
    replay: &mut RunReplay,
) -> Result<Review, X0lError> {
    let mut noted = NotedHead::new(NotedReport::read(run)?.review_head());
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
        Ok(ledger) => {
            let rest = (ledger.records, ledger.named, ledger.heads);
            (Ok(ledger.replayed), Some(rest))
        }
        Err(error) => (Err(error), None),
    };
    let replayed = require_rules(run, RunDirectory::REVIEW, ledger, &mut replay.findings)?;
    let (Some(replayed), Some((records, named, heads))) = (replayed, rest) else {
        return Ok(Review::default());
    };
    let mut review = Review {
        entries: replayed.verification.replay.entries(),
        head: replayed.verification.replay.ledger().head,
        named,
        heads,
        ..Review::default()
    };
    if let Some(fault) = &replayed.verification.fault {
        let field = format!("record {} at byte {}", fault.sequence, fault.offset);
        let found = format!("{}: {}", fault.verdict.as_str(), fault.reason);
        let is_interrupted = fault.verdict == Verdict::Torn
            || fault.verdict == Verdict::Truncated && review.entries == 0;
        if is_interrupted {
            // A reviewer was killed before the first record, or in one. A noted head shows what was cut off.
            let note = format!("{}: {field}: {found}", RunDirectory::REVIEW);
            replay.notes.push(note);
        } else {
            let finding = ReplayFinding::new(RunDirectory::REVIEW, field, found, "a good record");
            replay.findings.push(finding);
        }
    }
    if let Some(missing) = noted.missing(RunDirectory::REVIEW, review.entries) {
        replay.add_conflict(missing);
    }
    let statements = records.iter().filter(|record| !record.is_control());
    let frozen = replay.metadata.as_ref().map(|metadata| &metadata.frozen);
    for (n, record) in statements.enumerate() {
        let read = match record.oracle.as_str() {
            sighting::ORACLE if n > 0 => read_sighting(record, frozen, &replay.head)
                .map(|sighting| review.sightings.push((record.seq, sighting))),
            _ => read_statement(record, n == 0, &replay.head, reviewable).map(|statement| {
                let statement = statement.map(|statement| (record.seq, statement));
                review.statements.extend(statement);
            }),
        };
        match read {
            Ok(()) => {}
            Err((found, expected)) => {
                let field = format!("record {}", record.seq);
                let finding = ReplayFinding::new(RunDirectory::REVIEW, field, found, expected);
                replay.findings.push(finding);
            }
        }
    }
    Ok(review)
}

/// Reads what was seen of attempts. Where it is something else, gives what was found and what was expected.
fn read_sighting(
    record: &ReviewRecord,
    frozen: Option<&FrozenSettings>,
    head: &Hash,
) -> Result<AttemptSighting, (String, String)> {
    let expected = "what was seen of attempts".to_owned();
    let read = document::read::<AttemptSighting>(record.text.as_bytes());
    let sighting = read.map_err(|error| (error.to_string(), expected.clone()))?;
    let frozen = frozen.filter(|_| record.complete);
    let frozen = frozen.ok_or_else(|| ("it for no settings".to_owned(), expected))?;
    sighting.check(frozen, head)?;
    Ok(sighting)
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
