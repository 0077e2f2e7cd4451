//! The rules that the table opened in its rulebook, as derived from the log (document, sections 4.4 and 5B).
//!
//! What is opened is the rule, which may be named from then on. No exact string of a fact is: a name in a fact's
//! provenance would else be a way around the dice.

use rusqlite::{Connection, params};

use crate::apply_error::ApplyResult;
use crate::bodies::RecallScope;
use crate::entry::EntryKind;
use crate::error::MemoryError;
use crate::event_bodies::RuleRefBody;
use crate::event_contract::{EventContract, read_contract, refuse_extension};
use crate::story_state::{CurrentScene, StoryState, check_scene, read_story_state};
use crate::unlocks::UnlockScope;
use crate::used_names::note_name;

/// A rule that is open now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedRule {
    /// The rule, as the table's rulebook names it.
    pub rule_ref: String,
    /// Until when the rule is open.
    pub scope: UnlockScope,
    /// The entry that opened the rule.
    pub seq: u64,
}

/// The entry that began what a scene's openings hold in: a scene that outlasts its session keeps nothing open.
fn began_in(state: &StoryState, scene: &CurrentScene) -> u64 {
    scene.seq.max(state.session_seq)
}

/// Opens a rule until its scope ends.
pub(crate) fn open_rule(conn: &Connection, seq: u64, body: &RuleRefBody) -> ApplyResult {
    let id = EntryKind::RuleRefOpened;
    if read_contract(conn)? != EventContract::WithRuleRefOpened {
        return Err(refuse_extension(id).into());
    }
    check_scene(conn, id, body.scene_id.as_ref())?;
    let state = read_story_state(conn)?;
    let (scope, began) = match (body.unlock_scope, &state.scene) {
        (RecallScope::Session, _) => (UnlockScope::Session, state.session_seq),
        (RecallScope::Scene, Some(scene)) => (UnlockScope::Scene, began_in(&state, scene)),
        (RecallScope::Scene, None) => {
            let reason = "no scene is on; open the rule for the SESSION, or begin a scene first";
            return Err(MemoryError::refused(id.as_str(), reason).into());
        }
    };
    note_name(conn, seq, &body.rule_ref)?;
    conn.prepare_cached(
        "INSERT OR IGNORE INTO opened_rule (rule_ref, scope, campaign, began, seq) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        &*body.rule_ref,
        scope.as_str(),
        state.campaign_id,
        began,
        seq
    ])?;
    Ok(())
}

/// Lists the rules that are open now, by name, each with its widest scope.
pub(crate) fn list_opened_rules(
    conn: &Connection,
    state: &StoryState,
) -> rusqlite::Result<Vec<OpenedRule>> {
    let mut all = conn.prepare_cached(
        "SELECT rule_ref, scope, seq FROM opened_rule WHERE campaign = ?1
         AND (scope = ?2 AND began = ?3 OR scope = ?4 AND began = ?5)
         ORDER BY rule_ref, scope = ?4",
    )?;
    let (session, scene) = (UnlockScope::Session, UnlockScope::Scene);
    let mut rows = all.query(params![
        state.campaign_id,
        session.as_str(),
        state.session_seq,
        scene.as_str(),
        state.scene.as_ref().map(|scene| began_in(state, scene)),
    ])?;
    let mut rules: Vec<OpenedRule> = Vec::new();
    while let Some(row) = rows.next()? {
        let (rule_ref, word): (String, String) = (row.get(0)?, row.get(1)?);
        if rules.last().is_some_and(|last| last.rule_ref == rule_ref) {
            continue;
        }
        rules.push(OpenedRule {
            rule_ref,
            scope: if word == scene.as_str() {
                scene
            } else {
                session
            },
            seq: row.get(2)?,
        });
    }
    Ok(rules)
}
