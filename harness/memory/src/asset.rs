//! What the memory keeps of pictures: from the request to the delivery (document, sections 4.6 and
//! 9.2). Each stage names the entry of the stage before it, so that the path stands in the log. What
//! a stage says of quality is kept and read by nothing.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::apply::Applied;
use super::canonical::{Canonical, Handle};
use super::error::MemoryError;
use super::fields::{Fields, Type};

/// The stages, in the order of the path.
pub const STAGES: [&str; 7] = [
    "REQUEST_SPEC",
    "ENGINE",
    "QUALITY",
    "ASSET_STORE",
    "POOL",
    "BINDING",
    "DELIVERY",
];

/// The handle of a stage: of a request its `request_hash`, the SHA-256 of the request's canonical
/// bytes; of any other the SHA-256 of its body.
pub(super) fn handle(body: &Value) -> Result<Handle, MemoryError> {
    let is_request = body
        .get("stage")
        .is_some_and(|stage| stage == "REQUEST_SPEC");
    let content = match body.get("document") {
        Some(document) if is_request => document,
        _ => body,
    };
    Ok(Canonical::of("the asset", content.clone())?.handle())
}

pub(super) fn register(conn: &Connection, seq: u64, fields: &Fields<'_>) -> Applied {
    fields.some(&[("stage", Type::Word(&STAGES))])?;
    let stage = fields.text("stage");
    let before = STAGES
        .iter()
        .position(|name| *name == stage)
        .and_then(|at| at.checked_sub(1));
    let before = before.and_then(|at| STAGES.get(at));
    let previous = match before {
        None => {
            fields.only(&["stage", "document", "viewers"])?;
            fields.some(&[("document", Type::Object)])?;
            if fields.get("viewers").is_some() {
                fields.some(&[("viewers", Type::Names)])?;
            }
            None
        }
        Some(before) => {
            fields.exactly(&[
                ("stage", Type::Name),
                ("of", Type::Handle),
                ("document", Type::Object),
            ])?;
            let of = fields.handle("of")?;
            let found = stage_of(conn, of)?;
            if found.as_deref() != Some(before) {
                let found = found.unwrap_or("nothing".to_owned());
                return Err(MemoryError::refused(
                    format!("ASSET {stage}"),
                    format!("`of` must be the handle of a {before}, and {of} is {found}"),
                )
                .into());
            }
            Some(of.0)
        }
    };
    let handle = handle(fields.whole())?;
    // The same stage of the same thing again changes nothing.
    conn.prepare_cached(
        "INSERT OR IGNORE INTO asset (handle, stage, previous, seq) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![handle.0, stage, previous, seq])?;
    Ok(())
}

fn stage_of(conn: &Connection, handle: Handle) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT stage FROM asset WHERE handle = ?1")?
        .query_row(params![handle.0], |row| row.get(0))
        .optional()
}
