//! Pins: what the memory was made under, changed by revisions alone (document, section 7; gate G6).

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::apply_error::ApplyResult;
use crate::bodies::{PinBody, RevisionBody};
use crate::canonical::CanonicalJson;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::mask::MaskMatrix;
use crate::policy::{GUESSES_PER_SCENE, parse_guess_limit};
use crate::used_names::note_name;

/// The pin whose document is the mask matrix.
pub(crate) const MASK_MATRIX: &str = "mask_matrix";

/// Pins a value that has no pin yet.
pub(crate) fn add_pin(conn: &Connection, seq: u64, body: &PinBody) -> ApplyResult {
    let id = EntryKind::Pin.as_str();
    let document = check_document(id, &body.name, &body.value, body.document.as_ref())?;
    if let Some(value) = find_pin(conn, &body.name)? {
        let name = &body.name;
        let reason =
            format!("{name} is pinned already, as {value}; append a REVISION to change it");
        return Err(MemoryError::refused(id, reason).into());
    }
    note_name(conn, seq, &body.name)?;
    set_pin(conn, &body.name, &body.value, document, seq)
}

/// Gives a pin another value.
pub(crate) fn revise_pin(conn: &Connection, seq: u64, body: &RevisionBody) -> ApplyResult {
    let id = EntryKind::Revision.as_str();
    let (name, from) = (&*body.name, &body.from);
    let document = check_document(id, name, &body.to, body.document.as_ref())?;
    let reason = match find_pin(conn, name)? {
        Some(value) if value == *from => {
            return set_pin(conn, name, &body.to, document, seq);
        }
        Some(value) => format!("{name} is {value}, not {from}"),
        None => format!("there is no pin {name}"),
    };
    Err(MemoryError::refused(id, reason).into())
}

/// Checks the value of a pin, and its document, whose hash the value must be.
fn check_document(
    id: &str,
    name: &str,
    value: &str,
    document: Option<&Value>,
) -> Result<Option<CanonicalJson>> {
    let document = document
        .map(|document| CanonicalJson::from_value("the pin's document", document.clone()))
        .transpose()?;
    if let Some(document) = &document
        && document.handle().to_string() != value
    {
        let expected = "the SHA-256 of the canonical document";
        let reason = format!(
            "the value is {value:?}, expected {expected}, {}",
            document.handle()
        );
        return Err(MemoryError::document(id, "$", reason));
    }
    if name == GUESSES_PER_SCENE && parse_guess_limit(value).is_none() {
        let reason = format!("the value is {value:?}, expected a number up to 4294967295");
        return Err(MemoryError::document(id, "$", reason));
    }
    // Without its matrix the memory could give nothing out.
    if name == MASK_MATRIX {
        let missing =
            || MemoryError::document(id, "$.document", "missing; expected the mask matrix");
        MaskMatrix::read(document.clone().ok_or_else(missing)?)?;
    }
    Ok(document)
}

fn set_pin(
    conn: &Connection,
    name: &str,
    value: &str,
    document: Option<CanonicalJson>,
    seq: u64,
) -> ApplyResult {
    let document = document.as_ref().map(CanonicalJson::bytes);
    conn.prepare_cached(
        "INSERT INTO pin (name, value, document, seq) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE
         SET value = excluded.value, document = excluded.document, seq = excluded.seq",
    )?
    .execute(params![name, value, document, seq])?;
    Ok(())
}

pub(crate) fn find_pin(conn: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT value FROM pin WHERE name = ?1")?
        .query_row(params![name], |row| row.get(0))
        .optional()
}
