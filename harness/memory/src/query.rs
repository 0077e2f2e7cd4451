//! What a working set is asked for.

use std::collections::BTreeMap;

use serde_json::json;
use unicode_normalization::UnicodeNormalization;

use crate::audience::Audience;
use crate::budget_tokenizer::BudgetTokenizer;
use crate::canonical::CanonicalJson;
use crate::error::Result;
use crate::fact_order::FactOrder;
use crate::handle::Handle;
use crate::identifier::Identifier;
use crate::mask::OutputClass;

/// What a working set is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingSetQuery {
    /// For whom the working set is.
    pub audience: Audience,
    /// The kinds of the facts; an empty list means every kind.
    pub kinds: Vec<String>,
    /// The purposes of the compactions; an empty list means no compactions.
    pub purposes: Vec<String>,
    /// How many tokens the working set may have.
    pub budget: u64,
    /// The tokenizer that counts them. Without one a byte is a token: no tokenizer that splits bytes counts more.
    pub tokenizer: Option<BudgetTokenizer>,
    /// In which order the facts are considered until the budget is full. A memory from before the plan has one order alone,
    /// by key.
    pub order: FactOrder,
    /// A text for whose words the facts are searched, as far as the audience is told them. A prompt without one searches for
    /// the words of its request. What may be a guess at a locked string in it counts as one in a request does.
    pub search: Option<String>,
    /// Only facts whose `stable_key` begins so.
    pub key_prefix: Option<String>,
    /// Only facts with one of these tags; an empty list means any fact.
    pub tags: Vec<String>,
    /// Only these facts; an empty list means any fact.
    pub handles: Vec<Handle>,
    /// The most facts of a kind, by kind.
    pub kind_limits: BTreeMap<String, u64>,
    /// The `stable_key` and the id of a fact: the facts begin after it. The gates read a large memory in stages.
    pub(crate) after: Option<(String, Handle)>,
}

impl WorkingSetQuery {
    /// A query for every fact that the audience may see, without compactions.
    #[must_use]
    pub fn new(audience: Audience, budget: u64) -> WorkingSetQuery {
        WorkingSetQuery {
            audience,
            kinds: Vec::new(),
            purposes: Vec::new(),
            budget,
            tokenizer: None,
            order: FactOrder::Plan,
            search: None,
            key_prefix: None,
            tags: Vec::new(),
            handles: Vec::new(),
            kind_limits: BTreeMap::new(),
            after: None,
        }
    }

    /// Whether only a memory with the plan can answer the query. By their keys every memory orders facts.
    pub(crate) fn needs_plan(&self) -> bool {
        !matches!(self.order, FactOrder::Plan | FactOrder::Key)
            || self.search.is_some()
            || self.key_prefix.is_some()
            || !(self.tags.is_empty() && self.handles.is_empty() && self.kind_limits.is_empty())
    }

    /// The same query for the words of another text.
    pub(crate) fn with_search(&self, text: &str) -> WorkingSetQuery {
        WorkingSetQuery {
            search: Some(text.nfc().collect()),
            ..self.clone()
        }
    }

    /// The same query for an output of another class.
    pub(crate) fn with_class(&self, class: OutputClass) -> WorkingSetQuery {
        WorkingSetQuery {
            audience: self.audience.with_class(class),
            ..self.clone()
        }
    }

    /// The SHA-256 of the canonical query.
    pub(crate) fn id(&self) -> Result<Handle> {
        let what = "the query";
        for kind in &self.kinds {
            Identifier::new(what, "kind", kind)?;
        }
        for purpose in &self.purposes {
            Identifier::new(what, "compactions", purpose)?;
        }
        for tag in &self.tags {
            Identifier::new(what, "tag", tag)?;
        }
        for kind in self.kind_limits.keys() {
            Identifier::new(what, "kind", kind)?;
        }
        if let Some(prefix) = &self.key_prefix {
            Identifier::new(what, "key_prefix", prefix)?;
        }
        let mut query = json!({
            "budget": self.budget,
            "class": self.audience.class,
            "kinds": sorted(&self.kinds),
            "purposes": sorted(&self.purposes),
            "viewers": self.audience.viewers,
        });
        if let Some(query) = query.as_object_mut() {
            if let Some((key, fact)) = &self.after {
                query.insert("after".to_owned(), json!([key, fact]));
            }
            if let Some(tokenizer) = &self.tokenizer {
                query.insert("tokenizer".to_owned(), tokenizer.to_string().into());
            }
            // What a query of before the plan had not is absent where it is not asked for: its id stays as it was.
            if self.order != FactOrder::Plan {
                query.insert("order".to_owned(), json!(self.order));
            }
            if let Some(search) = &self.search {
                query.insert("search".to_owned(), json!(search));
            }
            if let Some(prefix) = &self.key_prefix {
                query.insert("key_prefix".to_owned(), json!(prefix));
            }
            if !self.tags.is_empty() {
                query.insert("tags".to_owned(), json!(sorted(&self.tags)));
            }
            if !self.handles.is_empty() {
                query.insert("handles".to_owned(), json!(sorted(&self.handles)));
            }
            if !self.kind_limits.is_empty() {
                query.insert("kind_limits".to_owned(), json!(self.kind_limits));
            }
        }
        Ok(CanonicalJson::from_value(what, query)?.handle())
    }
}

/// The names or handles in order, each once.
pub(crate) fn sorted<T: Clone + Ord>(names: &[T]) -> Vec<T> {
    let mut names = names.to_vec();
    names.sort();
    names.dedup();
    names
}
