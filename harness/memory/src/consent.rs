//! Consents to notebook entries, as derived from the log (document, sections 3 and 5A).
//!
//! One request is open at a time. It ends with its scene or session, and with the campaign.

use rusqlite::{Connection, OptionalExtension, params};

use crate::apply_error::ApplyResult;
use crate::bodies::{ConsentScope, NotebookAnswerBody, NotebookRequestBody, NotebookWriteBody};
use crate::canonical::CanonicalJson;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::mask::MaskKind;
use crate::retractions::refuse_retracted;
use crate::story_state::{StoryState, read_story_state};
use crate::unlocks::{find_mask, is_learned, unlock_for_campaign};

/// Whose consent to what was requested, and how far the request is.
struct Consent {
    player: String,
    /// The hash of the content.
    content: Handle,
    state: String,
    campaign: String,
    /// The entry that began the session.
    session: u64,
    /// The entry that began the scene with which the consent ends; none where it ends with the session.
    scene: Option<u64>,
}

impl Consent {
    /// Whether the campaign, the session and the scene are still those of the request.
    fn is_current(&self, now: &StoryState) -> bool {
        let scene = now.scene.as_ref().map(|scene| scene.seq);
        self.campaign == now.campaign_id
            && self.session == now.session_seq
            && (self.scene.is_none() || self.scene == scene)
    }
}

/// The hash of a notebook entry's content, to which a consent is bound. A handle is a hash of what it names, so
/// this one covers the content itself, and tells as little of it.
pub(crate) fn hash_content(content: &[Handle]) -> Result<Handle> {
    Ok(CanonicalJson::from_document("the content", &content)?.handle())
}

/// Opens a request for consent.
pub(crate) fn open_request(conn: &Connection, seq: u64, body: &NotebookRequestBody) -> ApplyResult {
    let (kind, request) = (EntryKind::NotebookRequested, &body.request_id);
    if find_consent(conn, request)?.is_some() {
        return refuse(kind, format!("the request {request} was made before"));
    }
    let content = hash_content(&body.content_handles)?;
    if content != body.content_hash {
        return refuse(kind, format!("its content_hash is not {content}"));
    }
    let now = read_story_state(conn)?;
    let scene = now.scene.as_ref();
    if *body.session_id != *now.session_id || body.scene_id.as_ref() != scene.map(|scene| &scene.id)
    {
        return refuse(
            kind,
            "its scene and session are not those of now".to_owned(),
        );
    }
    let scene = match (body.scope, scene) {
        (ConsentScope::Session, _) => None,
        (ConsentScope::Scene, Some(scene)) => Some(scene.seq),
        (ConsentScope::Scene, None) => {
            let reason = "no scene is on; ask with the scope SESSION";
            return refuse(kind, reason.to_owned());
        }
    };
    if let Some((other, state)) = find_open_request(conn, &now)? {
        let reason = format!(
            "the request {other} is {state}, and one is open at a time; write its content, or record a denial, first"
        );
        return refuse(kind, reason);
    }
    for handle in &body.content_handles {
        check_content(conn, &now, body, *handle)?;
    }
    conn.prepare_cached(
        "INSERT INTO consent (request, player, content, state, campaign, session, scene, seq)
         VALUES (?1, ?2, ?3, 'ASKED', ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        &**request,
        &*body.player_id,
        content,
        now.campaign_id,
        now.session_seq,
        scene,
        seq
    ])?;
    Ok(())
}

/// Checks that a notebook may hold the content: it is for players, and somebody at the table learned it. Else a
/// notebook would be a way around the dice.
fn check_content(
    conn: &Connection,
    now: &StoryState,
    body: &NotebookRequestBody,
    handle: Handle,
) -> ApplyResult {
    let kind = EntryKind::NotebookRequested;
    match find_mask(conn, handle)? {
        Some(MaskKind::Public | MaskKind::Player) => {}
        // What players may not know of is answered as an unknown handle.
        Some(MaskKind::DmOnly | MaskKind::System) | None => {
            return refuse(kind, format!("nothing has the handle {handle}"));
        }
    }
    if body.revealed_by_dm || is_learned(conn, now, handle)? {
        return Ok(());
    }
    let reason = format!(
        "nobody at the table has learned {handle} in this campaign; a recall that succeeds tells it, or the DM"
    );
    refuse(kind, reason)
}

/// Finds the request that waits for its answer or for its content to be written.
fn find_open_request(
    conn: &Connection,
    now: &StoryState,
) -> rusqlite::Result<Option<(String, String)>> {
    let mut unfinished = conn.prepare_cached(
        "SELECT player, content, state, campaign, session, scene, request FROM consent
         WHERE state IN ('ASKED', 'GRANTED')",
    )?;
    let mut rows = unfinished.query(params![])?;
    while let Some(row) = rows.next()? {
        let consent = read_consent(row)?;
        if consent.is_current(now) {
            return Ok(Some((row.get(6)?, consent.state)));
        }
    }
    Ok(None)
}

/// Records a player's answer: `kind` is EV-011 or EV-012, and `answer` the state that follows.
pub(crate) fn record_answer(
    conn: &Connection,
    seq: u64,
    kind: EntryKind,
    body: &NotebookAnswerBody,
    answer: &str,
) -> ApplyResult {
    let request = &body.request_id;
    let consent = read_current(conn, kind, request)?;
    // A player may take a consent back as long as nothing is written.
    let may_answer = consent.state == "ASKED" || consent.state == "GRANTED" && answer == "DENIED";
    if !may_answer {
        let state = consent.state;
        return refuse(
            kind,
            format!("the request {request} is {state} already; make another"),
        );
    }
    if consent.player != *body.player_id {
        let player = consent.player;
        return refuse(
            kind,
            format!("the notebook is {player}'s, who alone may answer"),
        );
    }
    if consent.content != body.content_hash {
        return refuse(kind, "the content is not what was requested".to_owned());
    }
    set_state(conn, request, answer, seq)
}

/// Unlocks what was consented to, once it is written.
pub(crate) fn apply_consent(conn: &Connection, seq: u64, body: &NotebookWriteBody) -> ApplyResult {
    let (kind, request) = (EntryKind::NotebookApplied, &body.request_id);
    let consent = read_current(conn, kind, request)?;
    if consent.state != "GRANTED" {
        let state = consent.state;
        return refuse(
            kind,
            format!("the request {request} is {state}, not GRANTED"),
        );
    }
    if consent.content != hash_content(&body.content_handles)? {
        return refuse(kind, "the content is not what was consented to".to_owned());
    }
    refuse_retracted(conn, kind, &body.content_handles)?;
    unlock_for_campaign(conn, seq, &body.content_handles)?;
    set_state(conn, request, "APPLIED", seq)
}

/// Reads a request that has not ended with its scene, its session or the campaign.
fn read_current(conn: &Connection, kind: EntryKind, request: &str) -> ApplyResult<Consent> {
    let reason = match find_consent(conn, request)? {
        Some(consent) if consent.is_current(&read_story_state(conn)?) => return Ok(consent),
        Some(_) => format!(
            "the request {request} ended with its scene, its session or the campaign; make another"
        ),
        None => format!("there is no request {request}; EV-010 makes one"),
    };
    refuse(kind, reason)
}

/// Finds the hash of the content that a request is about.
pub(crate) fn find_content_hash(
    conn: &Connection,
    request: &str,
) -> rusqlite::Result<Option<Handle>> {
    Ok(find_consent(conn, request)?.map(|consent| consent.content))
}

fn find_consent(conn: &Connection, request: &str) -> rusqlite::Result<Option<Consent>> {
    conn.prepare_cached(
        "SELECT player, content, state, campaign, session, scene FROM consent WHERE request = ?1",
    )?
    .query_row(params![request], read_consent)
    .optional()
}

fn read_consent(row: &rusqlite::Row<'_>) -> rusqlite::Result<Consent> {
    Ok(Consent {
        player: row.get(0)?,
        content: row.get(1)?,
        state: row.get(2)?,
        campaign: row.get(3)?,
        session: row.get(4)?,
        scene: row.get(5)?,
    })
}

fn set_state(conn: &Connection, request: &str, state: &str, seq: u64) -> ApplyResult {
    conn.prepare_cached("UPDATE consent SET state = ?2, seq = ?3 WHERE request = ?1")?
        .execute(params![request, state, seq])?;
    Ok(())
}

fn refuse<T>(kind: EntryKind, reason: String) -> ApplyResult<T> {
    Err(MemoryError::refused(kind.as_str(), reason).into())
}
