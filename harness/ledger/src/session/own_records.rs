//! The records of a session's own ledger, which was verified when it was opened.

use std::io::Read;
use std::path::Path;

use axilog::evidence::view::ObservationView;
use axilog::hash::Tag;
use axilog::ledger::Entry;

use crate::error::FileError;
use crate::file::lines::{LedgerLine, LineReader};

/// Takes a record, with the observation where it is one.
pub(super) type SeeRecord<'s> = &'s mut dyn FnMut(&Entry<'_>, Option<&ObservationView<'_>>);

/// Calls `see` with each record of a ledger. `path` is its name in messages.
///
/// # Errors
/// [`FileError::Io`].
pub(super) fn visit_records(
    ledger: impl Read,
    path: &Path,
    see: SeeRecord<'_>,
) -> Result<(), FileError> {
    let mut lines = LineReader::new(ledger);
    let read_error = || FileError::from_io(path, "read the ledger");
    while let Some((_, LedgerLine::Whole(line))) = lines.next_line().map_err(read_error())? {
        visit_record(line, see);
    }
    Ok(())
}

/// Calls `see` with the record in a line.
pub(super) fn visit_record(line: &[u8], see: SeeRecord<'_>) {
    let Ok(entry) = axilog::ledger_line::parse(line) else {
        return;
    };
    let observation = match entry.tag {
        Tag::Obs => ObservationView::parse(entry.payload).ok(),
        _ => None,
    };
    see(&entry, observation.as_ref());
}
