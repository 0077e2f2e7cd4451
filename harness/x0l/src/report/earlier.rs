//! The report that is in the run's directory already. It says which evidence it was made from, so that a run
//! which has lost some of that is noticed, and the report is not replaced.

use axilog::hash::Hash;
use axilog_ledger::verify::EarlierHead;
use serde::Deserialize;
use serde_json::Value;

use super::written::{is_interrupted, read_optional_file};
use super::{DECISIONS, FORMAT, JSON, MARKDOWN, TOKENS};
use crate::X0lError;
use crate::document::{self, excerpt};
use crate::frozen_code::{canonicalizer_hashes, kernel_hashes};
use crate::log::{FrozenSettings, RunDirectory, RunFormat};
use crate::replay::{ReplayFinding, RunReplay, compare_json};

/// A ledger as a report saw it.
#[derive(Clone, Copy, Deserialize)]
struct NotedLedger {
    entries: u64,
    #[serde(with = "document::hash")]
    head: Hash,
}

impl NotedLedger {
    fn head(self) -> Option<EarlierHead> {
        (self.entries > 0).then_some(EarlierHead {
            entries: self.entries,
            head: self.head,
        })
    }
}

/// What a report says of the evidence.
#[derive(Deserialize)]
struct NotedEvidence {
    format: String,
    ledger: NotedLedger,
    review: Option<NotedLedger>,
    replay: NotedReplay,
}

#[derive(Deserialize)]
struct NotedReplay {
    ok: bool,
}

/// The report in the run's directory.
pub(crate) enum EarlierReport {
    /// There is none.
    Absent,
    /// There is a file of its name that is no report, for this reason.
    Unreadable(String),
    /// The report, as it stands there and as far as it names its evidence.
    Present(Box<PresentReport>),
}

/// A report that could be read.
pub(crate) struct PresentReport {
    bytes: Vec<u8>,
    text: Value,
    noted: NotedEvidence,
}

impl EarlierReport {
    /// Reads the report.
    ///
    /// # Errors
    /// [`FileError`](axilog_ledger::error::FileError) where an existing file cannot be read.
    pub(crate) fn read(run: &RunDirectory) -> Result<EarlierReport, X0lError> {
        let Some(bytes) = read_optional_file(run, JSON)? else {
            return Ok(EarlierReport::Absent);
        };
        let parsed = serde_json::from_slice(&bytes).and_then(|text: Value| {
            let noted = NotedEvidence::deserialize(&text)?;
            Ok((text, noted))
        });
        Ok(match parsed {
            Ok((text, noted)) => {
                EarlierReport::Present(Box::new(PresentReport { bytes, text, noted }))
            }
            Err(error) => EarlierReport::Unreadable(error.to_string()),
        })
    }

    /// The head of the run's ledger that the report has seen.
    pub(crate) fn ledger_head(&self) -> Option<EarlierHead> {
        self.present()?.noted.ledger.head()
    }

    /// The head of the review that the report has seen.
    pub(crate) fn review_head(&self) -> Option<EarlierHead> {
        self.present()?.noted.review?.head()
    }

    /// Whether the report has another format than this program writes.
    pub(crate) fn has_other_format(&self) -> bool {
        let present = self.present();
        present.is_some_and(|report| report.noted.format != FORMAT)
    }

    /// Whether the report is there with these bytes.
    pub(super) fn has_bytes(&self, bytes: &[u8]) -> bool {
        self.present().is_some_and(|report| report.bytes == bytes)
    }

    fn present(&self) -> Option<&PresentReport> {
        match self {
            EarlierReport::Present(report) => Some(report),
            EarlierReport::Absent | EarlierReport::Unreadable(_) => None,
        }
    }

    /// The number of records that the review had when the report was made.
    pub(super) fn seen_of_review(&self) -> Option<u64> {
        let noted = &self.present()?.noted;
        Some(noted.review.map_or(0, |review| review.entries))
    }

    /// Finds where the report contradicts the run. `rebuilt` is the report that the run gives under the review as
    /// the report has seen it. The heads were compared while the ledgers were read.
    pub(super) fn find_conflicts(
        &self,
        run: &RunDirectory,
        replay: &RunReplay,
        rebuilt: &Value,
    ) -> Vec<ReplayFinding> {
        let report = match self {
            EarlierReport::Absent => return find_orphans(run),
            EarlierReport::Unreadable(reason) => {
                let found = excerpt(&reason.as_str().into());
                return vec![ReplayFinding::new(JSON, "", found, "a report")];
            }
            EarlierReport::Present(report) => report,
        };
        let NotedEvidence {
            format,
            ledger,
            replay: noted,
            ..
        } = &report.noted;
        if format != FORMAT {
            // Reports on runs of an earlier version may be of an earlier format too.
            let metadata = replay.metadata.as_ref();
            let earlier = metadata.is_some_and(|data| is_of_earlier_version(&data.frozen));
            let finding = ReplayFinding::new(JSON, "format", excerpt(&(&**format).into()), FORMAT);
            return if earlier { Vec::new() } else { vec![finding] };
        }
        if !noted.ok || ledger.entries != replay.entries {
            return Vec::new();
        }
        if !replay.is_good() {
            return vec![ReplayFinding::new(
                JSON,
                "replay",
                format!("{} differences now", replay.findings.len()),
                "none, as when the report was written",
            )];
        }
        let mut conflicts = Vec::new();
        compare_json(&report.text, rebuilt, "", &mut |field, found, expected| {
            let expected = format!("{expected}, as the run has it");
            conflicts.push(ReplayFinding::new(JSON, field, found, expected));
        });
        conflicts
    }
}

/// Whether another version of the program made the run, by the form of the run or by the code that decided in it.
fn is_of_earlier_version(frozen: &FrozenSettings) -> bool {
    let code = (frozen.canonicalizer, frozen.kernel);
    frozen.format == RunFormat::V1 || code != (canonicalizer_hashes(), kernel_hashes())
}

/// The report's name is given last, so that its other files do not stand alone unless it was removed, or its
/// writing was interrupted.
fn find_orphans(run: &RunDirectory) -> Vec<ReplayFinding> {
    let exists = |name: &str| run.path().join(name).exists();
    let others = [MARKDOWN, DECISIONS, TOKENS];
    let orphan = others.into_iter().find(|name| exists(name));
    let missing = |orphan: &str| {
        let expected = format!("one: it was written with {orphan}, which is there");
        ReplayFinding::new(JSON, "", "no such file", expected)
    };
    let orphan = orphan.filter(|_| !is_interrupted(run));
    orphan.map(missing).into_iter().collect()
}
