//! From an entry of the log to the tables derived from it.
//!
//! The same function serves an append and a rebuild, so the two cannot differ. It refuses an entry
//! that the present state forbids.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::asset;
use super::canonical::{Canonical, Handle};
use super::compaction;
use super::error::MemoryError;
use super::fact::Fact;
use super::fields::{Fields, Type};
use super::fold::Folded;
use super::id::Id;
use super::mask::{Mask, MaskMatrix};
use super::state::{self, Pointer};

/// The two kinds of failure of applying: the database's and the rules'.
pub(super) enum Fault {
    Sqlite(rusqlite::Error),
    Rule(MemoryError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sqlite(error)
    }
}

impl From<MemoryError> for Fault {
    fn from(error: MemoryError) -> Fault {
        Fault::Rule(error)
    }
}

pub(super) type Applied<T = ()> = std::result::Result<T, Fault>;

fn refused<T>(id: Id, reason: impl Into<String>) -> Applied<T> {
    Err(Fault::Rule(MemoryError::refused(id.as_str(), reason)))
}

/// Applies the entry `seq`.
pub(super) fn apply(conn: &Connection, seq: u64, id: Id, body: &Value) -> Applied {
    let fields = id.read(body)?;
    match id {
        Id::Fact => fact(conn, seq, body),
        Id::State => story(conn, seq, &fields),
        Id::Pin => pin(conn, seq, &fields),
        Id::Revision => revision(conn, seq, &fields),
        Id::Compaction => compaction::register(conn, seq, &fields),
        Id::Asset => asset::register(conn, seq, &fields),
        Id::ModeChanged => Ok(state::set(
            conn,
            Pointer::Mode,
            &fields.text("mode").into(),
            seq,
        )?),
        Id::ReadingSpot => {
            let setting = fields.text("setting").into();
            Ok(state::set(conn, Pointer::ReadingSpot, &setting, seq)?)
        }
        Id::SceneStart => scene(conn, seq, id, &fields, true),
        Id::SceneEnd => scene(conn, seq, id, &fields, false),
        Id::RecallAttempt => attempt(conn, seq, &fields),
        Id::RecallResult => recalled(conn, seq, &fields),
        Id::NotebookRequested => requested(conn, seq, &fields),
        Id::NotebookGranted => answered(conn, seq, id, &fields, "GRANTED"),
        Id::NotebookDenied => answered(conn, seq, id, &fields, "DENIED"),
        Id::NotebookApplied => written(conn, seq, &fields),
        Id::RecallRequest
        | Id::NudgeSelected
        | Id::NudgeSuppressed
        | Id::PlaybackPaused
        | Id::PlaybackResumed
        | Id::PlaybackAborted
        | Id::RoleplayValidated
        | Id::RoleplayFallback => Ok(()),
    }
}

fn fact(conn: &Connection, seq: u64, body: &Value) -> Applied {
    let fact = Fact::read(Canonical::of("the fact", body.clone())?)?;
    let id = fact.id().0;
    conn.prepare_cached(
        "INSERT INTO fact (fact, seq, kind, stable_key, mask, locked) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![id, seq, fact.kind, fact.stable_key, fact.mask.name(), fact.locked])?;
    let audiences = match &fact.mask {
        Mask::Player(players) => players.iter().map(|p| state::audience(p)).collect(),
        mask => vec![mask.name().to_owned()],
    };
    let mut shown = conn.prepare_cached(
        "INSERT INTO shown (audience, stable_key, fact, kind, seq) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for audience in audiences {
        shown.execute(params![audience, fact.stable_key, id, fact.kind, seq])?;
    }
    let mut detail = conn
        .prepare_cached("INSERT INTO detail (seq, handle, fact, folded) VALUES (?1, ?2, ?3, ?4)")?;
    for one in &fact.details {
        let folded = Folded::of(&one.exact).text();
        detail.execute(params![seq, one.handle.0, id, folded])?;
    }
    Ok(())
}

fn story(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    const POINTERS: [(Pointer, Type); 6] = [
        (Pointer::World, Type::Name),
        (Pointer::Campaign, Type::Name),
        (Pointer::Session, Type::Name),
        (Pointer::Threads, Type::Names),
        (Pointer::Clocks, Type::Names),
        (Pointer::Regions, Type::Names),
    ];
    for (name, event) in [("mode", "EV-030"), ("scene_id", "EV-031 and EV-032")] {
        if fields.get(name).is_some() {
            return refused(Id::State, format!("{name} changes by {event} alone"));
        }
    }
    let names = POINTERS.map(|(pointer, _)| pointer.as_str());
    fields.only(&names)?;
    for (pointer, kind) in POINTERS {
        let name = pointer.as_str();
        if let Some(value) = fields.get(name) {
            fields.some(&[(name, kind)])?;
            state::set(conn, pointer, value, seq)?;
        }
    }
    Ok(())
}

fn scene(conn: &Connection, seq: u64, id: Id, fields: &Fields<'_>, start: bool) -> Applied {
    let scene = fields.text("scene_id");
    let value = match (start, state::read(conn)?.scene) {
        (true, Some((current, _))) => {
            return refused(
                id,
                format!("the scene {current} is on; end it with EV-032 first"),
            );
        }
        (true, None) => scene.into(),
        (false, Some((current, _))) if current == scene => Value::Null,
        (false, Some((current, _))) => {
            return refused(id, format!("the scene {current} is on, not {scene}"));
        }
        (false, None) => return refused(id, "no scene is on"),
    };
    Ok(state::set(conn, Pointer::Scene, &value, seq)?)
}

fn pin_parts(
    fields: &Fields<'_>,
    known: &[(&str, Type)],
    value: &str,
) -> Applied<Option<Canonical>> {
    let mut names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    names.push("document");
    fields.only(&names)?;
    fields.some(known)?;
    let document = fields.get("document").cloned();
    let document = document
        .map(|document| Canonical::of("the pin's document", document))
        .transpose()?;
    if document
        .as_ref()
        .is_some_and(|document| document.handle().to_string() != fields.text(value))
    {
        return Err(fields
            .wrong(value, "the SHA-256 of the canonical document")
            .into());
    }
    // Without its matrix the memory could give nothing out.
    if fields.text("name") == "mask_matrix" {
        let matrix = document.clone();
        MaskMatrix::read(matrix.ok_or_else(|| fields.wrong("document", "the mask matrix"))?)?;
    }
    Ok(document)
}

fn pin(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    let document = pin_parts(
        fields,
        &[("name", Type::Name), ("value", Type::Text)],
        "value",
    )?;
    let name = fields.text("name");
    if let Some(value) = state::pin(conn, name)? {
        return refused(
            Id::Pin,
            format!("{name} is pinned already, as {value}; append a REVISION to change it"),
        );
    }
    set_pin(conn, name, fields.text("value"), document, seq)
}

fn revision(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    const PARTS: &[(&str, Type)] = &[
        ("name", Type::Name),
        ("from", Type::Text),
        ("to", Type::Text),
        ("reason", Type::Text),
    ];
    let document = pin_parts(fields, PARTS, "to")?;
    let (name, from) = (fields.text("name"), fields.text("from"));
    match state::pin(conn, name)? {
        Some(value) if value == from => {}
        Some(value) => return refused(Id::Revision, format!("{name} is {value}, not {from}")),
        None => return refused(Id::Revision, format!("there is no pin {name}")),
    }
    set_pin(conn, name, fields.text("to"), document, seq)
}

fn set_pin(
    conn: &Connection,
    name: &str,
    value: &str,
    document: Option<Canonical>,
    seq: u64,
) -> Applied {
    let document = document.as_ref().map(Canonical::bytes);
    conn.prepare_cached(
        "INSERT OR REPLACE INTO pin (name, value, document, seq) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![name, value, document, seq])?;
    Ok(())
}

fn attempt(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    let rolled = matches!(fields.text("outcome"), "SUCCESS" | "FAILURE");
    if let (true, Some((_, scene))) = (rolled, state::read(conn)?.scene) {
        let handle = fields.handle("detail_handle")?;
        conn.prepare_cached("INSERT INTO attempt (handle, scene, seq) VALUES (?1, ?2, ?3)")?
            .execute(params![handle.0, scene, seq])?;
    }
    Ok(())
}

fn recalled(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    let Some(scope) = fields.text_or_null("unlock_scope") else {
        return Ok(());
    };
    let handle = fields.handle("detail_handle")?;
    let state = state::read(conn)?;
    let key = match (scope, state.scene) {
        ("SCENE", Some((_, scene))) => scene,
        ("SCENE", None) => return refused(Id::RecallResult, "no scene is on"),
        _ => state.session_since,
    };
    unlock(conn, handle, scope, &key.to_string(), seq)
}

fn unlock(conn: &Connection, handle: Handle, scope: &str, key: &str, seq: u64) -> Applied {
    // The first stays: what went out between the two was unlocked (gate G2).
    conn.prepare_cached(
        "INSERT OR IGNORE INTO unlocked (handle, scope, scope_key, seq) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![handle.0, scope, key, seq])?;
    Ok(())
}

fn requested(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    let request = fields.text("request_id");
    if consent(conn, request)?.is_some() {
        return refused(
            Id::NotebookRequested,
            format!("the request {request} was made before"),
        );
    }
    for handle in fields.handles("content_handles") {
        if state::fact_of(conn, handle)?.is_none() {
            return refused(
                Id::NotebookRequested,
                format!("nothing has the handle {handle}"),
            );
        }
    }
    conn.prepare_cached(
        "INSERT INTO consent (request, player, handles, state, seq) VALUES (?1, ?2, ?3, 'ASKED', ?4)",
    )?
    .execute(params![request, fields.text("player_id"), handles(fields), seq])?;
    Ok(())
}

/// Whose notebook, what, and how far it is.
fn consent(conn: &Connection, request: &str) -> rusqlite::Result<Option<(String, String, String)>> {
    conn.prepare_cached("SELECT player, handles, state FROM consent WHERE request = ?1")?
        .query_row(params![request], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()
}

fn handles(fields: &Fields<'_>) -> String {
    let handles = fields.handles("content_handles");
    let texts: Vec<String> = handles.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

fn answered(conn: &Connection, seq: u64, id: Id, fields: &Fields<'_>, state: &str) -> Applied {
    let request = fields.text("request_id");
    match consent(conn, request)? {
        Some((player, _, asked)) if asked == "ASKED" && player == fields.text("player_id") => {}
        Some((player, _, asked)) if asked == "ASKED" => {
            return refused(
                id,
                format!("the notebook is {player}'s, who alone may answer"),
            );
        }
        Some((_, _, state)) => {
            return refused(
                id,
                format!("the request {request} is {state} already; make another"),
            );
        }
        None => {
            return refused(
                id,
                format!("there is no request {request}; EV-010 makes one"),
            );
        }
    }
    step(conn, request, state, seq)
}

fn step(conn: &Connection, request: &str, state: &str, seq: u64) -> Applied {
    conn.prepare_cached("UPDATE consent SET state = ?2, seq = ?3 WHERE request = ?1")?
        .execute(params![request, state, seq])?;
    Ok(())
}

fn written(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    let (id, request) = (Id::NotebookApplied, fields.text("request_id"));
    match consent(conn, request)? {
        Some((_, asked, state)) if state == "GRANTED" && asked == handles(fields) => {}
        Some((_, _, state)) if state == "GRANTED" => {
            return refused(id, "the content is not what was consented to");
        }
        Some((_, _, state)) => {
            return refused(id, format!("the request {request} is {state}, not GRANTED"));
        }
        None => return refused(id, format!("there is no request {request}")),
    }
    let campaign = state::read(conn)?.campaign_id;
    for handle in fields.handles("content_handles") {
        unlock(conn, handle, "CAMPAIGN", &campaign, seq)?;
    }
    step(conn, request, "APPLIED", seq)
}
