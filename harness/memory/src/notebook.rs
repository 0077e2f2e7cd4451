//! Entries in a player's notebook, with the player's consent (document, sections 3 and 5A).
//!
//! EV-010 asks, EV-011 or EV-012 answers, EV-013 records the entry, which unlocks its content for the
//! campaign. Without an answer nothing can be written, and nothing that nobody at the table has learned.

use crate::audience::Audience;
use crate::bodies::{ConsentScope, NotebookAnswerBody, NotebookRequestBody, NotebookWriteBody};
use crate::consent::{find_content_hash, hash_content};
use crate::entry::{EntryBody, EntryKind};
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::identifier::Identifier;
use crate::mask::OutputClass;
use crate::output_view::OutputView;
use crate::store::MemoryStore;
use crate::writer::Writer;

/// The word that consents.
pub const CONSENT_WORD: &str = "grant";

/// A request for a player's consent to a notebook entry.
#[derive(Clone, Debug)]
pub struct NotebookRequest {
    /// The id of the request, which no request had before.
    pub id: String,
    /// Who asks.
    pub requester: String,
    /// Whose notebook it is.
    pub player: String,
    /// The facts and details that are to be written.
    pub content: Vec<Handle>,
    /// Until when the consent holds.
    pub scope: ConsentScope,
    /// Whether who leads the game says that the content was told at the table. Without that word, a recall must
    /// have told it, or it is no secret.
    pub revealed_by_dm: bool,
}

impl MemoryStore {
    /// Asks a player whether something may be written into their notebook; gives the entry of EV-010.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] for a request that was made before, while another one is open, for content of
    /// which the player may not know, and for content that nobody at the table has learned;
    /// [`MemoryError::Document`], [`MemoryError::Sqlite`].
    pub fn request_notebook_entry(&mut self, request: &NotebookRequest) -> Result<u64> {
        self.append_with(|writer| request_within(writer, request))
    }

    /// Records the player's answer; gives whether it consents. Only [`CONSENT_WORD`] consents, any other
    /// answer denies, also after a consent whose content is not written yet.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] for a request that has ended, is answered or is not this player's;
    /// [`MemoryError::Document`], [`MemoryError::Sqlite`].
    pub fn answer_notebook_request(
        &mut self,
        request: &str,
        player: &str,
        answer: &str,
    ) -> Result<bool> {
        self.append_with(|writer| answer_within(writer, request, player, answer))
    }

    /// Records that the content was written, which unlocks it for the campaign; gives the entry of EV-013.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] where the player did not consent to exactly this content, or the consent has
    /// ended; [`MemoryError::Document`], [`MemoryError::Sqlite`].
    pub fn record_notebook_entry(&mut self, request: &str, content: &[Handle]) -> Result<u64> {
        self.append_with(|writer| write_within(writer, request, content))
    }
}

/// Makes a request within an append under way.
pub(crate) fn request_within(writer: &mut Writer<'_>, request: &NotebookRequest) -> Result<u64> {
    let id = EntryKind::NotebookRequested.as_str();
    let content = checked_content(id, &request.content)?;
    let audience = Audience::new(OutputClass::Recap, &[&request.player])?;
    let view = OutputView::new(writer.reader(), &audience)?;
    for handle in &content {
        // What is masked is answered as an unknown handle.
        let fact = view.reader.find_fact(*handle)?;
        if !fact.map_or(Ok(false), |fact| view.may_hold(fact))? {
            let reason = format!("nothing has the handle {handle}");
            return Err(MemoryError::refused(id, reason));
        }
    }
    let body = NotebookRequestBody {
        request_id: Identifier::new(id, "request", &request.id)?,
        requester_id: Identifier::new(id, "requester", &request.requester)?,
        player_id: Identifier::new(id, "player", &request.player)?,
        content_hash: hash_content(&content)?,
        content_handles: content,
        scope: request.scope,
        session_id: Identifier::new(id, "session", &view.state.session_id)?,
        scene_id: view.state.scene.map(|scene| scene.id),
        revealed_by_dm: request.revealed_by_dm,
    };
    writer.commit(EntryBody::NotebookRequested(body))
}

/// Records an answer within an append under way.
pub(crate) fn answer_within(
    writer: &mut Writer<'_>,
    request: &str,
    player: &str,
    answer: &str,
) -> Result<bool> {
    let granted = answer == CONSENT_WORD;
    let (kind, to_body): (_, fn(_) -> _) = match granted {
        true => (EntryKind::NotebookGranted, EntryBody::NotebookGranted),
        false => (EntryKind::NotebookDenied, EntryBody::NotebookDenied),
    };
    let reader = writer.reader();
    let content = find_content_hash(&reader.conn, request).map_err(reader.read_error())?;
    let missing = format!("there is no request {request}; EV-010 makes one");
    let body = NotebookAnswerBody {
        request_id: Identifier::new(kind.as_str(), "request", request)?,
        player_id: Identifier::new(kind.as_str(), "player", player)?,
        content_hash: content.ok_or_else(|| MemoryError::refused(kind.as_str(), missing))?,
    };
    writer.commit(to_body(body))?;
    Ok(granted)
}

/// Records an entry within an append under way.
pub(crate) fn write_within(
    writer: &mut Writer<'_>,
    request: &str,
    content: &[Handle],
) -> Result<u64> {
    let id = EntryKind::NotebookApplied.as_str();
    let body = NotebookWriteBody {
        request_id: Identifier::new(id, "request", request)?,
        content_handles: checked_content(id, content)?,
    };
    writer.commit(EntryBody::NotebookApplied(body))
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
