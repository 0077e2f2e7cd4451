//! Where the story stands, as derived from the log (document, section 4.2).

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::apply_error::ApplyResult;
use crate::bodies::StateBody;
use crate::document::to_value;
use crate::entry::EntryKind;
use crate::error::MemoryError;
use crate::event_bodies::{Mode, SceneBody};
use crate::identifier::Identifier;
use crate::used_names::note_name;
use crate::words::words;

words! {
    /// A pointer into the story.
    enum StoryPointer {
        World = "world_id",
        Campaign = "campaign_id",
        Session = "session_id",
        Scene = "scene_id",
        Mode = "mode",
        Threads = "threads",
        Clocks = "clocks",
        Regions = "regions",
        ReadingSpot = "reading_spot",
    }
}

/// The scene that is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentScene {
    /// The scene.
    pub id: Identifier,
    /// The entry that began the scene.
    pub seq: u64,
}

/// Where the story stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryState {
    /// The world.
    pub world_id: String,
    /// The campaign.
    pub campaign_id: String,
    /// The session.
    pub session_id: String,
    /// The entry that began the session.
    pub session_seq: u64,
    /// The scene that is on, if one is.
    pub scene: Option<CurrentScene>,
    /// The mode of play.
    pub mode: Mode,
    /// The other pointers, by name: threads, clocks, regions, the reading spot.
    pub others: Vec<(String, Value)>,
}

/// Reads where the story stands.
pub(crate) fn read_story_state(conn: &Connection) -> rusqlite::Result<StoryState> {
    let mut all = conn.prepare_cached("SELECT name, value, seq FROM pointer ORDER BY name")?;
    let mut rows = all.query(params![])?;
    let mut state = StoryState {
        world_id: String::new(),
        campaign_id: String::new(),
        session_id: String::new(),
        session_seq: 0,
        scene: None,
        mode: Mode::Play,
        others: Vec::new(),
    };
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        match StoryPointer::parse(&name) {
            Some(StoryPointer::World) => state.world_id = read_json(row)?,
            Some(StoryPointer::Campaign) => state.campaign_id = read_json(row)?,
            Some(StoryPointer::Session) => {
                state.session_id = read_json(row)?;
                state.session_seq = row.get(2)?;
            }
            Some(StoryPointer::Scene) => {
                let seq = row.get(2)?;
                let scene: Option<Identifier> = read_json(row)?;
                state.scene = scene.map(|id| CurrentScene { id, seq });
            }
            Some(StoryPointer::Mode) => state.mode = read_json(row)?,
            _ => state.others.push((name, read_json(row)?)),
        }
    }
    Ok(state)
}

/// Reads which campaign is played.
pub(crate) fn read_campaign(conn: &Connection) -> rusqlite::Result<String> {
    let campaign = conn
        .prepare_cached("SELECT name, value FROM pointer WHERE name = ?1")?
        .query_row([StoryPointer::Campaign.as_str()], read_json)
        .optional()?;
    Ok(campaign.unwrap_or_default())
}

/// Reads the value of a pointer.
fn read_json<T: DeserializeOwned>(row: &rusqlite::Row<'_>) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(1)?.as_str()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
    })
}

fn set_pointer(
    conn: &Connection,
    pointer: StoryPointer,
    value: &impl Serialize,
    seq: u64,
) -> ApplyResult {
    let value = to_value(pointer.as_str(), value)?;
    conn.prepare_cached(
        "INSERT INTO pointer (name, value, seq) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET value = excluded.value, seq = excluded.seq",
    )?
    .execute(params![pointer.as_str(), value.to_string(), seq])?;
    Ok(())
}

/// Sets the pointers that a STATE names.
pub(crate) fn set_state(conn: &Connection, seq: u64, body: &StateBody) -> ApplyResult {
    for (member, pointer, event) in [
        (&body.mode, StoryPointer::Mode, "EV-030"),
        (&body.scene_id, StoryPointer::Scene, "EV-031 and EV-032"),
    ] {
        if member.is_some() {
            let reason = format!("{pointer} changes by {event} alone");
            return Err(MemoryError::refused(EntryKind::State.as_str(), reason).into());
        }
    }
    for (pointer, value) in [
        (StoryPointer::World, &body.world_id),
        (StoryPointer::Campaign, &body.campaign_id),
        (StoryPointer::Session, &body.session_id),
    ] {
        if let Some(value) = value {
            note_name(conn, seq, value)?;
            set_pointer(conn, pointer, value, seq)?;
        }
    }
    for (pointer, values) in [
        (StoryPointer::Threads, &body.threads),
        (StoryPointer::Clocks, &body.clocks),
        (StoryPointer::Regions, &body.regions),
    ] {
        if let Some(values) = values {
            set_pointer(conn, pointer, values, seq)?;
        }
    }
    Ok(())
}

/// Sets the mode of play.
pub(crate) fn set_mode(conn: &Connection, seq: u64, mode: Mode) -> ApplyResult {
    set_pointer(conn, StoryPointer::Mode, &mode, seq)
}

/// Sets the reading spot.
pub(crate) fn set_reading_spot(conn: &Connection, seq: u64, setting: &Identifier) -> ApplyResult {
    set_pointer(conn, StoryPointer::ReadingSpot, setting, seq)
}

/// Refuses an event of another scene than the one that is on.
pub(crate) fn check_scene(
    conn: &Connection,
    kind: EntryKind,
    named: Option<&Identifier>,
) -> ApplyResult {
    let current = read_story_state(conn)?.scene.map(|scene| scene.id);
    if current.as_ref() == named {
        return Ok(());
    }
    let name = |scene: Option<&Identifier>| match scene {
        Some(scene) => format!("the scene {scene}"),
        None => "no scene".to_owned(),
    };
    let reason = format!(
        "{} is on, and its scene_id names {}; give the scene that is on, or null where none is",
        name(current.as_ref()),
        name(named)
    );
    Err(MemoryError::refused(kind.as_str(), reason).into())
}

/// Begins a scene, where none is on.
pub(crate) fn start_scene(conn: &Connection, seq: u64, body: &SceneBody) -> ApplyResult {
    if let Some(current) = read_story_state(conn)?.scene {
        let reason = format!("the scene {} is on; end it with EV-032 first", current.id);
        return Err(MemoryError::refused(EntryKind::SceneStart.as_str(), reason).into());
    }
    note_name(conn, seq, &body.scene_id)?;
    set_pointer(conn, StoryPointer::Scene, &body.scene_id, seq)
}

/// Ends the scene that is on.
pub(crate) fn end_scene(conn: &Connection, seq: u64, body: &SceneBody) -> ApplyResult {
    let reason = match read_story_state(conn)?.scene {
        Some(current) if current.id == body.scene_id => {
            return set_pointer(conn, StoryPointer::Scene, &Value::Null, seq);
        }
        Some(current) => format!("the scene {} is on, not {}", current.id, body.scene_id),
        None => "no scene is on".to_owned(),
    };
    Err(MemoryError::refused(EntryKind::SceneEnd.as_str(), reason).into())
}
