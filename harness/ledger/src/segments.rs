//! A ledger file in segments: each is verified or replayed by any process that has the file, and one joins what they found.
//!
//! formats.md §6 (verification verdicts, replay); SRS-004 §13. Determinism: D2.

use std::path::Path;

use crate::error::{FileError, LedgerError};
use crate::ledger_input::open_ledger;
use crate::replay::{ReplayReport, find_rules, replay_by};
use crate::rules::ExpectedRules;
use crate::verify::segment::{JoinError, SegmentFacts, examine_segment, join_segments};
use crate::verify::{LedgerExpectations, VerificationReport, look_until_settled};

/// What is done with a ledger.
#[derive(Clone, Copy)]
pub enum SegmentCheck<'e> {
    /// It is verified.
    Verification,
    /// It is replayed under the rules that it names, of which this is known.
    Replay(ExpectedRules<'e>),
}

/// Why segments of a ledger file cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum SegmentsError {
    /// The ledger or its rules cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// What was found of a segment is of something else.
    #[error(transparent)]
    Join(JoinError),
}

/// Verifies or replays the segment of the ledger file at `path` that [`examine_segment`] describes.
///
/// # Errors
/// [`FileError::Io`]. A bad ledger, and rules that are missing, are no errors: the one that joins finds them.
pub fn check_segment(
    path: &Path,
    from: u64,
    to: u64,
    check: SegmentCheck<'_>,
    expected: &LedgerExpectations,
) -> Result<SegmentFacts, LedgerError> {
    let mut source = open_ledger(path)?;
    let rules = match check {
        SegmentCheck::Verification => None,
        SegmentCheck::Replay(rules) => find_rules(&mut source, path, rules)?,
    };
    let facts = examine_segment(&mut source, from, to, rules.as_ref(), expected);
    Ok(facts.map_err(FileError::from_io(path, "read the ledger"))?)
}

/// Joins the segments of the ledger file at `path` that were verified, and verifies what they leave out. The report is that
/// of a verification of the file in one pass.
///
/// # Errors
/// [`FileError::Io`]; [`JoinError::OtherSubject`].
pub fn verify_in_segments(
    path: &Path,
    facts: &[SegmentFacts],
    expected: &LedgerExpectations,
) -> Result<VerificationReport, SegmentsError> {
    let doubt = |verified: &VerificationReport| verified.fault.as_ref().map(ToString::to_string);
    look_until_settled(
        &mut open_ledger(path).map_err(LedgerError::from)?,
        doubt,
        |source| join_segments(source, facts, None, expected).map_err(|error| told_of(path, error)),
    )
}

/// Joins the segments of the ledger file at `path` that were replayed, and replays what they leave out. The report is that
/// of [`crate::replay::replay_ledger`].
///
/// # Errors
/// Those of [`crate::replay::replay_ledger`]; [`JoinError::OtherSubject`].
pub fn replay_in_segments(
    path: &Path,
    facts: &[SegmentFacts],
    rules: ExpectedRules<'_>,
    expected: &LedgerExpectations,
) -> Result<ReplayReport, SegmentsError> {
    let mut source = open_ledger(path).map_err(LedgerError::from)?;
    replay_by(&mut source, path, rules, |source, rules| {
        join_segments(source, facts, rules, expected).map_err(|error| told_of(path, error))
    })
}

/// An error about the file at `path`.
fn told_of(path: &Path, error: JoinError) -> SegmentsError {
    match error {
        JoinError::Io(error) => {
            LedgerError::from(FileError::from_io(path, "read the ledger")(error)).into()
        }
        JoinError::OtherSubject { .. } => SegmentsError::Join(error),
    }
}
