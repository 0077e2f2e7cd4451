//! The report that is in the run's directory already, as far as it says which evidence it was made from: a run that has
//! lost some of that is noticed so.

use std::io;

use axilog::hash::Hash;
use axilog_ledger::error::FileError;
use axilog_ledger::verify::EarlierHead;
use serde::Deserialize;
use serde_json::Value;

use super::directory::{RunDirectory, read_file};
use crate::document;
use crate::error::X0lError;

/// A ledger as a report saw it.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct NotedLedger {
    pub(crate) entries: u64,
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
pub(crate) struct NotedEvidence {
    pub(crate) format: String,
    pub(crate) ledger: NotedLedger,
    review: Option<NotedLedger>,
    pub(crate) replay: NotedReplay,
}

/// What a report says of the replay that it was made from.
#[derive(Deserialize)]
pub(crate) struct NotedReplay {
    pub(crate) ok: bool,
}

/// The report in the run's directory.
pub(crate) enum NotedReport {
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
    pub(crate) text: Value,
    pub(crate) noted: NotedEvidence,
}

impl NotedReport {
    /// Reads the report.
    ///
    /// # Errors
    /// [`FileError`](axilog_ledger::error::FileError) where an existing file cannot be read.
    pub(crate) fn read(run: &RunDirectory) -> Result<NotedReport, X0lError> {
        let Some(bytes) = read_optional_file(run, RunDirectory::REPORT)? else {
            return Ok(NotedReport::Absent);
        };
        let parsed = serde_json::from_slice(&bytes).and_then(|text: Value| {
            let noted = NotedEvidence::deserialize(&text)?;
            Ok((text, noted))
        });
        Ok(match parsed {
            Ok((text, noted)) => {
                NotedReport::Present(Box::new(PresentReport { bytes, text, noted }))
            }
            Err(error) => NotedReport::Unreadable(error.to_string()),
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

    /// The format of the report.
    pub(crate) fn format(&self) -> Option<&str> {
        Some(&self.present()?.noted.format)
    }

    /// Whether the report is there with these bytes.
    pub(crate) fn has_bytes(&self, bytes: &[u8]) -> bool {
        self.present().is_some_and(|report| report.bytes == bytes)
    }

    fn present(&self) -> Option<&PresentReport> {
        match self {
            NotedReport::Present(report) => Some(report),
            NotedReport::Absent | NotedReport::Unreadable(_) => None,
        }
    }

    /// The number of records that the review had when the report was made.
    pub(crate) fn seen_of_review(&self) -> Option<u64> {
        let noted = &self.present()?.noted;
        Some(noted.review.map_or(0, |review| review.entries))
    }
}

/// Reads a file of the report, if it exists.
pub(crate) fn read_optional_file(
    run: &RunDirectory,
    name: &str,
) -> Result<Option<Vec<u8>>, X0lError> {
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
