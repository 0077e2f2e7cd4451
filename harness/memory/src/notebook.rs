//! Entries in a player's notebook, with the player's consent (document, sections 3 and 5A).
//!
//! EV-010 asks, EV-011 or EV-012 answers, EV-013 records the entry, which unlocks its content for the
//! campaign. Without an answer nothing can be written.

use crate::audience::Audience;
use crate::bodies::{NotebookAnswerBody, NotebookRequestBody, NotebookWriteBody};
use crate::entry::{EntryBody, EntryKind};
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::identifier::Identifier;
use crate::mask::OutputClass;
use crate::output_view::OutputView;
use crate::store::MemoryStore;

/// The word that consents.
pub const CONSENT_WORD: &str = "grant";

impl MemoryStore {
    /// Asks `player` whether `content` may be written into their notebook; gives the entry of EV-010.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] for a request that was made before, and for content of which the
    /// player may not know; [`MemoryError::Document`], [`MemoryError::Sqlite`].
    pub fn request_notebook_entry(
        &mut self,
        request: &str,
        requester: &str,
        player: &str,
        content: &[Handle],
    ) -> Result<u64> {
        let id = EntryKind::NotebookRequested.as_str();
        let audience = Audience::new(OutputClass::Recap, &[player])?;
        let body = NotebookRequestBody {
            request_id: Identifier::new(id, "request", request)?,
            requester_id: Identifier::new(id, "requester", requester)?,
            player_id: Identifier::new(id, "player", player)?,
            content_handles: checked_content(id, content)?,
        };
        self.append_with(|writer| {
            let view = OutputView::new(writer.reader(), &audience)?;
            for handle in content {
                // What is masked is answered as an unknown handle.
                let fact = view.reader.find_fact(*handle)?;
                if !fact.map_or(Ok(false), |fact| view.may_hold(fact))? {
                    let reason = format!("nothing has the handle {handle}");
                    return Err(MemoryError::refused(id, reason));
                }
            }
            writer.commit(EntryBody::NotebookRequested(body))
        })
    }

    /// Records the player's answer; gives whether it consents. Only [`CONSENT_WORD`] consents, any other
    /// answer denies.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] for a request that is not open or not this player's;
    /// [`MemoryError::Document`], [`MemoryError::Sqlite`].
    pub fn answer_notebook_request(
        &mut self,
        request: &str,
        player: &str,
        answer: &str,
    ) -> Result<bool> {
        let granted = answer == CONSENT_WORD;
        let (kind, to_body): (_, fn(_) -> _) = match granted {
            true => (EntryKind::NotebookGranted, EntryBody::NotebookGranted),
            false => (EntryKind::NotebookDenied, EntryBody::NotebookDenied),
        };
        let body = NotebookAnswerBody {
            request_id: Identifier::new(kind.as_str(), "request", request)?,
            player_id: Identifier::new(kind.as_str(), "player", player)?,
        };
        self.append_with(|writer| writer.commit(to_body(body)))?;
        Ok(granted)
    }

    /// Records that the content was written, which unlocks it for the campaign; gives the entry of EV-013.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] where the player did not consent to exactly this content;
    /// [`MemoryError::Document`], [`MemoryError::Sqlite`].
    pub fn record_notebook_entry(&mut self, request: &str, content: &[Handle]) -> Result<u64> {
        let id = EntryKind::NotebookApplied.as_str();
        let body = NotebookWriteBody {
            request_id: Identifier::new(id, "request", request)?,
            content_handles: checked_content(id, content)?,
        };
        self.append_with(|writer| writer.commit(EntryBody::NotebookApplied(body)))
    }
}

/// The content of a notebook entry: one or more handles, none twice.
fn checked_content(id: &str, content: &[Handle]) -> Result<Vec<Handle>> {
    let mut sorted = content.to_vec();
    sorted.sort();
    sorted.dedup();
    match !content.is_empty() && sorted.len() == content.len() {
        true => Ok(content.to_vec()),
        false => Err(MemoryError::document(
            id,
            "content",
            format!("found {content:?}, expected one or more handles, none twice"),
        )),
    }
}
