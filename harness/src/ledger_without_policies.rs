//! Ledgers for recording a model's answers: they have no policies, so that nothing judges the answers.

use std::io;
use std::path::Path;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;

use crate::now;

/// Opens the ledger at `path`, or begins it without policies where it is new.
pub(crate) fn open_or_begin(path: &Path) -> Result<Session, LedgerError> {
    match Session::open(path, None) {
        Err(LedgerError::NoObservations(_)) => {}
        Err(LedgerError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    let (session, _) = Session::create(path, RuleSet::without_policies()?, now())?;
    Ok(session)
}
