//! What a working set is asked for.

use serde_json::json;

use crate::audience::Audience;
use crate::budget_tokenizer::BudgetTokenizer;
use crate::canonical::CanonicalJson;
use crate::error::Result;
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
            after: None,
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
        }
        Ok(CanonicalJson::from_value(what, query)?.handle())
    }
}

/// The names in order, each once.
pub(crate) fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names.dedup();
    names
}
