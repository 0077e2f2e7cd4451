//! The player-visible image brief (PVIB): what a picture may show (document, section 4.6; GAP-005).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical::CanonicalJson;
use crate::document::{objects, read_document};
use crate::error::{MemoryError, Result};
use crate::fixed_words;
use crate::handle::Handle;
use crate::mask::OutputClass;
use crate::output_view::OutputView;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::rule_ref::MemoryRule;
use crate::words::words;
use crate::working_set::WorkingSet;

const WHAT: &str = "the PVIB";

words! {
    /// The schemas of image briefs.
    enum BriefSchema {
        V1 = fixed_words::IMAGE_BRIEF,
    }
}

/// The document of an image brief (`axilog-pvib/1`).
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BriefDocument {
    schema: BriefSchema,
    working_set_id: Handle,
    #[serde(deserialize_with = "objects")]
    elements: Vec<BriefElement>,
}

/// A fact or detail that the picture may show, and the memory's words for it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BriefElement {
    detail_handle: Handle,
    exact: Value,
}

/// An image brief that was built from its working set or checked against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageBrief {
    canonical: CanonicalJson,
    working_set_id: Handle,
    handles: Vec<Handle>,
}

impl ImageBrief {
    /// The brief as canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> &CanonicalJson {
        &self.canonical
    }

    /// The `working_set_id` of the working set that permits what the brief shows.
    #[must_use]
    pub fn working_set_id(&self) -> Handle {
        self.working_set_id
    }

    /// What the brief shows, in its order.
    pub(crate) fn handles(&self) -> &[Handle] {
        &self.handles
    }
}

impl MemoryReader {
    /// Builds the brief of these handles for who inspects the memory, each of which the working set must permit; without
    /// `handles`, of every handle that it permits. Nothing records it: a picture is made of what
    /// [`MemoryStore::build_image_brief`](crate::MemoryStore::build_image_brief) gives.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] for a handle that is not permitted; as [`MemoryReader::inspect_working_set`].
    pub fn inspect_image_brief(
        &self,
        query: &WorkingSetQuery,
        handles: Option<&[Handle]>,
    ) -> Result<ImageBrief> {
        self.build_image_brief(query, handles)
    }

    /// Checks a brief that was made elsewhere, for who inspects the memory: its schema, its working set, its handles and
    /// their words. Nothing records it: a picture is made of what
    /// [`MemoryStore::check_image_brief`](crate::MemoryStore::check_image_brief) gives.
    ///
    /// # Errors
    /// [`MemoryError::Document`] outside the schema, [`MemoryError::Refused`] for a handle that is not
    /// permitted, another working set, or words that are not the memory's, [`MemoryError::Leak`].
    pub fn inspect_foreign_brief(
        &self,
        query: &WorkingSetQuery,
        brief: CanonicalJson,
    ) -> Result<ImageBrief> {
        self.check_image_brief(query, brief)
    }

    pub(crate) fn build_image_brief(
        &self,
        query: &WorkingSetQuery,
        handles: Option<&[Handle]>,
    ) -> Result<ImageBrief> {
        self.read_at_once(|| {
            let query = query.with_class(OutputClass::Pvib);
            let set = self.build_working_set(&query)?;
            let handles = handles.unwrap_or(set.allowmention_handles());
            let mut elements = Vec::new();
            for &detail_handle in handles {
                let exact = find_exact(&set, detail_handle)?;
                elements.push(BriefElement {
                    detail_handle,
                    exact,
                });
            }
            let document = BriefDocument {
                schema: BriefSchema::V1,
                working_set_id: set.id(),
                elements,
            };
            let canonical = CanonicalJson::from_document(WHAT, &document)?;
            self.finish_brief(&query, canonical, document)
        })
    }

    pub(crate) fn check_image_brief(
        &self,
        query: &WorkingSetQuery,
        brief: CanonicalJson,
    ) -> Result<ImageBrief> {
        self.read_at_once(|| {
            let query = query.with_class(OutputClass::Pvib);
            let set = self.build_working_set(&query)?;
            let document: BriefDocument = read_document(WHAT, brief.value())?;
            let (found, now) = (document.working_set_id, set.id());
            if found != now {
                let reason = format!("it is of the working set {found}, and that of now is {now}");
                return Err(MemoryError::refused(WHAT, reason));
            }
            for (index, element) in document.elements.iter().enumerate() {
                if element.exact != find_exact(&set, element.detail_handle)? {
                    let place = format!("$.elements[{index}].exact");
                    let expected = "the memory's own words for the handle";
                    let reason = format!("found {}, expected {expected}", element.exact);
                    return Err(MemoryError::document(WHAT, place, reason));
                }
            }
            self.finish_brief(&query, brief, document)
        })
    }

    fn finish_brief(
        &self,
        query: &WorkingSetQuery,
        canonical: CanonicalJson,
        document: BriefDocument,
    ) -> Result<ImageBrief> {
        let view = OutputView::new(self, &query.audience)?;
        view.with_guard(|guard| guard.refuse_leaks("PVIB", canonical.text()))?;
        let elements = document.elements.iter();
        Ok(ImageBrief {
            canonical,
            working_set_id: document.working_set_id,
            handles: elements.map(|element| element.detail_handle).collect(),
        })
    }
}

/// The memory's words for a handle that the working set permits to be mentioned exactly.
fn find_exact(set: &WorkingSet, handle: Handle) -> Result<Value> {
    for fact in &set.facts {
        if let Some(payload) = fact.payload.as_ref().filter(|_| fact.fact_id == handle) {
            return Ok(payload.clone());
        }
        if let Some(detail) = fact
            .details
            .iter()
            .find(|detail| detail.detail_handle == handle)
        {
            return Ok(detail.exact.clone().into());
        }
    }
    let reason = format!(
        "{handle} is not among the allowmention_handles of its working set (rule {})",
        MemoryRule::AllowMention
    );
    Err(MemoryError::refused(WHAT, reason))
}
