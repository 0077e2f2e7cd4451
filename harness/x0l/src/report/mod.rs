//! The report of a run: the verdict on the session, its metrics, and two plots. The report is computed from
//! the rest of the run's directory alone, so that replay can recompute and compare it.
//!
//! | file | what it holds |
//! |---|---|
//! | `earlier.rs` | the report that is in the run's directory already, and where it contradicts the run |
//! | `closure.rs` | the verdict: whether the session closes positive, and the reasons if not |
//! | `families.rs` | what came of the injections of L-C, by family |
//! | `evidence.rs` | what the verdict rests on: who answered, how many cycles, what was customised |
//! | `metric_list.rs` | a condition's metrics, with their names and values, for all writers |
//! | `condition.rs` | a condition's section of `report.md` |
//! | `json.rs` | `report.json` |
//! | `markdown.rs` | `report.md` |
//! | `plots.rs` | `decisions.svg`, `tokens.svg` |
//! | `written.rs` | the report in the run's directory: written, and compared with the run |

mod closure;
mod condition;
mod earlier;
mod evidence;
mod families;
mod json;
mod markdown;
mod metric_list;
mod plots;
mod written;

use std::collections::BTreeMap;

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;

use super::document::to_line;
use super::kernel::Constitution;
use super::log::{RunDirectory, SessionMetadata, read_file};
use super::metrics::Metrics;
use super::replay::{CycleId, ReplayFinding, RunReplay, files, replay_run};
use super::review::{Review, read_review};
use crate::X0lError;

pub use closure::{
    Closure, ClosureReason, FLOOR_PERCENT, list_forensic_reviews, list_open_reviews,
};
pub(crate) use earlier::EarlierReport;
pub use evidence::SessionEvidence;
pub use json::write_agreement;
pub use written::{
    build_compared_report, check_report, write_expected_report, write_locked_report, write_report,
};

/// The format of `report.json`.
const FORMAT: &str = "X0L:REPORT:v5";
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
    constitution: Option<Constitution>,
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
    let conflicts = written::find_conflicts(run, &report)?;
    if !conflicts.is_empty() {
        for conflict in conflicts {
            report.replay.add_conflict(conflict);
        }
        (report.closure, report.reasons) = report.judge(&report.review);
    }
    Ok(report)
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
    // What is wrong with the review itself was found as it was read.
    replay.others.remove(RunDirectory::REVIEW);
    if review.entries > 0 {
        files::check_blobs(run, &path, &review.named, &mut replay.findings)?;
        for name in files::blob_names(run, &path, &review.named) {
            replay.others.remove(&name);
        }
    }
    for name in [JSON, MARKDOWN, DECISIONS, TOKENS] {
        replay.others.remove(name);
    }
    for name in written::list_temporary_names(run) {
        replay.others.remove(&name);
    }
    for name in std::mem::take(&mut replay.others) {
        if files::is_left_by_reviewer(&name) {
            let note = format!("{name}: left behind; it counts for nothing");
            replay.notes.push(note);
            continue;
        }
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
    let evidence = metadata.map(|metadata| {
        SessionEvidence::gather(run, metadata, &replay, &metrics, constitution.as_ref())
    });
    let mut report = RunReport {
        replay,
        metrics,
        review,
        evidence,
        closure: Closure::Positive,
        reasons: Vec::new(),
        files: BTreeMap::new(),
        constitution,
    };
    (report.closure, report.reasons) = report.judge(&report.review);
    report.files = report.write_files(&report.review);
    report
}

impl RunReport {
    /// The verdict under a review, and the reasons for it.
    fn judge(&self, review: &Review) -> (Closure, Vec<ClosureReason>) {
        let evidence = self.evidence.as_ref();
        let reasons = closure::collect_reasons(&self.replay, &self.metrics, review, evidence);
        let weightiest = reasons.first();
        let closure = weightiest.map_or(Closure::Positive, |reason| reason.closure);
        (closure, reasons)
    }

    /// The files under a review.
    fn write_files(&self, review: &Review) -> BTreeMap<&'static str, Vec<u8>> {
        let mut files = BTreeMap::new();
        let (Some(metadata), Some(evidence)) = (&self.replay.metadata, &self.evidence) else {
            return files;
        };
        let inputs = ReportInputs {
            replay: &self.replay,
            metadata,
            metrics: &self.metrics,
            review,
            constitution: self.constitution.as_ref(),
            evidence,
        };
        let (closure, reasons) = self.judge(review);
        let report = json::write_json(&inputs, closure, &reasons);
        files.insert(JSON, to_line(&report));
        let page = markdown::write_page(&inputs, closure, &reasons);
        files.insert(MARKDOWN, page.into_bytes());
        let frozen = &metadata.frozen;
        let plot = plots::draw_decisions(&self.metrics, frozen);
        files.insert(DECISIONS, plot.into_bytes());
        let plot = plots::draw_tokens(&self.metrics, frozen);
        files.insert(TOKENS, plot.into_bytes());
        files
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
