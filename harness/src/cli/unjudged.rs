//! Ledgers of what models say, which no policy judges.

use std::io;
use std::path::Path;

use axilog_policyc::PolicySet;

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
    let none = PolicySet::parse(b"[]").map_err(|source| Error::Policies {
        path: "no policies".into(),
        source,
    })?;
    let rules = RuleSet::new(none, false, false);
    Session::begin(path, rules, now()).map(|(session, _)| session)
}
