//! Ledgers of what models say, which no policy judges.

use std::io;
use std::path::Path;

use super::now;
use crate::error::Error;
use crate::rules::RuleSet;
use crate::session::Session;

/// Opens the ledger at `path`; where it is new, begins it without policies.
pub(super) fn open(path: &Path) -> Result<Session, Error> {
    match Session::open(path, None) {
        Err(Error::NotBegun(_)) => {}
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    begin(path)
}

/// Begins a ledger at `path`, where there is none yet, without policies.
pub(super) fn begin(path: &Path) -> Result<Session, Error> {
    Session::begin(path, RuleSet::without_policies()?, now()).map(|(session, _)| session)
}
