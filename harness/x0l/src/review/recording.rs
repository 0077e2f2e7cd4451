//! Statements added to the review of a run, each durable before the next.

use std::io;

use axilog::admission::InputKind;
use axilog::hash::Hash;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;

use super::ledger::has_statement;
use super::sighting::{self, AttemptSighting};
use super::statement::{MODEL, ORACLE, OpeningStatement, ReviewStatement, check_statement};
use crate::document::to_text;
use crate::error::X0lError;
use crate::log::RunDirectory;

/// Records statements durably in the review of a run.
///
/// # Errors
/// As [`Session::open`] and [`Session::observe`]; [`LedgerError::InvalidInput`] for a name or a reason that is
/// missing, that no record may hold, or that is longer than 1024 or 4096 bytes.
pub fn record_statements(
    run: &RunDirectory,
    statements: &[ReviewStatement],
    now: u64,
) -> Result<(), X0lError> {
    let refused = |reason| LedgerError::InvalidInput {
        path: "what the reviewer says".into(),
        reason,
    };
    for statement in statements {
        check_statement(statement).map_err(refused)?;
    }
    let Some(first) = statements.first() else {
        return Ok(());
    };
    let texts = statements.iter().map(to_text).collect();
    record_texts(run, first.run, (ORACLE, MODEL), texts, now)
}

/// Records durably in the review of a run what was seen of the attempts under its plan, or of the corrections of the run
/// that it corrects.
///
/// # Errors
/// As [`record_statements`].
pub fn record_sighting(run: &RunDirectory, sighting: &AttemptSighting) -> Result<(), X0lError> {
    let id = (sighting::ORACLE, sighting::MODEL);
    record_texts(
        run,
        sighting.run,
        id,
        vec![to_text(sighting)],
        sighting.time,
    )
}

/// Records texts as statements of the oracle and the model `id`, after the one that opens the review of the run with the
/// head `head`.
fn record_texts(
    run: &RunDirectory,
    head: Hash,
    id: (&str, &str),
    texts: Vec<String>,
    now: u64,
) -> Result<(), X0lError> {
    let path = run.review();
    for text in &texts {
        CanonicalInput::new(text.as_bytes(), InputKind::Json).map_err(|reason| {
            LedgerError::InvalidInput {
                path: "what the reviewer says".into(),
                reason,
            }
        })?;
    }
    let mut session = match Session::open(&path, None) {
        Err(LedgerError::NoObservations(_)) => begin_review(run, now)?,
        Err(LedgerError::File(FileError::Io { source, .. }))
            if source.kind() == io::ErrorKind::NotFound =>
        {
            begin_review(run, now)?
        }
        opened => opened?,
    };
    // A review that was interrupted at its beginning, or is of the earlier format, has no opening yet.
    if !has_statement(run)? {
        let opening = to_text(&OpeningStatement { run: head });
        session.record_statement(ORACLE, MODEL, &opening)?;
    }
    for text in &texts {
        session.record_statement(id.0, id.1, text)?;
    }
    Ok(())
}

fn begin_review(run: &RunDirectory, now: u64) -> Result<Session, X0lError> {
    let rules = RuleSet::without_policies()?;
    let (session, _) = Session::create(&run.review(), rules, now)?;
    Ok(session)
}
