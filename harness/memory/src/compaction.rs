//! Compactions: the gists of some facts in one piece (document, section 4.3; gate G4).
//!
//! The log says what a compaction is made of, never what it says: that is made from the facts, and
//! made again by a rebuild. It authorises nothing.

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::apply::Applied;
use super::canonical::{Canonical, Handle, object};
use super::error::{MemoryError, Result};
use super::fields::Fields;
use super::log;
use super::policy;

/// `compaction_id`: the SHA-256 of the canonical input handles and policy.
pub fn compaction_id(inputs: &[Handle], policy: Handle) -> Result<Handle> {
    let value = object([
        ("compaction_policy_id", policy.to_string().into()),
        (
            "input_handles",
            inputs.iter().map(ToString::to_string).collect(),
        ),
    ]);
    Ok(Canonical::of("the compaction", value)?.handle())
}

/// The body of a COMPACTION of these facts under the one policy there is.
pub fn body(purpose: &str, inputs: &[Handle]) -> Result<Value> {
    Ok(json!({
        "compaction_policy_id": policy::gist_list()?.to_string(),
        "purpose": purpose,
        "input_handles": inputs.iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}

pub(super) fn register(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    let policy = fields.handle("compaction_policy_id")?;
    let known = policy::gist_list()?;
    if policy != known {
        let reason = format!("the only compaction policy is {known} (gist-list/1), not {policy}");
        return Err(MemoryError::refused("COMPACTION", reason).into());
    }
    let inputs = fields.handles("input_handles");
    let output = output(conn, &inputs)?;
    let id = compaction_id(&inputs, policy)?;
    conn.prepare_cached(
        "INSERT OR IGNORE INTO compaction (purpose, compaction, output, seq) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![fields.text("purpose"), id.0, output.bytes(), seq])?;
    Ok(())
}

/// The bytes of a compaction: an array of what each fact safely says.
pub(super) fn output(conn: &Connection, inputs: &[Handle]) -> Applied<Canonical> {
    let mut lines = Vec::with_capacity(inputs.len());
    let mut find = conn.prepare_cached("SELECT seq FROM fact WHERE fact = ?1")?;
    for input in inputs {
        let seq = match find.query_row(params![input.0], |row| row.get(0)) {
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                let reason = format!("there is no fact {input}");
                return Err(MemoryError::refused("COMPACTION", reason).into());
            }
            found => found?,
        };
        let mut fact = log::body(conn, seq)?;
        let gist = fact.get_mut("gist").map(Value::take);
        let line = gist.or_else(|| fact.get_mut("payload").map(Value::take));
        lines.push(line.unwrap_or_default());
    }
    Ok(Canonical::of("the compaction", Value::Array(lines))?)
}

/// The inputs of a registered compaction.
pub(super) fn inputs(conn: &Connection, seq: u64) -> rusqlite::Result<Vec<Handle>> {
    let body = log::body(conn, seq)?;
    let inputs = body.get("input_handles").and_then(Value::as_array);
    let inputs = inputs.into_iter().flatten().filter_map(Value::as_str);
    Ok(inputs.filter_map(Handle::parse).collect())
}
