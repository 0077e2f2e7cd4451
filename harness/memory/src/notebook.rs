//! Writing in a player's notebook, with the player's consent (document, sections 3 and 5A).
//!
//! EV-010 asks, EV-011 or EV-012 answers, EV-013 writes, and writing unlocks for the campaign. Without
//! an answer nothing can be written.

use serde_json::json;

use super::canonical::Handle;
use super::error::{MemoryError, Result};
use super::id::Id;
use super::lens::Audience;
use super::mask::OutputClass;
use super::store::Store;

/// The word that consents.
pub const CONSENT: &str = "grant";

impl Store {
    /// Asks `player` whether `content` may be written into their notebook; gives the entry of EV-010.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] for a request that was made before, and for content of which the
    /// player may not know; [`MemoryError::Field`], [`MemoryError::Sqlite`].
    pub fn ask_notebook(
        &mut self,
        request: &str,
        requester: &str,
        player: &str,
        content: &[Handle],
    ) -> Result<u64> {
        let audience = Audience::new(OutputClass::Recap, &[player])?;
        self.write(|writer| {
            let view = writer.lens().view(&audience)?;
            for handle in content {
                let fact = view.lens.fact_of(*handle)?;
                // What is masked is answered as what is not there.
                let seen = fact.map_or(Ok(false), |fact| view.sees(fact))?;
                if !seen {
                    let reason = format!("nothing has the handle {handle}");
                    return Err(MemoryError::refused(Id::NotebookRequested.as_str(), reason));
                }
            }
            let handles: Vec<String> = content.iter().map(ToString::to_string).collect();
            writer.put(
                Id::NotebookRequested,
                json!({
                    "request_id": request,
                    "requester_id": requester,
                    "player_id": player,
                    "content_handles": handles,
                }),
            )
        })
    }

    /// Records what the player says. Only [`CONSENT`] consents; anything else denies. Whether it did.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] for a request that is not open or not this player's;
    /// [`MemoryError::Field`], [`MemoryError::Sqlite`].
    pub fn answer_notebook(&mut self, request: &str, player: &str, says: &str) -> Result<bool> {
        let granted = says == CONSENT;
        let id = if granted {
            Id::NotebookGranted
        } else {
            Id::NotebookDenied
        };
        self.write(|writer| writer.put(id, json!({ "request_id": request, "player_id": player })))?;
        Ok(granted)
    }

    /// Records that what was consented to has been written, which unlocks it for the campaign.
    ///
    /// # Errors
    /// [`MemoryError::Refused`] where there is no consent to exactly this; [`MemoryError::Field`],
    /// [`MemoryError::Sqlite`].
    pub fn apply_notebook(&mut self, request: &str, content: &[Handle]) -> Result<u64> {
        let handles: Vec<String> = content.iter().map(ToString::to_string).collect();
        self.write(|writer| {
            writer.put(
                Id::NotebookApplied,
                json!({ "request_id": request, "content_handles": handles }),
            )
        })
    }
}
