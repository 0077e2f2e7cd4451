//! Facts that were retracted: they are told nowhere any more, and their exact strings stay locked.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::apply_error::ApplyResult;
use crate::audience::Audience;
use crate::bodies::{Provenance, Reason, RetractionBody};
use crate::document::to_value;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::fact::read_fact_body;
use crate::handle::Handle;
use crate::story_state::read_campaign;

/// The body of a RETRACTION: why the fact is retracted, who says so, and what that rests on.
///
/// # Errors
/// None in practice; [`MemoryStore::append`](crate::MemoryStore::append) judges the body.
pub fn retraction_body(fact: Handle, reason: &str, source: &str, refs: &[String]) -> Result<Value> {
    let body = RetractionBody {
        fact_id: fact,
        reason: Reason(reason.to_owned()),
        provenance: Provenance {
            source: source.to_owned(),
            refs: refs.to_vec(),
        },
    };
    to_value(EntryKind::Retraction.as_str(), &body)
}

/// Retracts a fact, by the entry `seq`.
pub(crate) fn retract_fact(conn: &Connection, seq: u64, body: &RetractionBody) -> ApplyResult {
    let kind = EntryKind::Retraction;
    if body.provenance.source.trim().is_empty() {
        let reason = "found an empty text, expected who says so";
        return Err(MemoryError::document(kind.as_str(), "$.provenance.source", reason).into());
    }
    let fact = body.fact_id;
    let told_by = check_retractable(conn, kind, fact)?;
    let told = read_fact_body(conn, fact, told_by)?;
    let mut list = conn.prepare_cached(
        "DELETE FROM visible WHERE audience = ?1 AND stable_key = ?2 AND fact = ?3",
    )?;
    for audience in Audience::lists_of(&told.visibility_mask) {
        list.execute(params![audience, &*told.stable_key, fact])?;
    }
    conn.prepare_cached(
        "INSERT INTO retracted (handle, fact, seq)
         SELECT ?1, ?1, ?2 UNION ALL SELECT handle, fact, ?2 FROM detail WHERE seq = ?3",
    )?
    .execute(params![fact, seq, told_by])?;
    Ok(())
}

/// Checks that a fact may be retracted: it is there, was not retracted before, and was told in the campaign that is
/// played. Gives the entry that told it.
fn check_retractable(conn: &Connection, kind: EntryKind, fact: Handle) -> ApplyResult<u64> {
    let refuse = |reason: String| Err(MemoryError::refused(kind.as_str(), reason).into());
    let told: Option<(u64, String)> = conn
        .prepare_cached("SELECT seq, campaign FROM fact WHERE fact = ?1")?
        .query_row([fact], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((told_by, campaign)) = told else {
        let of: Option<Handle> = conn
            .prepare_cached("SELECT fact FROM detail WHERE handle = ?1")?
            .query_row([fact], |row| row.get(0))
            .optional()?;
        return refuse(match of {
            Some(of) => format!(
                "{fact} is a detail of the fact {of}, and a fact is retracted as a whole; name the fact"
            ),
            None => format!(
                "nothing has the handle {fact}; name a fact by its handle, as `fact` printed it"
            ),
        });
    };
    if let Some(before) = find_retraction(conn, fact)? {
        return refuse(format!(
            "the fact {fact} was retracted by entry {before} already; `history` says by whom and why"
        ));
    }
    let played = read_campaign(conn)?;
    if campaign != played {
        return refuse(format!(
            "the fact {fact} was told in the campaign {campaign} (entry {told_by}), and the campaign {played} is played; retract it while {campaign} is played (a STATE with its campaign_id)"
        ));
    }
    Ok(told_by)
}

/// Finds the entry that retracted the fact of a handle, which is the fact's own or that of one of its details.
pub(crate) fn find_retraction(conn: &Connection, handle: Handle) -> rusqlite::Result<Option<u64>> {
    conn.prepare_cached("SELECT seq FROM retracted WHERE handle = ?1")?
        .query_row([handle], |row| row.get(0))
        .optional()
}

/// Refuses an entry of `kind` that names what was retracted.
pub(crate) fn refuse_retracted(
    conn: &Connection,
    kind: EntryKind,
    handles: &[Handle],
) -> ApplyResult {
    for handle in handles {
        if let Some(seq) = find_retraction(conn, *handle)? {
            let reason = format!("{handle} was retracted by entry {seq}; leave it out");
            return Err(MemoryError::refused(kind.as_str(), reason).into());
        }
    }
    Ok(())
}
