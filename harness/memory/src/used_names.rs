//! The names that stand in outputs as they are in use: kinds of facts, scenes, worlds, campaigns, sessions, pins, purposes
//! of compactions. An exact string that is one of them would be found in every output, so no fact may have it.

use rusqlite::{Connection, params};

use crate::apply_error::ApplyResult;
use crate::error::MemoryError;
use crate::fact::{Fact, FactDetail};
use crate::folded_text::FoldedText;

/// The name as the search takes it.
fn fold(name: &str) -> String {
    FoldedText::new(name).as_sought().shapes.iter().collect()
}

/// Notes that a name is in use, from the entry `seq` on.
pub(crate) fn note_name(conn: &Connection, seq: u64, name: &str) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO used_name (name, seq) VALUES (?1, ?2)")?
        .execute(params![fold(name), seq])?;
    Ok(())
}

/// Refuses a fact one of whose exact strings is a name in use.
pub(crate) fn refuse_used_names(conn: &Connection, fact: &Fact) -> ApplyResult {
    let kind = fold(&fact.body.kind);
    let mut find = conn.prepare_cached("SELECT 1 FROM used_name WHERE name = ?1")?;
    for (index, FactDetail { exact, .. }) in fact.details().iter().enumerate() {
        let folded = fold(exact);
        if folded == kind || find.exists(params![folded])? {
            let place = format!("$.details[{index}].exact");
            let expected = "a string that is not the name of a kind, a scene, a world, a campaign, a session, a pin or a purpose: every output has these";
            let reason = format!("found {exact:?}, expected {expected}");
            return Err(MemoryError::document("the fact", place, reason).into());
        }
    }
    Ok(())
}
