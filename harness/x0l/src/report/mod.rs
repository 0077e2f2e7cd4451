//! The report of a run: its verdict, what its cycles come to, and two plots. Made from the rest of the
//! directory and nothing else, so that replay makes it again and compares.
//!
//! | file | what it holds |
//! |---|---|
//! | `closure.rs` | whether the session closes positive, and why not |
//! | `condition.rs` | a condition's section of `report.md` |
//! | `json.rs` | `report.json` |
//! | `markdown.rs` | `report.md` |
//! | `plots.rs` | `decisions.svg`, `tokens.svg` |

mod closure;
mod condition;
mod json;
mod markdown;
mod plots;

use std::collections::BTreeMap;
use std::io;

use axilog_ledger::error::FileError;

use super::document::to_line;
use super::kernel::Constitution;
use super::log::{RunDirectory, SessionMetadata, read_file, temporary_name};
use super::metrics::Metrics;
use super::replay::{Finding, Place, Replay, files, replay};
use super::review::{self, Review};
use crate::X0lError;

pub use closure::{Closure, FLOOR_PERCENT, Why, forensic_review};

/// The report for machines.
pub const JSON: &str = "report.json";
/// The report for people.
pub const MARKDOWN: &str = "report.md";
/// The plot of decisions.
pub const DECISIONS: &str = "decisions.svg";
/// The plot of tokens.
pub const TOKENS: &str = "tokens.svg";

/// A run, replayed and reported on.
pub struct Made {
    /// What replay found.
    pub replay: Replay,
    /// What the cycles come to.
    pub metrics: Metrics,
    /// What a person said of them.
    pub review: Review,
    /// The verdict.
    pub closure: Closure,
    /// What keeps it from being positive.
    pub reasons: Vec<Why>,
    /// The report's files by their names; none where the metadata cannot be read.
    pub files: BTreeMap<&'static str, Vec<u8>>,
}

/// What a report is about.
struct Subject<'m> {
    replay: &'m Replay,
    metadata: &'m SessionMetadata,
    metrics: &'m Metrics,
    review: &'m Review,
    constitution: Option<Constitution>,
}

/// Replays a run and makes its report, without writing it.
///
/// # Errors
/// As [`replay`].
pub fn make(run: &RunDirectory) -> Result<Made, X0lError> {
    let mut metrics = Metrics::default();
    let mut replay = replay(run, &mut |cycle| metrics.add(cycle))?;
    let places = reviewable(&metrics);
    let review = review::read(run, &replay.head, &places, &mut replay.findings)?;
    let path = run.review();
    if review.entries > 0 {
        files::blobs(run, &path, &review.named, &mut replay.findings)?;
        replay.others.remove(RunDirectory::REVIEW);
        for name in files::blob_names(run, &path, &review.named) {
            replay.others.remove(&name);
        }
    }
    for name in [JSON, MARKDOWN, DECISIONS, TOKENS] {
        replay.others.remove(name);
    }
    // It is there for as long as a report is being written.
    if replay.others.remove(&temporary_name(JSON)) {
        for name in [MARKDOWN, DECISIONS, TOKENS] {
            replay.others.remove(&temporary_name(name));
        }
    }
    for name in std::mem::take(&mut replay.others) {
        let expected = "no file but those of a run";
        replay
            .findings
            .push(Finding::new(name, "", "a file", expected));
    }
    let reasons = closure::reasons(&replay, &metrics, &review);
    let closure = reasons.first().map_or(Closure::Positive, |why| why.closure);
    let mut files = BTreeMap::new();
    if let Some(metadata) = &replay.metadata {
        let subject = Subject {
            replay: &replay,
            metadata,
            metrics: &metrics,
            review: &review,
            constitution: constitution(run, metadata),
        };
        files.insert(JSON, to_line(&json::report(&subject, closure, &reasons)));
        let page = markdown::report(&subject, closure, &reasons);
        files.insert(MARKDOWN, page.into_bytes());
        let frozen = &metadata.frozen;
        files.insert(DECISIONS, plots::decisions(&metrics, frozen).into_bytes());
        files.insert(TOKENS, plots::tokens(&metrics, frozen).into_bytes());
    }
    Ok(Made {
        replay,
        metrics,
        review,
        closure,
        reasons,
        files,
    })
}

/// The cycles that a person may have a word on: Type III refusals, and actions in L-C.
#[must_use]
pub fn reviewable(metrics: &Metrics) -> Vec<Place> {
    let mut places = metrics.type_iii();
    places.extend(&metrics.admitted);
    places.sort_by_key(|place| place.number);
    places
}

fn constitution(run: &RunDirectory, metadata: &SessionMetadata) -> Option<Constitution> {
    let bytes = read_file(&run.input(&metadata.frozen.constitution.name)).ok()?;
    Constitution::parse(std::str::from_utf8(&bytes).ok()?).ok()
}

/// Replays a run, makes its report and writes it into the run's directory.
///
/// # Errors
/// As [`make`]; [`X0lError::Log`] where the metadata cannot be read, so that there is nothing to report on.
pub fn write(run: &RunDirectory) -> Result<Made, X0lError> {
    let made = make(run)?;
    if made.files.is_empty() {
        run.read_metadata()?;
    }
    // The one for machines is begun first and named last, so that an interruption shows.
    let (json, others): (Vec<_>, Vec<_>) = made.files.iter().partition(|(name, _)| **name == JSON);
    for (name, bytes) in &json {
        run.write_temporary(name, bytes)?;
    }
    for (name, bytes) in others {
        run.replace(name, bytes)?;
    }
    for (name, _) in json {
        run.publish(name)?;
    }
    Ok(made)
}

/// Compares the report in the run's directory with the one that was made again. There may be none.
///
/// # Errors
/// [`FileError::Io`].
pub fn check(run: &RunDirectory, made: &mut Made) -> Result<(), X0lError> {
    let Made { replay, files, .. } = made;
    let mut missing = Vec::new();
    let mut findings = Vec::new();
    for (name, expected) in files.iter() {
        match read_file(&run.path().join(name)) {
            Err(X0lError::File(FileError::Io { source, .. }))
                if source.kind() == io::ErrorKind::NotFound =>
            {
                missing.push(Finding::missing(*name));
            }
            Err(error) => return Err(error),
            Ok(found) if found == *expected => {}
            Ok(found) => {
                let equal = found
                    .iter()
                    .zip(expected)
                    .take_while(|(a, b)| a == b)
                    .count();
                let line = found
                    .iter()
                    .take(equal)
                    .filter(|byte| **byte == b'\n')
                    .count();
                let what = "other bytes than are made from the rest of the run";
                let expected = "those, as `axilog x0l report` writes them";
                let field = format!("byte {equal}");
                let finding = Finding::new(*name, field, what, expected);
                findings.push(finding.on_line(line as u64 + 1));
            }
        }
    }
    // An interruption excuses what is missing, and nothing that is there.
    if run.path().join(temporary_name(JSON)).exists() {
        let note = "writing the report was interrupted: `axilog x0l report DIR` makes it again";
        replay.notes.push(note.to_owned());
    } else if missing.len() == files.len() {
        replay
            .notes
            .push("there is no report yet: `axilog x0l report DIR` makes it".to_owned());
    } else if replay.is_good() {
        findings.append(&mut missing);
    }
    if replay.is_good() {
        replay.findings.append(&mut findings);
    } else if !findings.is_empty() {
        // What is made from something that is not good is not what was made from the good.
        replay
            .notes
            .push("the report was not compared, since the rest is not good".to_owned());
    }
    Ok(())
}
