//! The body of SHOWN: what a model's side was shown, for whom, and the request from which it can be made again.
//!
//! The bytes themselves are not in the log: a rebuild makes them again from the entries before, and compares their
//! hash. So an entry holds no exact string that the log does not hold already.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use unicode_normalization::is_nfc;

use crate::audience::Audience;
use crate::budget_tokenizer::BudgetTokenizer;
use crate::document::{not_null, nullable, object, object_if_present};
use crate::error::{MemoryError, Result};
use crate::fact_order::FactOrder;
use crate::handle::Handle;
use crate::identifier::Identifier;
use crate::mask::OutputClass;
use crate::query::{WorkingSetQuery, sorted};
use crate::words::words;

const WHAT: &str = "SHOWN";

words! {
    /// A kind of output for a model's side.
    pub enum ShownKind {
        /// A working set.
        WorkingSet = "WORKING_SET",
        /// A prompt: a working set and a request of the table.
        Prompt = "PROMPT",
        /// A text of the model's that was checked, and passed or was refused.
        Narration = "NARRATION",
        /// An image brief that the memory made.
        Pvib = "PVIB",
        /// An image brief that was made elsewhere, and that the memory checked and gave back.
        Brief = "BRIEF",
    }
}

/// SHOWN.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShownBody {
    pub(crate) kind: ShownKind,
    /// The SHA-256 of the bytes that were shown, or of the narration that was checked.
    pub(crate) bytes_hash: Handle,
    /// The working set in the output; a narration has none.
    #[serde(deserialize_with = "nullable")]
    pub(crate) working_set_id: Option<Handle>,
    #[serde(deserialize_with = "object")]
    audience: ShownAudience,
    /// What the working set was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "object_if_present")]
    query: Option<ShownQuery>,
    /// The request as it stands in the prompt, or a narration that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    text: Option<String>,
    /// The same in base64, where the text is not in NFC: the log has no such text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    text_base64: Option<String>,
    /// What the brief shows, in its order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    handles: Option<Vec<Handle>>,
}

/// For whom an output was.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ShownAudience {
    class: OutputClass,
    viewers: Vec<Identifier>,
}

/// What a working set was asked for, besides its audience.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ShownQuery {
    budget: u64,
    kinds: Vec<Identifier>,
    purposes: Vec<Identifier>,
    /// The tokenizer that counted the budget, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    tokenizer: Option<String>,
    /// The order of the facts, where it was another one than that of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    order: Option<FactOrder>,
    /// What was searched for; absent in a prompt that searched for the words of its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    search: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    key_prefix: Option<Identifier>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<Identifier>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    handles: Vec<Handle>,
    /// The most facts of a kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    kind_limits: BTreeMap<Identifier, u64>,
}

/// The request from which a shown output can be made again.
pub(crate) enum ShownRequest {
    WorkingSet(WorkingSetQuery),
    Prompt(WorkingSetQuery, String),
    /// A narration that passed, for these viewers.
    Narration(Vec<String>, String),
    /// A narration that was refused. Its text may hold a locked string, and is not kept.
    RefusedNarration,
    Brief(WorkingSetQuery, Vec<Handle>),
}

fn wrong(place: &str, reason: impl Into<String>) -> MemoryError {
    MemoryError::document(WHAT, place, reason)
}

impl ShownBody {
    /// The body of an output for `audience`, without its request.
    pub(crate) fn new(
        kind: ShownKind,
        bytes: &[u8],
        working_set_id: Option<Handle>,
        audience: &Audience,
    ) -> Result<ShownBody> {
        Ok(ShownBody {
            kind,
            bytes_hash: Handle::of(bytes),
            working_set_id,
            audience: ShownAudience {
                class: audience.class,
                viewers: to_identifiers(&audience.viewers)?,
            },
            query: None,
            text: None,
            text_base64: None,
            handles: None,
        })
    }

    /// Adds what the working set was asked for.
    pub(crate) fn with_query(self, query: &WorkingSetQuery) -> Result<ShownBody> {
        let kind_limits = query.kind_limits.iter();
        let kind_limits = kind_limits.map(|(kind, limit)| Ok((to_identifier(kind)?, *limit)));
        let query = Some(ShownQuery {
            budget: query.budget,
            kinds: to_identifiers(&sorted(&query.kinds))?,
            purposes: to_identifiers(&sorted(&query.purposes))?,
            tokenizer: query.tokenizer.as_ref().map(ToString::to_string),
            order: Some(query.order).filter(|order| *order != FactOrder::Plan),
            search: query.search.clone(),
            key_prefix: query.key_prefix.as_deref().map(to_identifier).transpose()?,
            tags: to_identifiers(&sorted(&query.tags))?,
            handles: sorted(&query.handles),
            kind_limits: kind_limits.collect::<Result<_>>()?,
        });
        Ok(ShownBody { query, ..self })
    }

    /// Adds the text of a request or narration.
    pub(crate) fn with_text(self, text: &str) -> ShownBody {
        let (text, text_base64) = match is_nfc(text) {
            true => (Some(text.to_owned()), None),
            false => (None, Some(STANDARD.encode(text))),
        };
        ShownBody {
            text,
            text_base64,
            ..self
        }
    }

    /// Adds what the brief shows.
    pub(crate) fn with_handles(self, handles: &[Handle]) -> ShownBody {
        let handles = Some(handles.to_vec());
        ShownBody { handles, ..self }
    }

    /// The request from which the output can be made again.
    ///
    /// # Errors
    /// [`MemoryError::Document`] where members are missing that the kind needs, or others are there.
    pub(crate) fn request(&self) -> Result<ShownRequest> {
        let query = self.query()?;
        let (kind, has_set) = (self.kind, self.working_set_id.is_some());
        match (kind, has_set, query, self.text()?, &self.handles) {
            (ShownKind::WorkingSet, true, Some(query), None, None) => {
                Ok(ShownRequest::WorkingSet(query))
            }
            (ShownKind::Prompt, true, Some(query), Some(text), None) => {
                Ok(ShownRequest::Prompt(query, text))
            }
            (ShownKind::Narration, false, None, Some(text), None) => {
                Ok(ShownRequest::Narration(self.viewers(), text))
            }
            (ShownKind::Narration, false, None, None, None) => Ok(ShownRequest::RefusedNarration),
            (ShownKind::Pvib | ShownKind::Brief, true, Some(query), None, Some(handles)) => {
                Ok(ShownRequest::Brief(query, handles.clone()))
            }
            _ => {
                let expected = match kind {
                    ShownKind::WorkingSet => "working_set_id and query",
                    ShownKind::Prompt => "working_set_id, query, and text or text_base64",
                    ShownKind::Narration => {
                        "text or text_base64 where it passed, and working_set_id null"
                    }
                    ShownKind::Pvib | ShownKind::Brief => "working_set_id, query and handles",
                };
                let reason = format!("a {kind} has {expected}, besides kind, bytes_hash, audience");
                Err(wrong("$", reason))
            }
        }
    }

    fn viewers(&self) -> Vec<String> {
        let viewers = self.audience.viewers.iter();
        viewers.map(ToString::to_string).collect()
    }

    fn query(&self) -> Result<Option<WorkingSetQuery>> {
        let names = |names: &[Identifier]| names.iter().map(ToString::to_string).collect();
        let Some(query) = &self.query else {
            return Ok(None);
        };
        let audience = Audience::new(self.audience.class, &self.viewers())?;
        let tokenizer = query.tokenizer.as_deref().map(|text| {
            let expected =
                format!("found {text:?}, expected a vocabulary, a comma and its version");
            BudgetTokenizer::from_record(text).ok_or_else(|| wrong("$.query.tokenizer", expected))
        });
        let kind_limits = query.kind_limits.iter();
        let kind_limits = kind_limits.map(|(kind, limit)| (kind.to_string(), *limit));
        Ok(Some(WorkingSetQuery {
            tokenizer: tokenizer.transpose()?,
            kinds: names(&query.kinds),
            purposes: names(&query.purposes),
            order: query.order.unwrap_or(FactOrder::Plan),
            search: query.search.clone(),
            key_prefix: query.key_prefix.as_ref().map(ToString::to_string),
            tags: names(&query.tags),
            handles: query.handles.clone(),
            kind_limits: kind_limits.collect(),
            ..WorkingSetQuery::new(audience, query.budget)
        }))
    }

    fn text(&self) -> Result<Option<String>> {
        let (text, encoded) = match (&self.text, &self.text_base64) {
            (text, None) => return Ok(text.clone()),
            (None, Some(encoded)) => (STANDARD.decode(encoded).ok(), encoded),
            (Some(_), Some(_)) => return Err(wrong("$.text_base64", "found beside text")),
        };
        match text.map(String::from_utf8) {
            Some(Ok(text)) if !is_nfc(&text) => Ok(Some(text)),
            _ => {
                let expected = "expected text in base64 that is not in NFC";
                let reason = format!("found {encoded:?}, {expected}");
                Err(wrong("$.text_base64", reason))
            }
        }
    }
}

fn to_identifier(name: &str) -> Result<Identifier> {
    Identifier::new(WHAT, "name", name)
}

fn to_identifiers(names: &[String]) -> Result<Vec<Identifier>> {
    names.iter().map(|name| to_identifier(name)).collect()
}
