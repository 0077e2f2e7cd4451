//! The player-visible image brief: what a picture may show (document, section 4.6; GAP-005).
//!
//! Schema `axilog-pvib/1`: `schema`, `working_set_id`, `elements`, an array of `detail_handle` and
//! `exact`; nothing besides. Each handle is one that the working set permits to be mentioned exactly.

use serde_json::{Value, json};

use super::canonical::{Canonical, Handle, object};
use super::error::{MemoryError, Result};
use super::fields::{Fields, Type};
use super::lens::{Audience, Lens};
use super::mask::OutputClass;
use super::wording;
use super::working_set::{Query, WorkingSet};

/// A brief that was made or checked against its working set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pvib {
    canonical: Canonical,
}

impl Pvib {
    /// The canonical bytes.
    #[must_use]
    pub fn canonical(&self) -> &Canonical {
        &self.canonical
    }
}

impl Lens {
    /// The brief of these handles, each of which the working set must permit.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] for a handle it does not permit; as [`Lens::working_set`].
    pub fn pvib(&self, query: &Query, handles: &[Handle]) -> Result<Pvib> {
        self.at_once(|| {
            let audience = Audience {
                class: OutputClass::Pvib,
                ..query.audience.clone()
            };
            let set = self.working_set(&Query {
                audience: audience.clone(),
                ..query.clone()
            })?;
            let permitted = permitted(&set);
            let mut elements = Vec::with_capacity(handles.len());
            for handle in handles {
                let Some((_, exact)) = permitted.iter().find(|(known, _)| known == handle) else {
                    return Err(not_permitted(*handle));
                };
                elements.push(object([
                    ("detail_handle", handle.to_string().into()),
                    ("exact", exact.clone()),
                ]));
            }
            let brief = json!({
                "schema": wording::PVIB,
                "working_set_id": set.id().to_string(),
                "elements": elements,
            });
            self.checked(&audience, &set, Canonical::of("the PVIB", brief)?)
        })
    }

    /// Checks a brief made elsewhere: its schema, its handles, what it says of each, its working set.
    ///
    /// # Errors
    /// [`MemoryError::Field`] outside the schema, [`MemoryError::Refused`] for a handle that is not
    /// permitted, another working set, or words that are not the memory's, [`MemoryError::Leak`].
    pub fn check_pvib(&self, query: &Query, brief: Canonical) -> Result<Pvib> {
        self.at_once(|| {
            let audience = Audience {
                class: OutputClass::Pvib,
                ..query.audience.clone()
            };
            let set = self.working_set(&Query {
                audience: audience.clone(),
                ..query.clone()
            })?;
            self.checked(&audience, &set, brief)
        })
    }

    fn checked(&self, audience: &Audience, set: &WorkingSet, brief: Canonical) -> Result<Pvib> {
        let fields = Fields::of("the PVIB", brief.value())?;
        fields.only(&["schema", "working_set_id", "elements"])?;
        fields.some(&[
            ("schema", Type::Word(&[wording::PVIB])),
            ("working_set_id", Type::Handle),
        ])?;
        let id = fields.handle("working_set_id")?;
        if id != set.id() {
            let reason = format!(
                "it is of the working set {id}, and that of now is {}",
                set.id()
            );
            return Err(MemoryError::refused("the PVIB", reason));
        }
        let elements = fields.get("elements").and_then(Value::as_array);
        let elements = elements.ok_or_else(|| fields.wrong("elements", "an array"))?;
        let permitted = permitted(set);
        for (index, element) in elements.iter().enumerate() {
            let what = format!("the PVIB's elements[{index}]");
            let part = Fields::of(&what, element)?;
            part.only(&["detail_handle", "exact"])?;
            let handle = part.handle("detail_handle")?;
            let Some((_, exact)) = permitted.iter().find(|(known, _)| *known == handle) else {
                return Err(not_permitted(handle));
            };
            if part.get("exact") != Some(exact) {
                return Err(part.wrong("exact", "the memory's own words for the handle"));
            }
        }
        let view = self.view(audience)?;
        view.guarded(|guard| guard.check("PVIB", brief.text()))?;
        Ok(Pvib { canonical: brief })
    }
}

fn not_permitted(handle: Handle) -> MemoryError {
    let reason = format!("{handle} is not among the allowmention_handles of its working set");
    MemoryError::refused("the PVIB", reason)
}

/// What the working set permits to be mentioned exactly, and its words for it.
fn permitted(set: &WorkingSet) -> Vec<(Handle, Value)> {
    let facts = set.value().get("facts_slice").and_then(Value::as_array);
    let handle = |part: &Value, name: &str| {
        part.get(name)
            .and_then(Value::as_str)
            .and_then(Handle::parse)
    };
    let mut permitted = Vec::new();
    for fact in facts.into_iter().flatten() {
        if let (Some(id), Some(payload)) = (handle(fact, "fact_id"), fact.get("payload")) {
            permitted.push((id, payload.clone()));
        }
        let details = fact.get("details").and_then(Value::as_array);
        for detail in details.into_iter().flatten() {
            if let (Some(id), Some(exact)) = (handle(detail, "detail_handle"), detail.get("exact"))
            {
                permitted.push((id, exact.clone()));
            }
        }
    }
    permitted
}
