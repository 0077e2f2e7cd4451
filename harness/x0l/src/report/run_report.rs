//! The report of a run as it is in memory: the verdict, and the bytes of its files.

use std::collections::BTreeMap;

use super::attempts::{CountedAttempts, list_counted_attempts};
use super::closure::collect_reasons;
use super::evidence::SessionEvidence;
use super::files::{DECISIONS, JSON, MARKDOWN, TOKENS};
use super::inputs::ReportInputs;
use super::verdict::{Closure, ClosureReason};
use super::{json, markdown, plots};
use crate::document::to_line;
use crate::kernel::Constitution;
use crate::log::{RunDirectory, SessionMetadata, read_file};
use crate::metrics::Metrics;
use crate::replay::RunReplay;
use crate::review::Review;

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

/// Builds the report of a replayed and reviewed run.
pub(super) fn rebuild(
    run: &RunDirectory,
    replay: RunReplay,
    metrics: Metrics,
    review: Review,
) -> RunReport {
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
    /// The attempts and corrections that the session is among; none where the metadata cannot be read.
    #[must_use]
    pub fn counted_attempts(&self) -> Vec<CountedAttempts> {
        let metadata = self.replay.metadata.iter();
        metadata
            .flat_map(|metadata| list_counted_attempts(&metadata.frozen, &self.review))
            .collect()
    }

    /// The verdict under a review, and the reasons for it.
    pub(super) fn judge(&self, review: &Review) -> (Closure, Vec<ClosureReason>) {
        let evidence = self.evidence.as_ref();
        let reasons = collect_reasons(&self.replay, &self.metrics, review, evidence);
        let weightiest = reasons.first();
        let closure = weightiest.map_or(Closure::Positive, |reason| reason.closure);
        (closure, reasons)
    }

    /// The files under a review.
    pub(super) fn write_files(&self, review: &Review) -> BTreeMap<&'static str, Vec<u8>> {
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

fn read_constitution(run: &RunDirectory, metadata: &SessionMetadata) -> Option<Constitution> {
    let bytes = read_file(&run.input(&metadata.frozen.constitution.name)).ok()?;
    Constitution::parse(std::str::from_utf8(&bytes).ok()?).ok()
}
