//! Pins: what the memory was made under, changed by revisions alone (document, section 7; gate G6).

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::apply_error::ApplyResult;
use crate::bodies::{PinBody, RevisionBody};
use crate::canonical::CanonicalJson;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::mask::MaskMatrix;
use crate::policy::{self, GUESSES_PER_SCENE, parse_guess_limit};
use crate::reader::MemoryReader;

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
        "INSERT OR REPLACE INTO pin (name, value, document, seq) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![name, value, document, seq])?;
    Ok(())
}

pub(crate) fn find_pin(conn: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT value FROM pin WHERE name = ?1")?
        .query_row(params![name], |row| row.get(0))
        .optional()
}

impl MemoryReader {
    /// Reads the pins, by name: name and value.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn pins(&self) -> Result<Vec<(String, String)>> {
        let read = || {
            self.conn
                .prepare_cached("SELECT name, value FROM pin ORDER BY name")?
                .query_map(params![], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(self.read_error())
    }

    /// Reads the mask matrix that is pinned.
    pub(crate) fn mask_matrix(&self) -> Result<MaskMatrix> {
        let document: Option<Vec<u8>> = self
            .conn
            .prepare_cached("SELECT document FROM pin WHERE name = ?1")
            .and_then(|mut find| find.query_row([MASK_MATRIX], |row| row.get(0)).optional())
            .map_err(self.read_error())?
            .flatten();
        match document {
            Some(document) => {
                MaskMatrix::read(CanonicalJson::parse("the pinned mask matrix", &document)?)
            }
            None => Err(MemoryError::refused(
                "any output",
                "no mask matrix is pinned; append a PIN named mask_matrix with its document",
            )),
        }
    }

    /// Asserts the pins of this build and those `given`, by name and value.
    ///
    /// # Errors
    /// [`MemoryError::Pin`] for the first pin that has another value.
    pub fn assert_pins(&self, given: &[(String, String)]) -> Result<()> {
        let own = self.own_pins()?;
        own.iter()
            .chain(given)
            .try_for_each(|(name, value)| self.assert_pin(name, value))
    }

    /// The pins of this build and of the pinned matrix: name and value.
    pub(crate) fn own_pins(&self) -> Result<Vec<(String, String)>> {
        let matrix = self.mask_matrix()?.canonical().handle().to_string();
        let own = policy::own_pins()?
            .into_iter()
            .chain([(MASK_MATRIX, matrix)]);
        Ok(own.map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Asserts that the pin `name` has the value `here`.
    pub(crate) fn assert_pin(&self, name: &str, here: &str) -> Result<()> {
        let stored = find_pin(&self.conn, name).map_err(self.read_error())?;
        if stored.as_deref() == Some(here) {
            return Ok(());
        }
        let entry = match stored {
            Some(_) => EntryKind::Revision,
            None => EntryKind::Pin,
        };
        Err(MemoryError::Pin {
            name: name.to_owned(),
            entry: entry.as_str(),
            stored: stored.unwrap_or("not there".to_owned()),
            found: here.to_owned(),
        })
    }
}
