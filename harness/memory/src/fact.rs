//! A fact of the ledger, and its exact strings (document, sections 4.1 and 5).

use serde_json::{Value, json};

use super::canonical::{Canonical, Handle};
use super::error::{MemoryError, Result};
use super::fields::{Fields, Type};
use super::fold::{Folded, MAX_TOKEN, MIN_TOKEN, contains};
use super::mask::Mask;
use super::wording;

/// An exact string that is not to be told unless it is unlocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// SHA-256 of the canonical `{"fact_id":…,"name":…}`.
    pub handle: Handle,
    /// What it is called.
    pub name: String,
    /// The string.
    pub exact: String,
}

/// A fact as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    canonical: Canonical,
    id: Handle,
    /// WORLD_RULE, CLUE and so on.
    pub kind: String,
    /// What breaks ties in every order.
    pub stable_key: String,
    /// Who may see it.
    pub mask: Mask,
    /// `precision_tag`: without an unlock only the gist is told.
    pub locked: bool,
    /// Safe text.
    pub gist: Option<String>,
    /// Exact strings.
    pub details: Vec<Detail>,
}

/// What a fact's parts are called.
const FIELDS: &[(&str, Type)] = &[
    ("kind", Type::Name),
    ("stable_key", Type::Name),
    ("payload", Type::Object),
    ("provenance", Type::Object),
    ("precision_tag", Type::Word(&["LOCKED", "UNLOCKED"])),
];
const OPTIONAL: &[&str] = &["visibility_mask", "gist", "details"];

/// The handle of a detail.
#[must_use]
pub fn detail_handle(fact: Handle, name: &str) -> Handle {
    // Names need no escapes.
    Handle::of(format!("{{\"fact_id\":\"{fact}\",\"name\":\"{name}\"}}").as_bytes())
}

impl Fact {
    /// Reads a fact. `precision_tag` may be left out and is LOCKED then.
    ///
    /// # Errors
    /// [`MemoryError::Field`] for parts that are missing or wrong, for an exact string that is too
    /// short, too long or stands in the gist or in the fixed words of every output.
    pub fn new(value: Value) -> Result<Fact> {
        let mut value = value;
        if let Value::Object(members) = &mut value
            && !members.contains_key("precision_tag")
        {
            members.insert("precision_tag".to_owned(), json!("LOCKED"));
        }
        Fact::read(Canonical::of("the fact", value)?)
    }

    /// Reads a fact that is whole.
    pub(super) fn read(canonical: Canonical) -> Result<Fact> {
        let what = "the fact";
        let id = canonical.handle();
        let fields = Fields::of(what, canonical.value())?;
        let known: Vec<&str> = FIELDS
            .iter()
            .map(|(name, _)| *name)
            .chain(OPTIONAL.iter().copied())
            .collect();
        fields.only(&known)?;
        fields.some(FIELDS)?;
        provenance(&fields)?;
        let mask = fields.get("visibility_mask").unwrap_or(&Value::Null);
        let mask = Mask::read(what, mask)?;
        let locked = fields.text("precision_tag") == "LOCKED";
        let gist = match fields.get("gist") {
            None => None,
            Some(Value::String(gist)) => Some(gist.clone()),
            Some(_) => return Err(fields.wrong("gist", "a text")),
        };
        if locked && gist.is_none() {
            return Err(fields.wrong("gist", "a text: all that is told of a LOCKED fact"));
        }
        let details = details(&fields, id)?;
        if locked && let Some(gist) = &gist {
            let folded = Folded::of(gist);
            if let Some(detail) = details.iter().find(|d| contains(&folded, &d.exact)) {
                let expected = format!("a text without the exact string of {:?}", detail.name);
                return Err(MemoryError::field(what, "gist", "it", expected));
            }
        }
        Ok(Fact {
            id,
            kind: fields.text("kind").to_owned(),
            stable_key: fields.text("stable_key").to_owned(),
            mask,
            locked,
            gist,
            details,
            canonical,
        })
    }

    /// SHA-256 of the fact's bytes.
    #[must_use]
    pub fn id(&self) -> Handle {
        self.id
    }

    /// Its bytes.
    #[must_use]
    pub fn canonical(&self) -> &Canonical {
        &self.canonical
    }

    /// What it says exactly.
    #[must_use]
    pub fn payload(&self) -> &Value {
        self.canonical
            .value()
            .get("payload")
            .unwrap_or(&Value::Null)
    }
}

/// `source`, and the references it rests on.
fn provenance(fields: &Fields<'_>) -> Result<()> {
    let what = "the fact's provenance";
    let value = fields.get("provenance").unwrap_or(&Value::Null);
    let provenance = Fields::of(what, value)?;
    provenance.only(&["source", "refs"])?;
    provenance.some(&[("source", Type::Text)])?;
    let refs = provenance.get("refs").and_then(Value::as_array);
    if refs.is_some_and(|refs| refs.iter().all(Value::is_string)) {
        Ok(())
    } else {
        Err(provenance.wrong(
            "refs",
            "an array of texts: rule refs, generator specs, ids of events and commits",
        ))
    }
}

fn details(fields: &Fields<'_>, fact: Handle) -> Result<Vec<Detail>> {
    let listed = match fields.get("details") {
        None => return Ok(Vec::new()),
        Some(Value::Array(listed)) => listed,
        Some(_) => return Err(fields.wrong("details", "an array of {\"name\",\"exact\"}")),
    };
    let mut details: Vec<Detail> = Vec::new();
    for (index, value) in listed.iter().enumerate() {
        let what = format!("the fact's details[{index}]");
        let part = Fields::of(&what, value)?;
        part.exactly(&[("name", Type::Name), ("exact", Type::Text)])?;
        let (name, exact) = (part.text("name"), part.text("exact"));
        if details.iter().any(|detail| detail.name == name) {
            return Err(part.wrong("name", "a name that no other detail of the fact has"));
        }
        let folded = Folded::of(exact);
        if !(MIN_TOKEN..=MAX_TOKEN).contains(&folded.len()) || folded.holds_handle() {
            let expected =
                format!("{MIN_TOKEN} to {MAX_TOKEN} characters beside white space, and no handle");
            return Err(part.wrong("exact", &expected));
        }
        if wording::fixed().iter().any(|text| contains(text, exact)) {
            let expected = "a string that is no part of the fixed words of every output";
            return Err(part.wrong("exact", expected));
        }
        details.push(Detail {
            handle: detail_handle(fact, name),
            name: name.to_owned(),
            exact: exact.to_owned(),
        });
    }
    Ok(details)
}
