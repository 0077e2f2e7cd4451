//! What the model reads, and what may be said of what it writes (document, sections 1, 9.1; GAP-007).
//!
//! The lens wraps the bytes of a working set and changes none of them. The model's text never enters
//! the memory: it is checked and either may be said or may not.

use super::error::Result;
use super::lens::{Audience, Lens};
use super::mask::OutputClass;
use super::wording::{PROMPT_HEAD, PROMPT_REQUEST};
use super::working_set::{Query, WorkingSet};

/// A prompt: text, and nothing else.
///
/// ```compile_fail,E0599
/// # fn spark(prompt: axilog_harness::memory::Prompt) {
/// prompt.lens();
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    text: String,
    set: WorkingSet,
}

impl Prompt {
    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The working set in it.
    #[must_use]
    pub fn working_set(&self) -> &WorkingSet {
        &self.set
    }
}

/// A text of the model's that holds no locked exact string. Only [`Lens::narration`] makes one.
///
/// ```compile_fail,E0451
/// # fn spark(text: String) {
/// axilog_harness::memory::Narration { text };
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narration {
    text: String,
}

impl Narration {
    /// What may be said.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Lens {
    /// The working set of `query`, whose class is PROMPT here, and what the table asks, as a prompt.
    /// Locked exact strings in `request` become `[locked]`: a player may have guessed one.
    ///
    /// # Errors
    /// As [`Lens::working_set`].
    pub fn prompt(&self, query: &Query, request: &str) -> Result<Prompt> {
        self.at_once(|| {
            let audience = Audience {
                class: OutputClass::Prompt,
                ..query.audience.clone()
            };
            let set = self.working_set(&Query {
                audience: audience.clone(),
                ..query.clone()
            })?;
            self.view(&audience)?.guarded(|guard| {
                let request = guard.clean(request)?;
                let text = [PROMPT_HEAD, set.text(), PROMPT_REQUEST, &request, "\n"].concat();
                // A string may begin in our words and end in the table's.
                guard.check("prompt", &text)?;
                Ok(Prompt { text, set })
            })
        })
    }

    /// A text of the model's, if `viewers` may hear it.
    ///
    /// # Errors
    /// [`MemoryError::Leak`](super::MemoryError::Leak) where a locked exact string stands in it.
    pub fn narration(&self, viewers: &[String], text: &str) -> Result<Narration> {
        self.at_once(|| {
            let audience = Audience::new(OutputClass::Narration, viewers)?;
            let view = self.view(&audience)?;
            view.guarded(|guard| guard.check("narration", text))?;
            Ok(Narration {
                text: text.to_owned(),
            })
        })
    }
}
