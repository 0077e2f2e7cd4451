//! Whether the prompts that a ledger's answers were given to are still beside it.
//!
//! A replay makes every prompt again, and its hash must be the one in the record; it needs no file of a prompt for that. Who
//! reads what was asked does, so a prompt that is missing or was changed is found all the same.

use std::path::Path;

use axilog_ledger::audit::blobs::{BlobList, BlobReport};
use axilog_ledger::input_file::open_regular_file;
use axilog_ledger::json_report::verification::LedgerVerification;
use axilog_ledger::verify::LedgerExpectations;

use super::error::AblationError;

/// Checks that every prompt that a record of the ledger at `path` names is beside it, with the bytes of that record's hash.
/// A file that no record names is left behind by a kill, and is no failure.
///
/// # Errors
/// [`AblationError::Prompts`] with the first prompt that is missing, changed or too long to be read;
/// [`FileError::Io`](axilog_ledger::error::FileError::Io).
pub fn check_recorded_prompts(path: &Path) -> Result<(), AblationError> {
    let mut ledger = open_regular_file(path, "open the ledger")?;
    let expected = LedgerExpectations::default();
    let found = LedgerVerification::read(&mut ledger, path, &expected, true)?;
    match found.blobs.as_ref().and_then(find_first_fault) {
        None => Ok(()),
        Some(reason) => Err(AblationError::Prompts {
            path: path.to_owned(),
            reason,
        }),
    }
}

/// Describes the first blob that is not as the ledger names it.
fn find_first_fault(blobs: &BlobReport) -> Option<String> {
    let kinds: [(&BlobList, &str); 3] = [
        (&blobs.missing, "is not there"),
        (&blobs.damaged, "does not have the hash in its name"),
        (&blobs.unread, "is too long to be read"),
    ];
    let (list, fault) = kinds.into_iter().find(|(list, _)| list.count > 0)?;
    let first = list.named.first()?;
    let record = first.ledger_seq;
    let record = record.map_or_else(String::new, |seq| format!(" of record {seq}"));
    let others = match list.count {
        1 => String::new(),
        count => format!("; so it is with {count} in all"),
    };
    Some(format!(
        "the prompt{record}, {}, {fault}{others}",
        first.path.display()
    ))
}
