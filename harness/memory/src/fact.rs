//! A fact of the ledger, and its exact strings (document, sections 4.1 and 5).

use rusqlite::Connection;
use serde_json::Value;

use crate::apply_error::ApplyResult;
use crate::bodies::FactBody;
use crate::canonical::CanonicalJson;
use crate::document::read_document;
use crate::error::{MemoryError, Result};
use crate::exact_strings::ExactStrings;
use crate::fixed_words;
use crate::folded_text::{FoldedText, MAX_EXACT, MIN_EXACT, holds_handle};
use crate::guarding::Guarding;
use crate::handle::Handle;

/// The most bytes of canonical JSON that a new fact has.
pub const MAX_FACT_BYTES: usize = 65_536;

/// A detail of a fact: an exact string that is told only where it is unlocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactDetail {
    /// The SHA-256 of the canonical `{"fact_id":…,"name":…}`.
    pub handle: Handle,
    /// The name of the detail.
    pub name: String,
    /// The exact string.
    pub exact: String,
}

/// A fact as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    id: Handle,
    canonical: CanonicalJson,
    details: Vec<FactDetail>,
    pub(crate) body: FactBody,
}

/// The handle of the detail `name` of a fact.
#[must_use]
pub fn detail_handle(fact: Handle, name: &str) -> Handle {
    // Names need no escapes.
    Handle::of(format!("{{\"fact_id\":\"{fact}\",\"name\":\"{name}\"}}").as_bytes())
}

impl Fact {
    /// Reads a fact that is to be appended. A fact without `precision_tag` is LOCKED.
    ///
    /// # Errors
    /// [`MemoryError::Document`] for members that are missing or wrong, for a fact of more than [`MAX_FACT_BYTES`], and for an
    /// exact string that is
    /// too short, too long, or stands in the gist or in the fixed words of every output.
    pub fn new(value: &Value) -> Result<Fact> {
        let fact = Fact::from_body(read_document("the fact", value)?)?;
        let bytes = fact.canonical.bytes().len();
        if bytes > MAX_FACT_BYTES {
            let expected = "put what belongs together into several facts, or a long text into a file that the fact names";
            let reason = format!(
                "found {bytes} bytes of canonical JSON, expected at most {MAX_FACT_BYTES}; {expected}"
            );
            return Err(MemoryError::document("the fact", "$", reason));
        }
        for (index, detail) in fact.details.iter().enumerate() {
            check_exact(index, &detail.exact)?;
        }
        if fact.is_locked() {
            check_has_details(&fact.details)?;
            check_gist(
                fact.body.gist.as_deref(),
                fact.body.guarding(),
                &fact.details,
            )?;
        }
        Ok(fact)
    }

    /// The fact of a body in the log. A log stays readable where a later build finds more spellings than the one
    /// that appended the fact, and would refuse one of its strings.
    pub(crate) fn from_body(body: FactBody) -> Result<Fact> {
        let canonical = CanonicalJson::from_document("the fact", &body)?;
        let id = canonical.handle();
        let details = read_details(id, &body)?;
        if body.is_locked() && body.gist.is_none() {
            return Err(gist_error(
                "missing; expected a text: all that is told of a LOCKED fact",
            ));
        }
        Ok(Fact {
            id,
            canonical,
            details,
            body,
        })
    }

    /// The fact's id: the SHA-256 of its canonical bytes.
    #[must_use]
    pub fn id(&self) -> Handle {
        self.id
    }

    /// The fact as canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> &CanonicalJson {
        &self.canonical
    }

    /// The exact strings.
    #[must_use]
    pub fn details(&self) -> &[FactDetail] {
        &self.details
    }

    /// Whether only the gist is told where nothing is unlocked.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.body.is_locked()
    }
}

fn gist_error(reason: impl Into<String>) -> MemoryError {
    MemoryError::document("the fact", "$.gist", reason)
}

/// A LOCKED fact has exact strings: nothing else of it would be guarded.
fn check_has_details(details: &[FactDetail]) -> Result<()> {
    if !details.is_empty() {
        return Ok(());
    }
    let expected =
        "the exact strings of a LOCKED fact, which are kept out of all texts; or the tag UNLOCKED";
    let reason = format!("found none, expected {expected}");
    Err(MemoryError::document("the fact", "$.details", reason))
}

fn check_gist(gist: Option<&str>, guard: Guarding, details: &[FactDetail]) -> Result<()> {
    let mut strings = ExactStrings::default();
    for detail in details {
        strings.add(&detail.exact, guard, detail.handle, detail.handle);
    }
    let Some(found) = strings.find_in(gist.unwrap_or_default()).first().copied() else {
        return Ok(());
    };
    let name = details
        .iter()
        .find(|detail| detail.handle == found.handle)
        .map_or("", |detail| detail.name.as_str());
    Err(gist_error(format!(
        "expected a text without the exact string of {name:?}"
    )))
}

/// The error of a member of a detail.
fn detail_error(index: usize, member: &str, found: &str, expected: &str) -> MemoryError {
    let place = format!("$.details[{index}].{member}");
    let reason = format!("found {found:?}, expected {expected}");
    MemoryError::document("the fact", place, reason)
}

fn check_exact(index: usize, exact: &str) -> Result<()> {
    let folded = FoldedText::new(exact);
    if folded.as_sought().shapes.len() < MIN_EXACT
        || folded.visible() > MAX_EXACT
        || holds_handle(exact)
    {
        let expected = format!(
            "{MIN_EXACT} to {MAX_EXACT} characters besides white space and signs, and no handle"
        );
        return Err(detail_error(index, "exact", exact, &expected));
    }
    match fixed_words::texts()
        .iter()
        .any(|text| text.contains_exact(exact))
    {
        false => Ok(()),
        true => {
            let expected = "a string that is no part of the fixed words of every output";
            Err(detail_error(index, "exact", exact, expected))
        }
    }
}

fn read_details(fact: Handle, body: &FactBody) -> Result<Vec<FactDetail>> {
    let mut details: Vec<FactDetail> = Vec::new();
    for (index, detail) in body.details.iter().flatten().enumerate() {
        let name = &*detail.name;
        if details.iter().any(|other| other.name == name) {
            let expected = "a name that no other detail of the fact has";
            return Err(detail_error(index, "name", name, expected));
        }
        details.push(FactDetail {
            handle: detail_handle(fact, name),
            name: name.to_owned(),
            exact: detail.exact.clone(),
        });
    }
    Ok(details)
}

/// Reads the body of a fact from the entry `seq`. The fact's id is the hash of the body, so a body that was changed is
/// found without the chain.
pub(crate) fn read_fact_body(conn: &Connection, fact: Handle, seq: u64) -> ApplyResult<FactBody> {
    let bytes: Vec<u8> = conn
        .prepare_cached("SELECT body FROM log WHERE seq = ?1")?
        .query_row([seq], |row| row.get(0))?;
    let damaged = |reason| MemoryError::Damaged {
        path: conn.path().unwrap_or_default().into(),
        seq,
        reason,
    };
    if Handle::of(&bytes) != fact {
        let reason = format!("its body is not that of the fact {fact}");
        return Err(damaged(reason).into());
    }
    let body = serde_json::from_slice(&bytes);
    body.map_err(|error| damaged(error.to_string()).into())
}
