//! The report of a run: the verdict on the session, its metrics, and two plots. The report is computed from
//! the rest of the run's directory alone, so that replay can recompute and compare it.
//!
//! | file | what it holds |
//! |---|---|
//! | `earlier.rs` | the report that is in the run's directory already, and where it contradicts the run |
//! | `closure.rs` | the verdict: whether the session closes positive, and the reasons if not |
//! | `evidence.rs` | what the verdict rests on: who answered, how many cycles, what was customised |
//! | `metric_list.rs` | a condition's metrics, with their names and values, for all writers |
//! | `condition.rs` | a condition's section of `report.md` |
//! | `json.rs` | `report.json` |
//! | `markdown.rs` | `report.md` |
//! | `plots.rs` | `decisions.svg`, `tokens.svg` |

mod closure;
mod condition;
mod earlier;
mod evidence;
mod json;
mod markdown;
mod metric_list;
mod plots;

use std::collections::BTreeMap;
use std::io;

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;

use super::document::to_line;
use super::kernel::Constitution;
use super::log::{RunDirectory, SessionMetadata, read_file, temporary_name};
use super::metrics::Metrics;
use super::replay::{CycleId, ReplayFinding, RunReplay, files, replay_run};
use super::review::{Review, read_review};
use crate::X0lError;

pub use closure::{
    Closure, ClosureReason, FLOOR_PERCENT, list_forensic_reviews, list_open_reviews,
};
pub(crate) use earlier::EarlierReport;
pub use evidence::SessionEvidence;

/// The format of `report.json`.
const FORMAT: &str = "X0L:REPORT:v4";
/// The file name of the report for machines.
pub const JSON: &str = "report.json";
/// The file name of the report for people.
pub const MARKDOWN: &str = "report.md";
/// The file name of the plot of decisions.
pub const DECISIONS: &str = "decisions.svg";
/// The file name of the plot of tokens.
pub const TOKENS: &str = "tokens.svg";

/// The report of a run, with the replay that it rests on.
pub struct RunReport {
    /// The replay of the run.
    pub replay: RunReplay,
    /// The metrics of the cycles.
    pub metrics: Metrics,
    /// The judgements of a person.
    pub review: Review,
    /// What the verdict rests on; `None` where the metadata cannot be read.
    pub evidence: Option<SessionEvidence>,
    /// The verdict.
    pub closure: Closure,
    /// The reasons for which the verdict is not positive.
    pub reasons: Vec<ClosureReason>,
    /// The bytes of the report's files by their names; empty where the metadata cannot be read.
    pub files: BTreeMap<&'static str, Vec<u8>>,
}

/// Everything that the writers of the report's files read.
struct ReportInputs<'m> {
    replay: &'m RunReplay,
    metadata: &'m SessionMetadata,
    metrics: &'m Metrics,
    review: &'m Review,
    constitution: Option<&'m Constitution>,
    evidence: &'m SessionEvidence,
}

/// What the caller knows of a run from elsewhere, where the writer of the directory cannot change it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunExpectations {
    /// The head of the run's ledger.
    pub head: Option<Hash>,
    /// The head of the review.
    pub review_head: Option<Hash>,
}

/// Replays a run and builds its report, without writing it.
///
/// # Errors
/// As [`replay_run`].
pub fn build_report(run: &RunDirectory) -> Result<RunReport, X0lError> {
    build_expected_report(run, &RunExpectations::default())
}

/// Replays a run that should be as `expected`, and builds its report, without writing it. What is not as
/// expected is among [`RunReplay::conflicts`].
///
/// # Errors
/// As [`replay_run`].
pub fn build_expected_report(
    run: &RunDirectory,
    expected: &RunExpectations,
) -> Result<RunReport, X0lError> {
    let mut metrics = Metrics::default();
    let mut replay = replay_run(run, &mut |cycle| metrics.add_cycle(cycle))?;
    let reviewable = list_reviewable_cycles(&metrics);
    let review = read_review(run, &reviewable, &mut replay)?;
    check_heads(expected, &review, &mut replay);
    remove_other_files(run, &review, &mut replay)?;
    let mut report = rebuild(run, replay, metrics, review);
    let conflicts = find_conflicts(run, &report)?;
    if !conflicts.is_empty() {
        for conflict in conflicts {
            report.replay.add_conflict(conflict);
        }
        report.reasons = closure::collect_reasons(
            &report.replay,
            &report.metrics,
            &report.review,
            report.evidence.as_ref(),
        );
        report.closure = Closure::Diverged;
    }
    Ok(report)
}

/// Finds where the report in the run's directory contradicts the run, whose report is `rebuilt`.
fn find_conflicts(run: &RunDirectory, rebuilt: &RunReport) -> Result<Vec<ReplayFinding>, X0lError> {
    let Some(json) = rebuilt.files.get(JSON) else {
        return Ok(Vec::new());
    };
    // The bytes are those of a value, so that they hold one.
    let value = serde_json::from_slice(json).unwrap_or_default();
    let earlier = EarlierReport::read(run)?;
    let mut conflicts = earlier.find_conflicts(run, &rebuilt.replay, &rebuilt.review, &value);
    let interrupted = run.path().join(temporary_name(JSON)).exists();
    if !interrupted && earlier.has_bytes(json) {
        // The same report for machines has the same page and plots.
        for (name, expected) in &rebuilt.files {
            match read_optional_file(run, name)? {
                Some(found) if found != *expected => {
                    conflicts.push(locate_difference(name, &found, expected));
                }
                _ => {}
            }
        }
    }
    Ok(conflicts)
}

/// Reads a file of the report, if it exists.
fn read_optional_file(run: &RunDirectory, name: &str) -> Result<Option<Vec<u8>>, X0lError> {
    match read_file(&run.path().join(name)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(X0lError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Compares the heads of the run's ledger and of its review with those that the caller expects.
fn check_heads(expected: &RunExpectations, review: &Review, replay: &mut RunReplay) {
    let (head, review_head) = (
        Some(replay.head),
        (review.entries > 0).then_some(review.head),
    );
    for (file, found, expected) in [
        (RunDirectory::LEDGER, head, expected.head),
        (RunDirectory::REVIEW, review_head, expected.review_head),
    ] {
        if let Some(expected) = expected.filter(|expected| found != Some(*expected)) {
            let found = found.map_or("none".to_owned(), |found| hex(&found));
            let finding = ReplayFinding::new(file, "the head", found, hex(&expected));
            replay.add_conflict(finding);
        }
    }
}

/// Takes the files of the review and of the report from the files that belong to no part of the run, and
/// adds a finding for each that is left.
fn remove_other_files(
    run: &RunDirectory,
    review: &Review,
    replay: &mut RunReplay,
) -> Result<(), X0lError> {
    let path = run.review();
    if review.entries > 0 {
        files::check_blobs(run, &path, &review.named, &mut replay.findings)?;
        replay.others.remove(RunDirectory::REVIEW);
        for name in files::blob_names(run, &path, &review.named) {
            replay.others.remove(&name);
        }
    }
    for name in [JSON, MARKDOWN, DECISIONS, TOKENS] {
        replay.others.remove(name);
    }
    // The temporary_name file exists while a report is being written.
    if replay.others.remove(&temporary_name(JSON)) {
        for name in [MARKDOWN, DECISIONS, TOKENS] {
            replay.others.remove(&temporary_name(name));
        }
    }
    for name in std::mem::take(&mut replay.others) {
        let expected = "no file but those of a run";
        let finding = ReplayFinding::new(name, "", "a file", expected);
        replay.findings.push(finding);
    }
    Ok(())
}

/// Builds the report of a replayed and reviewed run.
fn rebuild(run: &RunDirectory, replay: RunReplay, metrics: Metrics, review: Review) -> RunReport {
    let metadata = replay.metadata.as_ref();
    let constitution = metadata.and_then(|metadata| read_constitution(run, metadata));
    let evidence = metadata
        .map(|metadata| SessionEvidence::gather(run, metadata, &metrics, constitution.as_ref()));
    let reasons = closure::collect_reasons(&replay, &metrics, &review, evidence.as_ref());
    let weightiest = reasons.first();
    let closure = weightiest.map_or(Closure::Positive, |reason| reason.closure);
    let mut files = BTreeMap::new();
    if let (Some(metadata), Some(evidence)) = (metadata, &evidence) {
        let inputs = ReportInputs {
            replay: &replay,
            metadata,
            metrics: &metrics,
            review: &review,
            constitution: constitution.as_ref(),
            evidence,
        };
        let report = json::write_json(&inputs, closure, &reasons);
        files.insert(JSON, to_line(&report));
        let page = markdown::write_page(&inputs, closure, &reasons);
        files.insert(MARKDOWN, page.into_bytes());
        let frozen = &metadata.frozen;
        let plot = plots::draw_decisions(&metrics, frozen);
        files.insert(DECISIONS, plot.into_bytes());
        let plot = plots::draw_tokens(&metrics, frozen);
        files.insert(TOKENS, plot.into_bytes());
    }
    RunReport {
        replay,
        metrics,
        review,
        evidence,
        closure,
        reasons,
        files,
    }
}

/// Lists the cycles that a person may judge: Type III refusals, and actions on injections.
#[must_use]
pub fn list_reviewable_cycles(metrics: &Metrics) -> Vec<CycleId> {
    let mut cycles = metrics.type_iii();
    cycles.extend(&metrics.acted_on_injections);
    cycles.sort_by_key(|cycle| cycle.number);
    cycles
}

fn read_constitution(run: &RunDirectory, metadata: &SessionMetadata) -> Option<Constitution> {
    let bytes = read_file(&run.input(&metadata.frozen.constitution.name)).ok()?;
    Constitution::parse(std::str::from_utf8(&bytes).ok()?).ok()
}

/// Replays a run, builds its report and writes that into the run's directory, but not where the run contradicts
/// the report that is there ([`RunReplay::conflicts`]).
///
/// # Errors
/// As [`build_report`]; [`X0lError::Log`] where the metadata cannot be read, so that there is nothing to report on.
pub fn write_report(run: &RunDirectory) -> Result<RunReport, X0lError> {
    write_expected_report(run, &RunExpectations::default())
}

/// Does the same as [`write_report`] for a run that should be as `expected`: the report is not written where
/// the run is not.
///
/// # Errors
/// As [`write_report`].
pub fn write_expected_report(
    run: &RunDirectory,
    expected: &RunExpectations,
) -> Result<RunReport, X0lError> {
    let report = build_expected_report(run, expected)?;
    if !report.replay.conflicts.is_empty() {
        return Ok(report);
    }
    if report.files.is_empty() {
        run.read_metadata()?;
    }
    // report.json is begun first and gets its name last, so that an interruption shows.
    let files = report.files.iter();
    let (json, others): (Vec<_>, Vec<_>) = files.partition(|(name, _)| **name == JSON);
    for (name, bytes) in &json {
        run.write_temporary(name, bytes)?;
    }
    for (name, bytes) in others {
        run.replace(name, bytes)?;
    }
    for (name, _) in json {
        run.publish(name)?;
    }
    Ok(report)
}

/// Compares the report in the run's directory, if there is one, with the rebuilt one, and adds the findings
/// and notes to its replay.
///
/// # Errors
/// [`FileError::Io`].
pub fn check_report(run: &RunDirectory, report: &mut RunReport) -> Result<(), X0lError> {
    let RunReport { replay, files, .. } = report;
    if replay.is_good() && EarlierReport::read(run)?.has_other_format() {
        let note = "the report has an earlier format and was not compared: `axilog x0l report DIR` makes it again";
        replay.notes.push(note.to_owned());
        return Ok(());
    }
    let mut missing = Vec::new();
    let mut findings = Vec::new();
    for (name, expected) in files.iter() {
        match read_optional_file(run, name)? {
            None => missing.push(ReplayFinding::missing(*name)),
            Some(found) if found == *expected => {}
            Some(found) => findings.push(locate_difference(name, &found, expected)),
        }
    }
    // An interruption excuses a missing file, but no difference in an existing one.
    if run.path().join(temporary_name(JSON)).exists() {
        let note = "writing the report was interrupted: `axilog x0l report DIR` makes it again";
        replay.notes.push(note.to_owned());
    } else if missing.len() == files.len() {
        let note = "there is no report yet: `axilog x0l report DIR` makes it";
        replay.notes.push(note.to_owned());
    } else if replay.is_good() {
        findings.append(&mut missing);
    }
    if replay.is_good() {
        replay.findings.append(&mut findings);
    } else if !findings.is_empty() && replay.conflicts.is_empty() {
        // The report was written from a good run; a rebuilt one counts the differences too.
        let note = "the report was not compared, since the rest is not good";
        replay.notes.push(note.to_owned());
    }
    Ok(())
}

/// A finding that names the first byte in which a file of the report differs from the rebuilt one.
fn locate_difference(name: &str, found: &[u8], expected: &[u8]) -> ReplayFinding {
    let pairs = found.iter().zip(expected);
    let equal = pairs.take_while(|(a, b)| a == b).count();
    let before = found.iter().take(equal);
    let line_feeds = before.filter(|byte| **byte == b'\n').count();
    let what = "other bytes than are made from the rest of the run";
    let expected = "those, as `axilog x0l report` writes them";
    ReplayFinding::new(name, format!("byte {equal}"), what, expected).on_line(line_feeds as u64 + 1)
}
