//! Showing an output to a model's side: it is given only once its entry is in the log (document, section 4.5).

use crate::audience::Audience;
use crate::canonical::CanonicalJson;
use crate::entry::EntryBody;
use crate::error::Result;
use crate::handle::Handle;
use crate::image_brief::ImageBrief;
use crate::mask::OutputClass;
use crate::prompt::Prompt;
use crate::query::WorkingSetQuery;
use crate::shown_body::{ShownBody, ShownKind};
use crate::store::MemoryStore;
use crate::working_set::WorkingSet;
use crate::writer::Writer;

impl MemoryStore {
    /// Builds a working set for a model, and records in the log that it was shown. The same state, query and budget give
    /// the same bytes on every machine.
    ///
    /// # Errors
    /// As [`MemoryReader::inspect_working_set`](crate::MemoryReader::inspect_working_set) and [`MemoryStore::append`].
    pub fn build_working_set(&mut self, query: &WorkingSetQuery) -> Result<WorkingSet> {
        let query = &self.clean_search(query)?;
        self.append_with(|writer| show_working_set(writer, query))
    }

    /// Builds the brief of these handles, each of which the working set must permit; without `handles`, of every handle
    /// that it permits. Records in the log that it was shown.
    ///
    /// # Errors
    /// As [`MemoryReader::inspect_image_brief`](crate::MemoryReader::inspect_image_brief) and [`MemoryStore::append`].
    pub fn build_image_brief(
        &mut self,
        query: &WorkingSetQuery,
        handles: Option<&[Handle]>,
    ) -> Result<ImageBrief> {
        let query = &self.clean_search(&query.with_class(OutputClass::Pvib))?;
        self.append_with(|writer| show_image_brief(writer, query, handles))
    }

    /// Checks a brief that was made elsewhere, and records in the log that it was shown.
    ///
    /// # Errors
    /// As [`MemoryReader::inspect_foreign_brief`](crate::MemoryReader::inspect_foreign_brief) and
    /// [`MemoryStore::append`].
    pub fn check_image_brief(
        &mut self,
        query: &WorkingSetQuery,
        brief: CanonicalJson,
    ) -> Result<ImageBrief> {
        let query = &self.clean_search(&query.with_class(OutputClass::Pvib))?;
        self.append_with(|writer| show_foreign_brief(writer, query, brief))
    }
}

/// Builds a working set within an append under way, and logs it.
pub(crate) fn show_working_set(
    writer: &mut Writer<'_>,
    query: &WorkingSetQuery,
) -> Result<WorkingSet> {
    let set = writer.reader().build_working_set(query)?;
    let kind = ShownKind::WorkingSet;
    let body = ShownBody::new(kind, set.bytes(), Some(set.id()), &query.audience)?;
    log_shown(writer, body.with_query(query)?)?;
    Ok(set)
}

/// Builds an image brief within an append under way, and logs it.
pub(crate) fn show_image_brief(
    writer: &mut Writer<'_>,
    query: &WorkingSetQuery,
    handles: Option<&[Handle]>,
) -> Result<ImageBrief> {
    let brief = writer.reader().build_image_brief(query, handles)?;
    log_brief(writer, ShownKind::Pvib, query, &brief)?;
    Ok(brief)
}

/// Checks an image brief that was made elsewhere within an append under way, and logs it.
pub(crate) fn show_foreign_brief(
    writer: &mut Writer<'_>,
    query: &WorkingSetQuery,
    brief: CanonicalJson,
) -> Result<ImageBrief> {
    let brief = writer.reader().check_image_brief(query, brief)?;
    log_brief(writer, ShownKind::Brief, query, &brief)?;
    Ok(brief)
}

/// Logs a brief. Its handles say the whole of it: the words for them are the memory's own.
fn log_brief(
    writer: &mut Writer<'_>,
    kind: ShownKind,
    query: &WorkingSetQuery,
    brief: &ImageBrief,
) -> Result<()> {
    let bytes = brief.canonical().bytes();
    let audience = query.audience.with_class(OutputClass::Pvib);
    let body = ShownBody::new(kind, bytes, Some(brief.working_set_id()), &audience)?;
    let body = body.with_query(query)?.with_handles(brief.handles());
    log_shown(writer, body)
}

/// Logs a prompt, with the request as it stands in it: without its guesses.
pub(crate) fn log_prompt(
    writer: &mut Writer<'_>,
    query: &WorkingSetQuery,
    prompt: &Prompt,
) -> Result<()> {
    let bytes = prompt.text().as_bytes();
    let set = Some(prompt.working_set().id());
    let audience = query.audience.with_class(OutputClass::Prompt);
    let body = ShownBody::new(ShownKind::Prompt, bytes, set, &audience)?;
    log_shown(writer, body.with_query(query)?.with_text(prompt.request()))
}

/// Logs the check of a narration. The text of one that was refused is not kept: it may hold a locked string.
pub(crate) fn log_narration(
    writer: &mut Writer<'_>,
    audience: &Audience,
    text: &str,
    has_passed: bool,
) -> Result<()> {
    let body = ShownBody::new(ShownKind::Narration, text.as_bytes(), None, audience)?;
    let body = match has_passed {
        true => body.with_text(text),
        false => body,
    };
    log_shown(writer, body)
}

fn log_shown(writer: &mut Writer<'_>, body: ShownBody) -> Result<()> {
    writer.commit(EntryBody::Shown(body)).map(drop)
}
