//! A head that was noted while a ledger was shorter, or as long as it is: a ledger that only grew since still
//! has it. The report notes the heads of the run's ledger and of its review.

use axilog::hash::Hash;
use axilog::ledger::Entry;
use axilog_ledger::encoding::hex;
use axilog_ledger::verify::EarlierHead;

use super::finding::ReplayFinding;

/// A noted head, looked for among the records of its ledger.
pub(crate) struct NotedHead {
    noted: Option<EarlierHead>,
    found: Option<Hash>,
}

impl NotedHead {
    /// Looks for `noted`; `None` where no head was noted, which every ledger has.
    pub(crate) fn new(noted: Option<EarlierHead>) -> NotedHead {
        NotedHead { noted, found: None }
    }

    /// Whether a head was noted.
    pub(crate) fn is_some(&self) -> bool {
        self.noted.is_some()
    }

    /// Looks at the next good record.
    pub(crate) fn look_at(&mut self, entry: &Entry<'_>) {
        let place = self.noted.map(|noted| noted.entries);
        if place == Some(entry.sequence.saturating_add(1)) {
            self.found = Some(entry.chain);
        }
    }

    /// The finding that the ledger `file`, which has `entries` records, does not have the head.
    pub(crate) fn missing(&self, file: &str, entries: u64) -> Option<ReplayFinding> {
        let noted = self.noted?;
        let head = hex(&noted.head);
        match self.found {
            Some(found) if found == noted.head => None,
            Some(found) => Some(ReplayFinding::new(
                file,
                format!("the head after {} records", noted.entries),
                hex(&found),
                format!("{head}, as report.json has it"),
            )),
            None => Some(ReplayFinding::new(
                file,
                "the end",
                format!("{entries} records"),
                format!(
                    "at least {}, the last with the head {head}, which report.json has seen",
                    noted.entries
                ),
            )),
        }
    }
}
