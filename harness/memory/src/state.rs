//! Where the story stands, what is pinned and what is unlocked, as derived from the log (document,
//! sections 4.2, 4.4 and 7).

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::canonical::Handle;

/// What points into the story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// `world_id`
    World,
    /// `campaign_id`
    Campaign,
    /// `session_id`
    Session,
    /// `scene_id`, by EV-031 and EV-032 alone
    Scene,
    /// `mode`, by EV-030 alone
    Mode,
    /// `threads`
    Threads,
    /// `clocks`
    Clocks,
    /// `regions`
    Regions,
    /// `reading_spot`, by EV-020 alone
    ReadingSpot,
}

impl Pointer {
    /// As state commits and working sets name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Pointer::World => "world_id",
            Pointer::Campaign => "campaign_id",
            Pointer::Session => "session_id",
            Pointer::Scene => "scene_id",
            Pointer::Mode => "mode",
            Pointer::Threads => "threads",
            Pointer::Clocks => "clocks",
            Pointer::Regions => "regions",
            Pointer::ReadingSpot => "reading_spot",
        }
    }
}

/// Where the story stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryState {
    /// The world.
    pub world_id: String,
    /// The campaign.
    pub campaign_id: String,
    /// The session.
    pub session_id: String,
    /// The entry that began the session.
    pub session_since: u64,
    /// The scene that is on, and the entry that began it.
    pub scene: Option<(String, u64)>,
    /// PLAY, COMPANION, REFERENCE or NOTEBOOK.
    pub mode: String,
    /// All else: threads, clocks, regions, the reading spot; by name.
    pub others: Vec<(String, Value)>,
}

pub(super) fn read(conn: &Connection) -> rusqlite::Result<StoryState> {
    let mut all = conn.prepare_cached("SELECT name, value, seq FROM pointer ORDER BY name")?;
    let mut rows = all.query(params![])?;
    let mut state = StoryState {
        mode: "PLAY".to_owned(),
        ..StoryState::default()
    };
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let text: String = row.get(1)?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let text = || value.as_str().unwrap_or_default().to_owned();
        match name.as_str() {
            "world_id" => state.world_id = text(),
            "campaign_id" => state.campaign_id = text(),
            "session_id" => {
                state.session_id = text();
                state.session_since = row.get(2)?;
            }
            "scene_id" => {
                let since = row.get(2)?;
                state.scene = value.as_str().map(|scene| (scene.to_owned(), since));
            }
            "mode" => state.mode = text(),
            _ => state.others.push((name, value)),
        }
    }
    Ok(state)
}

pub(super) fn set(
    conn: &Connection,
    pointer: Pointer,
    value: &Value,
    seq: u64,
) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO pointer (name, value, seq) VALUES (?1, ?2, ?3)")?
        .execute(params![pointer.as_str(), value.to_string(), seq])?;
    Ok(())
}

/// The value of a pin.
pub(super) fn pin(conn: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT value FROM pin WHERE name = ?1")?
        .query_row(params![name], |row| row.get(0))
        .optional()
}

/// Every pin, by name.
pub(super) fn pins(conn: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    conn.prepare_cached("SELECT name, value FROM pin ORDER BY name")?
        .query_map(params![], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Under what a player's facts are listed in `shown`.
pub(super) fn audience(player: &str) -> String {
    format!("PLAYER:{player}")
}

/// The fact that a handle is of: its own, or a detail's.
pub(super) fn fact_of(conn: &Connection, handle: Handle) -> rusqlite::Result<Option<Handle>> {
    let mut find = conn.prepare_cached(
        "SELECT fact FROM fact WHERE fact = ?1 UNION ALL SELECT fact FROM detail WHERE handle = ?1",
    )?;
    let found = find.query_row(params![handle.0], |row| row.get(0).map(Handle));
    found.optional()
}

/// Until when a handle is unlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// While the scene is on.
    Scene,
    /// While the session is on.
    Session,
    /// For good, in this campaign.
    Campaign,
}

impl Scope {
    /// As the log has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Scene => "SCENE",
            Scope::Session => "SESSION",
            Scope::Campaign => "CAMPAIGN",
        }
    }
}

/// The widest scope in which `handle` is unlocked now, and the entry that did it.
pub(super) fn unlocked(
    conn: &Connection,
    state: &StoryState,
    handle: Handle,
) -> rusqlite::Result<Option<(Scope, u64)>> {
    let mut find = conn.prepare_cached(
        "SELECT seq FROM unlocked WHERE handle = ?1 AND scope = ?2 AND scope_key = ?3",
    )?;
    let mut since = |scope: Scope, key: &str| {
        find.query_row(params![handle.0, scope.as_str(), key], |row| {
            row.get::<_, u64>(0)
        })
        .optional()
    };
    if let Some(seq) = since(Scope::Campaign, &state.campaign_id)? {
        return Ok(Some((Scope::Campaign, seq)));
    }
    if let Some(seq) = since(Scope::Session, &state.session_since.to_string())? {
        return Ok(Some((Scope::Session, seq)));
    }
    if let Some((_, scene)) = &state.scene
        && let Some(seq) = since(Scope::Scene, &scene.to_string())?
        // A scene that outlasts its session takes nothing with it.
        && seq > state.session_since
    {
        return Ok(Some((Scope::Scene, seq)));
    }
    Ok(None)
}
