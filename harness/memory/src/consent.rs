//! Consents to notebook entries, as derived from the log (document, sections 3 and 5A).

use rusqlite::{Connection, OptionalExtension, params};

use crate::apply_error::ApplyResult;
use crate::bodies::{NotebookAnswerBody, NotebookRequestBody, NotebookWriteBody};
use crate::entry::EntryKind;
use crate::error::MemoryError;
use crate::handle::Handle;
use crate::unlocks::{find_fact, unlock_for_campaign};

/// Whose consent to what was requested, and how far the request is.
struct Consent {
    player: String,
    /// The handles of the content, with a space between two.
    content: String,
    state: String,
}

/// Opens a request for consent.
pub(crate) fn open_request(conn: &Connection, seq: u64, body: &NotebookRequestBody) -> ApplyResult {
    let (kind, request) = (EntryKind::NotebookRequested, &body.request_id);
    if find_consent(conn, request)?.is_some() {
        return refuse(kind, format!("the request {request} was made before"));
    }
    for handle in &body.content_handles {
        if find_fact(conn, *handle)?.is_none() {
            return refuse(kind, format!("nothing has the handle {handle}"));
        }
    }
    let content = join_handles(&body.content_handles);
    conn.prepare_cached(
        "INSERT INTO consent (request, player, handles, state, seq) VALUES (?1, ?2, ?3, 'ASKED', ?4)",
    )?
    .execute(params![&**request, &*body.player_id, content, seq])?;
    Ok(())
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
    match find_consent(conn, request)? {
        Some(consent) if consent.state == "ASKED" && consent.player == *body.player_id => {
            set_state(conn, request, answer, seq)
        }
        Some(Consent { player, state, .. }) if state == "ASKED" => refuse(
            kind,
            format!("the notebook is {player}'s, who alone may answer"),
        ),
        Some(Consent { state, .. }) => refuse(
            kind,
            format!("the request {request} is {state} already; make another"),
        ),
        None => refuse(
            kind,
            format!("there is no request {request}; EV-010 makes one"),
        ),
    }
}

/// Unlocks what was consented to, once it is written.
pub(crate) fn apply_consent(conn: &Connection, seq: u64, body: &NotebookWriteBody) -> ApplyResult {
    let (kind, request) = (EntryKind::NotebookApplied, &body.request_id);
    match find_consent(conn, request)? {
        Some(Consent { content, state, .. }) if state == "GRANTED" => {
            if content != join_handles(&body.content_handles) {
                return refuse(kind, "the content is not what was consented to".to_owned());
            }
        }
        Some(Consent { state, .. }) => {
            return refuse(
                kind,
                format!("the request {request} is {state}, not GRANTED"),
            );
        }
        None => return refuse(kind, format!("there is no request {request}")),
    }
    unlock_for_campaign(conn, seq, &body.content_handles)?;
    set_state(conn, request, "APPLIED", seq)
}

fn find_consent(conn: &Connection, request: &str) -> rusqlite::Result<Option<Consent>> {
    conn.prepare_cached("SELECT player, handles, state FROM consent WHERE request = ?1")?
        .query_row(params![request], |row| {
            Ok(Consent {
                player: row.get(0)?,
                content: row.get(1)?,
                state: row.get(2)?,
            })
        })
        .optional()
}

fn set_state(conn: &Connection, request: &str, state: &str, seq: u64) -> ApplyResult {
    conn.prepare_cached("UPDATE consent SET state = ?2, seq = ?3 WHERE request = ?1")?
        .execute(params![request, state, seq])?;
    Ok(())
}

fn join_handles(handles: &[Handle]) -> String {
    let texts: Vec<String> = handles.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

fn refuse(kind: EntryKind, reason: String) -> ApplyResult {
    Err(MemoryError::refused(kind.as_str(), reason).into())
}
