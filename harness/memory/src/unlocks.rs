//! What is unlocked, what was learned, and what was rolled for, as derived from the log (document, sections 4.4 and 5).

use rusqlite::{Connection, OptionalExtension, params};

use crate::apply_error::ApplyResult;
use crate::bodies::{
    AttemptOutcome, RecallAttemptBody, RecallResultBody, RecallScope, ResultOutcome,
};
use crate::entry::EntryKind;
use crate::error::MemoryError;
use crate::handle::Handle;
use crate::mask::MaskKind;
use crate::retractions::find_retraction;
use crate::story_state::{CurrentScene, StoryState, read_story_state};
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

/// Finds the kind of mask that the fact of a handle has. One that was retracted has none.
pub(crate) fn find_mask(conn: &Connection, handle: Handle) -> rusqlite::Result<Option<MaskKind>> {
    if find_retraction(conn, handle)?.is_some() {
        return Ok(None);
    }
    let Some(fact) = find_fact(conn, handle)? else {
        return Ok(None);
    };
    let mask: String = conn
        .prepare_cached("SELECT mask FROM fact WHERE fact = ?1")?
        .query_row(params![fact], |row| row.get(0))?;
    Ok(MaskKind::parse(&mask))
}

/// Whether somebody at the table knows the exact content of a handle in this campaign: a recall told it or its
/// fact, or the fact is not locked.
pub(crate) fn is_learned(
    conn: &Connection,
    state: &StoryState,
    handle: Handle,
) -> rusqlite::Result<bool> {
    let Some(fact) = find_fact(conn, handle)? else {
        return Ok(false);
    };
    conn.prepare_cached(
        "SELECT 1 FROM fact WHERE fact = ?1 AND NOT locked
         UNION ALL SELECT 1 FROM learned WHERE campaign = ?3 AND handle IN (?1, ?2)",
    )?
    .exists(params![fact, handle, state.campaign_id])
}

/// Finds the widest scope in which `handle` is unlocked now. An unlock holds in its campaign alone: else a campaign
/// in which the dice are rolled anew would open the strings of another. What was retracted is not unlocked.
pub(crate) fn find_unlock(
    conn: &Connection,
    state: &StoryState,
    handle: Handle,
) -> rusqlite::Result<Option<Unlock>> {
    if find_retraction(conn, handle)?.is_some() {
        return Ok(None);
    }
    let mut find = conn.prepare_cached(
        "SELECT seq FROM unlocked WHERE handle = ?1 AND scope = ?2 AND campaign = ?3 AND began = ?4",
    )?;
    let mut unlock = |scope: UnlockScope, began: u64| {
        let key = params![handle, scope.as_str(), state.campaign_id, began];
        find.query_row(key, |row| {
            let seq = row.get(0)?;
            Ok(Unlock { handle, scope, seq })
        })
        .optional()
    };
    if let Some(found) = unlock(UnlockScope::Campaign, 0)? {
        return Ok(Some(found));
    }
    if let Some(found) = unlock(UnlockScope::Session, state.session_seq)? {
        return Ok(Some(found));
    }
    let Some(scene) = &state.scene else {
        return Ok(None);
    };
    // A scene that outlasts its session keeps nothing unlocked.
    let found = unlock(UnlockScope::Scene, scene.seq)?;
    Ok(found.filter(|unlock| unlock.seq > state.session_seq))
}

/// Records the roll of a recall: one per handle and scene. A scene that begins again is the same scene.
pub(crate) fn record_attempt(conn: &Connection, seq: u64, body: &RecallAttemptBody) -> ApplyResult {
    let rolled = matches!(
        body.outcome,
        AttemptOutcome::Success | AttemptOutcome::Failure
    );
    let state = read_story_state(conn)?;
    if let (true, Some(scene)) = (rolled, &state.scene) {
        conn.prepare_cached(
            "INSERT INTO attempt (handle, campaign, scene, seq) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            body.detail_handle,
            state.campaign_id,
            &*scene.id,
            seq
        ])?;
    }
    Ok(())
}

/// Whether the dice were rolled for a handle in the scene that is on, by whomever: for itself, for its fact, or for a
/// detail where the handle is the fact's.
pub(crate) fn was_rolled_for(
    conn: &Connection,
    state: &StoryState,
    scene: &CurrentScene,
    fact: Handle,
    handle: Handle,
) -> rusqlite::Result<bool> {
    conn.prepare_cached(
        "SELECT 1 FROM attempt WHERE campaign = ?1 AND scene = ?2 AND (handle IN (?3, ?4)
         OR ?3 = ?4 AND handle IN (SELECT handle FROM detail JOIN fact USING (seq) WHERE fact.fact = ?4))",
    )?
    .exists(params![state.campaign_id, &*scene.id, handle, fact])
}

/// Records what a recall told, and unlocks what its result says is unlocked.
pub(crate) fn apply_recall_result(
    conn: &Connection,
    seq: u64,
    body: &RecallResultBody,
) -> ApplyResult {
    let state = read_story_state(conn)?;
    if body.outcome == ResultOutcome::Exact {
        conn.prepare_cached(
            "INSERT OR IGNORE INTO learned (campaign, handle, seq) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![state.campaign_id, body.detail_handle, seq])?;
    }
    let Some(scope) = body.unlock_scope else {
        return Ok(());
    };
    let (scope, began) = match (scope, &state.scene) {
        (RecallScope::Session, _) => (UnlockScope::Session, state.session_seq),
        (RecallScope::Scene, Some(scene)) => (UnlockScope::Scene, scene.seq),
        (RecallScope::Scene, None) => {
            let id = EntryKind::RecallResult.as_str();
            return Err(MemoryError::refused(id, "no scene is on").into());
        }
    };
    unlock(conn, &state, body.detail_handle, scope, began, seq)
}

/// Unlocks handles for the campaign.
pub(crate) fn unlock_for_campaign(conn: &Connection, seq: u64, handles: &[Handle]) -> ApplyResult {
    let state = read_story_state(conn)?;
    handles
        .iter()
        .try_for_each(|handle| unlock(conn, &state, *handle, UnlockScope::Campaign, 0, seq))
}

fn unlock(
    conn: &Connection,
    state: &StoryState,
    handle: Handle,
    scope: UnlockScope,
    began: u64,
    seq: u64,
) -> ApplyResult {
    // The first unlock stays: what went out between the two was unlocked (gate G2).
    conn.prepare_cached(
        "INSERT OR IGNORE INTO unlocked (handle, scope, campaign, began, seq) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![handle, scope.as_str(), state.campaign_id, began, seq])?;
    Ok(())
}
