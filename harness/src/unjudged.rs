//! Ledgers of what models say, which no policy judges.

use std::io;
use std::path::Path;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;

use super::now;

/// Opens the ledger at `path`; where it is new, begins it without policies.
pub(super) fn open(path: &Path) -> Result<Session, LedgerError> {
    match Session::open(path, None) {
        Err(LedgerError::NotBegun(_)) => {}
        Err(LedgerError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    let (session, _) = Session::begin(path, RuleSet::without_policies()?, now())?;
    Ok(session)
}
