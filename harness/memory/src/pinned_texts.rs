//! The memory's own texts that a model reads, each under a pin whose value is the hash of the text: the directives of
//! working sets and the template of prompts.
//!
//! A text changes by a new revision of it alone. A log without the pin is of a build from before it, whose texts were the
//! first revisions: what was shown then is made again with the bytes of then.

use serde_json::Value;

use crate::canonical::CanonicalJson;
use crate::error::Result;
use crate::fixed_words::{PROMPT_HEAD, PROMPT_REQUEST, directives_by_revision};
use crate::handle::Handle;

/// The pin of the directives.
pub(crate) const DIRECTIVES: &str = "working_set_directives";

/// The pin of the template.
const PROMPT_TEMPLATE: &str = "memory_prompt_template";

/// A pin of a text, and the values that this build has texts for, the newest one first.
pub(crate) struct TextPin {
    pub(crate) name: &'static str,
    newest: Handle,
    earlier: Vec<Handle>,
}

impl TextPin {
    /// The value that a new memory has.
    pub(crate) fn newest(&self) -> String {
        self.newest.to_string()
    }

    /// The value that is right here where a memory has `pinned`: the same where this build has its text.
    pub(crate) fn value_here(&self, pinned: &str) -> String {
        let values = self.earlier.iter().map(ToString::to_string);
        let known = values.into_iter().find(|value| value == pinned);
        known.unwrap_or_else(|| self.newest())
    }
}

/// The pins of the texts.
pub(crate) fn text_pins() -> Result<[TextPin; 2]> {
    let [first, second] = directives_by_revision();
    Ok([
        TextPin {
            name: PROMPT_TEMPLATE,
            newest: Handle::of(prompt_template().as_bytes()),
            earlier: Vec::new(),
        },
        TextPin {
            name: DIRECTIVES,
            newest: hash_directives(second)?,
            earlier: vec![hash_directives(first)?],
        },
    ])
}

/// The directives under the value of their pin.
pub(crate) fn find_directives(pinned: Option<&str>) -> Result<Value> {
    let [first, second] = directives_by_revision();
    let is_second = pinned == Some(&*hash_directives(second.clone())?.to_string());
    Ok(if is_second { second } else { first })
}

fn hash_directives(directives: Value) -> Result<Handle> {
    Ok(CanonicalJson::from_value("the directives", directives)?.handle())
}

/// The template of prompts, with names for the two parts that each prompt has of its own.
fn prompt_template() -> String {
    [PROMPT_HEAD, "{working_set}", PROMPT_REQUEST, "{request}\n"].concat()
}
