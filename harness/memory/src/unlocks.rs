//! What is unlocked, and what was rolled for, as derived from the log (document, sections 4.4 and 5).

use rusqlite::{Connection, OptionalExtension, params};

use crate::apply_error::ApplyResult;
use crate::bodies::{AttemptOutcome, RecallAttemptBody, RecallResultBody, RecallScope};
use crate::entry::EntryKind;
use crate::error::MemoryError;
use crate::handle::Handle;
use crate::story_state::{StoryState, read_story_state};
use crate::words::words;

words! {
    /// Until when a handle is unlocked.
    pub enum UnlockScope {
        /// While the scene is on.
        Scene = "SCENE",
        /// While the session is on.
        Session = "SESSION",
        /// For good, in this campaign.
        Campaign = "CAMPAIGN",
    }
}

/// A handle that is unlocked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlock {
    /// The fact or detail.
    pub handle: Handle,
    /// Until when the handle is unlocked.
    pub scope: UnlockScope,
    /// The entry that unlocked the handle.
    pub seq: u64,
}

/// Finds the fact of a handle, which is the fact's own or the handle of one of its details.
pub(crate) fn find_fact(conn: &Connection, handle: Handle) -> rusqlite::Result<Option<Handle>> {
    conn.prepare_cached(
        "SELECT fact FROM fact WHERE fact = ?1 UNION ALL SELECT fact FROM detail WHERE handle = ?1",
    )?
    .query_row(params![handle], |row| row.get(0))
    .optional()
}

/// Finds the widest scope in which `handle` is unlocked now.
pub(crate) fn find_unlock(
    conn: &Connection,
    state: &StoryState,
    handle: Handle,
) -> rusqlite::Result<Option<Unlock>> {
    let mut find = conn.prepare_cached(
        "SELECT seq FROM unlocked WHERE handle = ?1 AND scope = ?2 AND scope_key = ?3",
    )?;
    let mut unlock = |scope: UnlockScope, key: &str| {
        find.query_row(params![handle, scope.as_str(), key], |row| {
            let seq = row.get(0)?;
            Ok(Unlock { handle, scope, seq })
        })
        .optional()
    };
    if let Some(found) = unlock(UnlockScope::Campaign, &state.campaign_id)? {
        return Ok(Some(found));
    }
    if let Some(found) = unlock(UnlockScope::Session, &state.session_seq.to_string())? {
        return Ok(Some(found));
    }
    let Some(scene) = &state.scene else {
        return Ok(None);
    };
    // A scene that outlasts its session keeps nothing unlocked.
    let found = unlock(UnlockScope::Scene, &scene.seq.to_string())?;
    Ok(found.filter(|unlock| unlock.seq > state.session_seq))
}

/// Records the roll of a recall: one per handle and scene.
pub(crate) fn record_attempt(conn: &Connection, seq: u64, body: &RecallAttemptBody) -> ApplyResult {
    let rolled = matches!(
        body.outcome,
        AttemptOutcome::Success | AttemptOutcome::Failure
    );
    if let (true, Some(scene)) = (rolled, read_story_state(conn)?.scene) {
        conn.prepare_cached("INSERT INTO attempt (handle, scene, seq) VALUES (?1, ?2, ?3)")?
            .execute(params![body.detail_handle, scene.seq, seq])?;
    }
    Ok(())
}

/// Unlocks what the result of a recall says is unlocked.
pub(crate) fn unlock_recalled(conn: &Connection, seq: u64, body: &RecallResultBody) -> ApplyResult {
    let Some(scope) = body.unlock_scope else {
        return Ok(());
    };
    let state = read_story_state(conn)?;
    let (scope, key) = match (scope, state.scene) {
        (RecallScope::Session, _) => (UnlockScope::Session, state.session_seq),
        (RecallScope::Scene, Some(scene)) => (UnlockScope::Scene, scene.seq),
        (RecallScope::Scene, None) => {
            let id = EntryKind::RecallResult.as_str();
            return Err(MemoryError::refused(id, "no scene is on").into());
        }
    };
    unlock(conn, body.detail_handle, scope, &key.to_string(), seq)
}

/// Unlocks handles for the campaign.
pub(crate) fn unlock_for_campaign(conn: &Connection, seq: u64, handles: &[Handle]) -> ApplyResult {
    let campaign = read_story_state(conn)?.campaign_id;
    handles
        .iter()
        .try_for_each(|handle| unlock(conn, *handle, UnlockScope::Campaign, &campaign, seq))
}

fn unlock(
    conn: &Connection,
    handle: Handle,
    scope: UnlockScope,
    key: &str,
    seq: u64,
) -> ApplyResult {
    // The first unlock stays: what went out between the two was unlocked (gate G2).
    conn.prepare_cached(
        "INSERT OR IGNORE INTO unlocked (handle, scope, scope_key, seq) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![handle, scope.as_str(), key, seq])?;
    Ok(())
}
