//! The path of a picture, from the request to the delivery (document, sections 4.6 and 9.2). Each stage
//! names the entry of the stage before it, so that the path stands in the log. Nothing reads what a stage
//! says of quality.

use rusqlite::{Connection, OptionalExtension, params};

use crate::apply_error::ApplyResult;
use crate::bodies::{AssetBody, AssetStage};
use crate::canonical::CanonicalJson;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;

/// The handle of a stage. The handle of a request is its `request_hash`, the SHA-256 of the canonical
/// bytes of its document; the handle of any other stage is the SHA-256 of its body.
pub(crate) fn asset_handle(body: &AssetBody) -> Result<Handle> {
    let canonical = match body.stage {
        AssetStage::RequestSpec => CanonicalJson::from_document("the asset", &body.document)?,
        _ => CanonicalJson::from_document("the asset", body)?,
    };
    Ok(canonical.handle())
}

/// Checks that a stage follows the stage before it, and registers the stage.
pub(crate) fn register_asset(conn: &Connection, seq: u64, body: &AssetBody) -> ApplyResult {
    let stage = body.stage;
    let before = AssetStage::ALL
        .into_iter()
        .take_while(|other| *other != stage)
        .last();
    let wrong = |place: &str, reason: String| {
        MemoryError::document(EntryKind::Asset.as_str(), place, reason)
    };
    match (before, body.of) {
        (None, Some(_)) => {
            return Err(wrong(
                "$.of",
                format!("a {stage} is the first stage and has no `of`"),
            )
            .into());
        }
        (Some(before), None) => {
            let reason = format!("missing field `of`, expected the handle of a {before}");
            return Err(wrong("$", reason).into());
        }
        (Some(_), Some(_)) if body.viewers.is_some() => {
            let reason = format!("only a {} has `viewers`", AssetStage::RequestSpec);
            return Err(wrong("$.viewers", reason).into());
        }
        (Some(before), Some(of)) => {
            let found = find_stage(conn, of)?.unwrap_or("nothing".to_owned());
            if found != before.as_str() {
                return Err(MemoryError::refused(
                    format!("{} {stage}", EntryKind::Asset),
                    format!("`of` must be the handle of a {before}, and {of} is {found}"),
                )
                .into());
            }
        }
        (None, None) => {}
    }
    // Registering the same stage a second time changes nothing.
    conn.prepare_cached(
        "INSERT OR IGNORE INTO asset (handle, stage, previous, seq) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![asset_handle(body)?, stage.as_str(), body.of, seq])?;
    Ok(())
}

fn find_stage(conn: &Connection, handle: Handle) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT stage FROM asset WHERE handle = ?1")?
        .query_row(params![handle], |row| row.get(0))
        .optional()
}
