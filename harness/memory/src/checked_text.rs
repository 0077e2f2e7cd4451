//! Texts of the table and of the model, checked for guesses at locked strings, which are counted and logged.
//!
//! What is answered says as little as it can of whether a guess was right. Every answer to a number is the same. A
//! word is found only where it is right: so the guesses of a scene are limited.

use crate::audience::Audience;
use crate::error::{MemoryError, Result};
use crate::mask::OutputClass;
use crate::prompt::{Narration, Prompt};
use crate::query::WorkingSetQuery;
use crate::showing::{log_narration, log_prompt};
use crate::store::MemoryStore;
use crate::writer::Writer;

impl MemoryStore {
    /// Builds a prompt: the working set of `query`, whose class is PROMPT here, and what the table asks. What may be a
    /// guess at a locked string becomes `[locked]` in `request`, is counted and logged. Records in the log that the prompt
    /// was shown.
    ///
    /// # Errors
    /// [`MemoryError::Guess`] for more guesses than a scene allows, and for every request after them;
    /// as [`MemoryReader::inspect_working_set`](crate::MemoryReader::inspect_working_set) and [`MemoryStore::append`].
    pub fn build_prompt(&mut self, query: &WorkingSetQuery, request: &str) -> Result<Prompt> {
        let query = &self.clean_search(&query.with_class(OutputClass::Prompt))?;
        let prompt = self.append_with(|writer| build_prompt_within(writer, query, request))?;
        prompt.ok_or(MemoryError::Guess { what: "request" })
    }

    /// Takes the guesses out of what a query searches for, and logs them as those of a request.
    ///
    /// # Errors
    /// [`MemoryError::Guess`] for more guesses than a scene allows, and for every search after them; as
    /// [`MemoryStore::append`].
    pub(crate) fn clean_search(&mut self, query: &WorkingSetQuery) -> Result<WorkingSetQuery> {
        if query.search.is_none() {
            return Ok(query.clone());
        }
        let (query, is_over) = self.append_with(|writer| {
            let (query, guesses) = writer.reader().clean_search(query)?;
            let is_over = writer.log_guesses(query.audience.class, guesses)?;
            Ok((query, is_over))
        })?;
        match is_over {
            true => Err(MemoryError::Guess { what: "search" }),
            false => Ok(query),
        }
    }

    /// Checks a text of the model's, which `viewers` will hear. What may be a guess at a locked string in it is
    /// counted and logged, and so is the check: with the text where it passed, and with its hash alone where not.
    ///
    /// # Errors
    /// [`MemoryError::Guess`] where a locked exact string stands in the text, and for more guesses than a scene
    /// allows, whether they are right or not; as [`MemoryStore::append`].
    pub fn check_narration<S: AsRef<str>>(
        &mut self,
        viewers: &[S],
        text: &str,
    ) -> Result<Narration> {
        let narration = self.append_with(|writer| check_narration_within(writer, viewers, text))?;
        narration.ok_or(MemoryError::Guess { what: "narration" })
    }
}

/// Builds a prompt within an append under way; gives nothing where the request is refused.
pub(crate) fn build_prompt_within(
    writer: &mut Writer<'_>,
    query: &WorkingSetQuery,
    request: &str,
) -> Result<Option<Prompt>> {
    let (prompt, guesses) = writer.reader().clean_prompt(query, request)?;
    let is_over = writer.log_guesses(OutputClass::Prompt, guesses)?;
    // A word that was guessed is answered otherwise than one that was not. So nothing is asked any more.
    let prompt = prompt.filter(|_| !is_over || request.is_empty());
    if let Some(prompt) = &prompt {
        log_prompt(writer, query, prompt)?;
    }
    Ok(prompt)
}

/// Checks a narration within an append under way; gives nothing where it is refused.
pub(crate) fn check_narration_within<S: AsRef<str>>(
    writer: &mut Writer<'_>,
    viewers: &[S],
    text: &str,
) -> Result<Option<Narration>> {
    let (narration, guesses) = writer.reader().judge_narration(viewers, text)?;
    let is_over = writer.log_guesses(OutputClass::Narration, guesses)?;
    let narration = narration.filter(|_| !is_over || guesses == 0);
    let audience = Audience::new(OutputClass::Narration, viewers)?;
    log_narration(writer, &audience, text, narration.is_some())?;
    Ok(narration)
}
