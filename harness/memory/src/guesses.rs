//! How often the table guessed at locked strings in a scene, as derived from the log (document, section 5).
//!
//! The count holds for the scene's name within a session: a scene that begins again is the same scene.

use rusqlite::{Connection, OptionalExtension, params};

use crate::apply_error::ApplyResult;
use crate::bodies::GuessBody;
use crate::pins::find_pin;
use crate::policy::{DEFAULT_GUESSES, GUESSES_PER_SCENE, parse_guess_limit};
use crate::story_state::{StoryState, read_story_state};

/// Reads how many guesses a scene allows.
pub(crate) fn read_limit(conn: &Connection) -> rusqlite::Result<u64> {
    let pinned = find_pin(conn, GUESSES_PER_SCENE)?;
    let pinned = pinned.as_deref().and_then(parse_guess_limit);
    Ok(pinned.unwrap_or(DEFAULT_GUESSES))
}

/// The scene that is on, by its name; an empty name between two scenes.
fn scene_key(state: &StoryState) -> &str {
    state.scene.as_ref().map_or("", |scene| &scene.id)
}

/// Reads how many guesses there were in the scene that is on.
pub(crate) fn count_guesses(conn: &Connection, state: &StoryState) -> rusqlite::Result<u64> {
    let count = conn
        .prepare_cached(
            "SELECT guesses FROM guess WHERE campaign = ?1 AND session = ?2 AND scene = ?3",
        )?
        .query_row(
            params![state.campaign_id, state.session_seq, scene_key(state)],
            |row| row.get(0),
        )
        .optional()?;
    Ok(count.unwrap_or(0))
}

/// Adds the guesses of a text to those of the scene that is on.
pub(crate) fn add_guesses(conn: &Connection, seq: u64, body: &GuessBody) -> ApplyResult {
    let state = read_story_state(conn)?;
    conn.prepare_cached(
        "INSERT INTO guess (campaign, session, scene, guesses, seq) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET guesses = guesses + excluded.guesses, seq = excluded.seq",
    )?
    .execute(params![
        state.campaign_id,
        state.session_seq,
        scene_key(&state),
        body.guesses,
        seq
    ])?;
    Ok(())
}
