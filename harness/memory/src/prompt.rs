//! What the model reads, and what may be said of its text (document, sections 1, 9.1; GAP-007).
//!
//! A prompt holds the bytes of a working set unchanged. The model's text comes back in no output: a check
//! says whether it may be said, and the log keeps what passed.

use crate::audience::Audience;
use crate::document::to_value;
use crate::error::Result;
use crate::fixed_words::{PROMPT_HEAD, PROMPT_REQUEST};
use crate::mask::OutputClass;
use crate::output_view::OutputView;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::working_set::WorkingSet;

/// A prompt: text, and nothing that leads back to the memory.
///
/// ```compile_fail,E0599
/// # fn model(prompt: axilog_memory::Prompt) {
/// prompt.reader();
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    text: String,
    request: String,
    set: WorkingSet,
}

impl Prompt {
    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the table asks, as it stands in the prompt: without its guesses.
    pub(crate) fn request(&self) -> &str {
        &self.request
    }

    /// The working set in the prompt.
    #[must_use]
    pub fn working_set(&self) -> &WorkingSet {
        &self.set
    }
}

/// A text of the model's that holds no locked exact string. Only
/// [`MemoryStore::check_narration`](crate::MemoryStore::check_narration) makes one.
///
/// ```compile_fail,E0451
/// # fn model(text: String) {
/// axilog_memory::Narration { text };
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narration {
    text: String,
}

impl Narration {
    /// The text that may be said.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The request as it stands in a prompt: as a text of JSON, so that nothing in it begins a line and passes for a section.
pub(crate) fn write_request(request: &str) -> Result<String> {
    let json = to_value("the request", &request)?.to_string();
    // JSON need not escape these ends of lines.
    Ok(json
        .replace('\u{85}', "\\u0085")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}

impl MemoryReader {
    /// Builds a prompt from the working set of `query`, whose class is PROMPT here, and a request without its guesses, for
    /// whose words the facts are searched where the query has no search of its own; counts the guesses.
    /// Gives no prompt where the whole would hold a locked string.
    pub(crate) fn clean_prompt(
        &self,
        query: &WorkingSetQuery,
        request: &str,
    ) -> Result<(Option<Prompt>, u64)> {
        self.read_at_once(|| {
            let mut query = query.with_class(OutputClass::Prompt);
            let view = OutputView::new(self, &query.audience)?;
            let (request, guesses) = view.with_guard(|guard| guard.redact_guesses(request))?;
            drop(view);
            if query.search.is_none() && query.order.searches() && self.has_plan()? {
                query = query.with_search(&request);
            }
            let set = self.build_working_set(&query)?;
            OutputView::new(self, &query.audience)?.with_guard(|guard| {
                let written = write_request(&request)?;
                let text = [PROMPT_HEAD, set.text(), PROMPT_REQUEST, &written, "\n"].concat();
                // A string may begin in our words and end in the table's.
                match guard.find_leaks(&text)?.is_empty() {
                    true => {
                        let prompt = Prompt { text, request, set };
                        Ok((Some(prompt), guesses))
                    }
                    false => Ok((None, guesses + 1)),
                }
            })
        })
    }

    /// Judges a text of the model's, which `viewers` will hear, and counts its guesses. Gives no narration where a locked
    /// string stands in it.
    pub(crate) fn judge_narration<S: AsRef<str>>(
        &self,
        viewers: &[S],
        text: &str,
    ) -> Result<(Option<Narration>, u64)> {
        self.read_at_once(|| {
            let audience = Audience::new(OutputClass::Narration, viewers)?;
            OutputView::new(self, &audience)?.with_guard(|guard| {
                let narration = guard.find_leaks(text)?.is_empty().then(|| Narration {
                    text: text.to_owned(),
                });
                Ok((narration, guard.count_guesses(text)?))
            })
        })
    }
}
