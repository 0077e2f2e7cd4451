//! Compactions: the gists of some facts in one piece (document, section 4.3; gate G4).
//!
//! The log holds what a compaction is made of, never its text: the text is made from the facts, and made
//! again by a rebuild. A compaction authorises nothing.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Value, json};

use crate::apply_error::ApplyResult;
use crate::bodies::CompactionBody;
use crate::canonical::CanonicalJson;
use crate::document::to_value;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::fact::read_fact_body;
use crate::handle::Handle;
use crate::identifier::Identifier;
use crate::retractions::refuse_retracted;
use crate::used_names::note_name;
use crate::{log, policy};

/// The `compaction_id`: the SHA-256 of the canonical input handles and policy.
pub(crate) fn compaction_id(inputs: &[Handle], policy: Handle) -> Result<Handle> {
    let identity = json!({ "compaction_policy_id": policy, "input_handles": inputs });
    Ok(CanonicalJson::from_value("the compaction", identity)?.handle())
}

/// The body of a COMPACTION of these facts under the only compaction policy there is.
///
/// # Errors
/// [`MemoryError::Document`] for a purpose that is no name.
pub fn compaction_body(purpose: &str, inputs: &[Handle]) -> Result<Value> {
    let what = EntryKind::Compaction.as_str();
    let body = CompactionBody {
        compaction_policy_id: policy::gist_list()?,
        purpose: Identifier::new(what, "purpose", purpose)?,
        input_handles: inputs.to_vec(),
    };
    to_value(what, &body)
}

/// Makes a compaction's text and registers both.
pub(crate) fn register_compaction(
    conn: &Connection,
    seq: u64,
    body: &CompactionBody,
) -> ApplyResult {
    let (policy, known) = (body.compaction_policy_id, policy::gist_list()?);
    if policy != known {
        let reason = format!("the only compaction policy is {known} (gist-list/1), not {policy}");
        return Err(MemoryError::refused(EntryKind::Compaction.as_str(), reason).into());
    }
    refuse_retracted(conn, EntryKind::Compaction, &body.input_handles)?;
    let text = compact(conn, &body.input_handles)?;
    let id = compaction_id(&body.input_handles, policy)?;
    conn.prepare_cached(
        "INSERT OR IGNORE INTO compaction (purpose, compaction, output, seq) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![&*body.purpose, id, text.bytes(), seq])?;
    note_name(conn, seq, &body.purpose)?;
    Ok(())
}

/// The text of a compaction: an array of what each fact safely says.
pub(crate) fn compact(conn: &Connection, inputs: &[Handle]) -> ApplyResult<CanonicalJson> {
    let mut lines = Vec::with_capacity(inputs.len());
    let mut find = conn.prepare_cached("SELECT seq FROM fact WHERE fact = ?1")?;
    for input in inputs {
        let seq = find
            .query_row(params![input], |row| row.get(0))
            .optional()?;
        let Some(seq) = seq else {
            let reason = format!("there is no fact {input}");
            return Err(MemoryError::refused(EntryKind::Compaction.as_str(), reason).into());
        };
        let fact = read_fact_body(conn, *input, seq)?;
        lines.push(match fact.gist {
            Some(gist) => Value::from(gist),
            None => Value::from(fact.payload),
        });
    }
    Ok(CanonicalJson::from_value(
        "the compaction",
        Value::Array(lines),
    )?)
}

/// The inputs of the compaction that the entry `seq` registered.
pub(crate) fn read_inputs(conn: &Connection, seq: u64) -> rusqlite::Result<Vec<Handle>> {
    Ok(log::read_body::<CompactionBody>(conn, seq)?.input_handles)
}
