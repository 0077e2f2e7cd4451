//! A fact of the ledger, and its exact strings (document, sections 4.1 and 5).

use serde_json::Value;

use crate::bodies::FactBody;
use crate::canonical::CanonicalJson;
use crate::document::read_document;
use crate::error::{MemoryError, Result};
use crate::fixed_words;
use crate::folded_text::{FoldedText, MAX_EXACT, MIN_EXACT};
use crate::handle::Handle;

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
    /// Reads a fact. A fact without `precision_tag` is LOCKED.
    ///
    /// # Errors
    /// [`MemoryError::Document`] for members that are missing or wrong, and for an exact string that is
    /// too short, too long, or stands in the gist or in the fixed words of every output.
    pub fn new(value: &Value) -> Result<Fact> {
        Fact::from_body(read_document("the fact", value)?)
    }

    pub(crate) fn from_body(body: FactBody) -> Result<Fact> {
        let canonical = CanonicalJson::from_document("the fact", &body)?;
        let id = canonical.handle();
        let details = read_details(id, &body)?;
        if body.is_locked() {
            check_gist(body.gist.as_deref(), &details)?;
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

fn check_gist(gist: Option<&str>, details: &[FactDetail]) -> Result<()> {
    let refused = |reason: String| Err(MemoryError::document("the fact", "$.gist", reason));
    let Some(gist) = gist else {
        return refused("missing; expected a text: all that is told of a LOCKED fact".to_owned());
    };
    let folded = FoldedText::new(gist);
    match details
        .iter()
        .find(|detail| folded.contains_exact(&detail.exact))
    {
        None => Ok(()),
        Some(detail) => refused(format!(
            "expected a text without the exact string of {:?}",
            detail.name
        )),
    }
}

fn read_details(fact: Handle, body: &FactBody) -> Result<Vec<FactDetail>> {
    let mut details: Vec<FactDetail> = Vec::new();
    for (index, detail) in body.details.iter().flatten().enumerate() {
        let (name, exact) = (&*detail.name, &detail.exact);
        let refused = |member: &str, found: &str, expected: String| {
            let place = format!("$.details[{index}].{member}");
            let reason = format!("found {found:?}, expected {expected}");
            Err(MemoryError::document("the fact", place, reason))
        };
        if details.iter().any(|other| other.name == name) {
            let expected = "a name that no other detail of the fact has";
            return refused("name", name, expected.to_owned());
        }
        let folded = FoldedText::new(exact);
        if !(MIN_EXACT..=MAX_EXACT).contains(&folded.len()) || folded.holds_handle() {
            let expected =
                format!("{MIN_EXACT} to {MAX_EXACT} characters besides white space, and no handle");
            return refused("exact", exact, expected);
        }
        if fixed_words::texts()
            .iter()
            .any(|text| text.contains_exact(exact))
        {
            let expected = "a string that is no part of the fixed words of every output";
            return refused("exact", exact, expected.to_owned());
        }
        details.push(FactDetail {
            handle: detail_handle(fact, name),
            name: name.to_owned(),
            exact: exact.clone(),
        });
    }
    Ok(details)
}
