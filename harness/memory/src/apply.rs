//! From an entry of the log to the tables derived from it.
//!
//! The same function serves an append and a rebuild, so the two cannot differ. It refuses an entry
//! that the present state forbids.

use rusqlite::{Connection, params};

use crate::apply_error::ApplyResult;
use crate::asset::register_asset;
use crate::audience::Audience;
use crate::bodies::FactBody;
use crate::compaction::register_compaction;
use crate::consent::{apply_consent, open_request, record_answer};
use crate::earlier_bodies::Revised;
use crate::entry::EntryBody;
use crate::fact::{Fact, FactDetail};
use crate::guesses::add_guesses;
use crate::opened_rules::open_rule;
use crate::pins::{add_pin, revise_pin};
use crate::retractions::retract_fact;
use crate::search_index::index_fact;
use crate::story_state::{
    check_scene, end_scene, read_campaign, set_mode, set_reading_spot, set_state, start_scene,
};
use crate::unlocks::{apply_recall_result, record_attempt};
use crate::used_names::note_name;

/// Applies the entry `seq` to the tables.
pub(crate) fn apply_entry(conn: &Connection, seq: u64, body: EntryBody) -> ApplyResult {
    let kind = body.kind();
    match body {
        EntryBody::Fact(body) => add_fact(conn, seq, body),
        EntryBody::Retraction(body) => retract_fact(conn, seq, &body),
        EntryBody::State(body) => set_state(conn, seq, &body),
        EntryBody::Pin(body) => add_pin(conn, seq, &body),
        EntryBody::Revision(body) => revise_pin(conn, seq, &body),
        EntryBody::Compaction(body) => register_compaction(conn, seq, &body),
        EntryBody::Asset(body) => register_asset(conn, seq, &body),
        EntryBody::ModeChanged(Revised::Present(body)) => {
            check_scene(conn, kind, body.scene_id.as_ref())?;
            set_mode(conn, seq, body.mode)
        }
        EntryBody::ModeChanged(Revised::Earlier(body)) => set_mode(conn, seq, body.mode),
        EntryBody::ReadingSpot(Revised::Present(body)) => {
            check_scene(conn, kind, body.scene_id.as_ref())?;
            set_reading_spot(conn, seq, &body.setting)
        }
        EntryBody::ReadingSpot(Revised::Earlier(body)) => {
            set_reading_spot(conn, seq, &body.setting)
        }
        EntryBody::RuleRefOpened(body) => open_rule(conn, seq, &body),
        EntryBody::SceneStart(body) => start_scene(conn, seq, &body),
        EntryBody::SceneEnd(body) => end_scene(conn, seq, &body),
        EntryBody::RecallAttempt(body) => record_attempt(conn, seq, &body),
        EntryBody::RecallResult(body) => apply_recall_result(conn, seq, &body),
        EntryBody::NotebookRequested(body) => open_request(conn, seq, &body),
        EntryBody::NotebookGranted(body) => record_answer(conn, seq, kind, &body, "GRANTED"),
        EntryBody::NotebookDenied(body) => record_answer(conn, seq, kind, &body, "DENIED"),
        EntryBody::NotebookApplied(body) => apply_consent(conn, seq, &body),
        EntryBody::Guess(body) => add_guesses(conn, seq, &body),
        // It selects nothing, so no table has it.
        EntryBody::Shown(body) => Ok(body.request().map(drop)?),
        EntryBody::NudgeSelected(Revised::Present(body)) => {
            check_scene(conn, kind, body.scene_id.as_ref())
        }
        EntryBody::NudgeSuppressed(Revised::Present(body)) => {
            check_scene(conn, kind, body.scene_id.as_ref())
        }
        EntryBody::RecallRequest(_)
        | EntryBody::NudgeSelected(Revised::Earlier(_))
        | EntryBody::NudgeSuppressed(Revised::Earlier(_))
        | EntryBody::BeatPlanned(_)
        | EntryBody::Roleplay101(_)
        | EntryBody::Roleplay102(_)
        | EntryBody::Roleplay103(_)
        | EntryBody::Roleplay104(_)
        | EntryBody::Roleplay105(_)
        | EntryBody::Roleplay106(_)
        | EntryBody::PlaybackPaused(_)
        | EntryBody::PlaybackResumed(_)
        | EntryBody::PlaybackAborted(_)
        | EntryBody::Roleplay110(_)
        | EntryBody::ValidationFailed(_)
        | EntryBody::RoleplayFallback(_) => Ok(()),
    }
}

fn add_fact(conn: &Connection, seq: u64, body: FactBody) -> ApplyResult {
    let fact = Fact::from_body(body)?;
    let (id, body) = (fact.id(), &fact.body);
    let (kind, stable_key) = (&*body.kind, &*body.stable_key);
    let mask = body.visibility_mask.kind().as_str();
    conn.prepare_cached(
        "INSERT INTO fact (fact, seq, kind, stable_key, mask, locked, campaign)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        id,
        seq,
        kind,
        stable_key,
        mask,
        fact.is_locked(),
        read_campaign(conn)?
    ])?;
    note_name(conn, seq, kind)?;
    let mut visible = conn.prepare_cached(
        "INSERT INTO visible (audience, stable_key, fact, kind, seq) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for list in Audience::lists_of(&body.visibility_mask) {
        visible.execute(params![list, stable_key, id, kind, seq])?;
    }
    let mut detail = conn.prepare_cached(
        "INSERT INTO detail (seq, handle, fact, exact, guard) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let guard = body.guarding().as_str();
    for FactDetail { handle, exact, .. } in fact.details() {
        detail.execute(params![seq, handle, id, exact, guard])?;
    }
    let mut tag = conn.prepare_cached("INSERT INTO tag (name, fact, seq) VALUES (?1, ?2, ?3)")?;
    for name in body.tags.iter().flatten() {
        tag.execute(params![&**name, id, seq])?;
    }
    index_fact(conn, seq, body)?;
    Ok(())
}
