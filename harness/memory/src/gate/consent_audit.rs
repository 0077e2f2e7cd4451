//! Notebook entries, as gate G3 follows them through the log.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::account::{Account, handle_of, handles_of, hash_value, text_of};
use crate::entry::EntryKind;
use crate::handle::Handle;
use crate::log::LogEntry;

/// The account of consents up to an entry of the log.
#[derive(Default)]
pub(super) struct ConsentAudit {
    consents: HashMap<String, Consent>,
    /// How many notebook entries there are.
    pub(super) entries: u64,
    /// How many of them rest on the word of who leads the game.
    pub(super) revealed: u64,
}

/// A request for consent, the last event about it, and when it was made.
struct Consent {
    last: EntryKind,
    player: String,
    content: Vec<Handle>,
    is_revealed: bool,
    campaign: String,
    session: u64,
    /// The scene with which the consent ends.
    scene: Option<u64>,
}

impl Consent {
    /// Whether campaign, session and scene are still those of the request.
    fn lasts(&self, account: &Account) -> bool {
        let scene = account.scene.as_ref().map(|scene| scene.seq);
        self.campaign == account.campaign()
            && self.session == account.session_seq
            && (self.scene.is_none() || self.scene == scene)
    }

    fn is_open(&self, account: &Account) -> bool {
        [EntryKind::NotebookRequested, EntryKind::NotebookGranted].contains(&self.last)
            && self.lasts(account)
    }
}

impl ConsentAudit {
    /// Checks an entry; gives what is wrong with it.
    pub(super) fn check_entry(&mut self, account: &Account, entry: &LogEntry) -> Option<String> {
        let (kind, body) = (entry.kind, &entry.body);
        let content = handles_of(body, "content_handles");
        match kind {
            EntryKind::NotebookRequested => self.check_request(account, body),
            EntryKind::NotebookGranted | EntryKind::NotebookDenied => {
                let player = text_of(body, "player_id");
                let hash = handle_of(body, "content_hash");
                self.advance(account, kind, body, |consent| {
                    consent.player == player && hash_content(&consent.content) == hash
                })
            }
            EntryKind::NotebookApplied => {
                self.entries += 1;
                let request = self.consents.get(text_of(body, "request_id"));
                self.revealed += u64::from(request.is_some_and(|consent| consent.is_revealed));
                let retracted = content.iter().find(|handle| account.is_retracted(**handle));
                let fault = retracted.map(|handle| format!("{handle} was retracted before"));
                let advanced =
                    self.advance(account, kind, body, |consent| consent.content == content);
                fault.or(advanced)
            }
            _ => None,
        }
    }

    fn check_request(&mut self, account: &Account, body: &Value) -> Option<String> {
        let scene = account.scene.as_ref();
        let consent = Consent {
            last: EntryKind::NotebookRequested,
            player: text_of(body, "player_id").to_owned(),
            content: handles_of(body, "content_handles"),
            is_revealed: body.get("revealed_by_dm") == Some(&Value::Bool(true)),
            campaign: account.campaign().to_owned(),
            session: account.session_seq,
            scene: scene
                .map(|scene| scene.seq)
                .filter(|_| text_of(body, "scope") == "SCENE"),
        };
        let fault = if text_of(body, "scope") == "SCENE" && scene.is_none() {
            Some("a consent for a scene, and none is on".to_owned())
        } else if body.get("scene_id").and_then(Value::as_str)
            != scene.map(|scene| scene.id.as_str())
            || body.get("session_id") != account.story.get("session_id")
        {
            Some("its scene and session are not those that are on".to_owned())
        } else if hash_content(&consent.content) != handle_of(body, "content_hash") {
            Some("its content_hash is not that of its content".to_owned())
        } else if self.consents.contains_key(text_of(body, "request_id")) {
            Some("its request was made before".to_owned())
        } else if self.consents.values().any(|other| other.is_open(account)) {
            Some("another request for consent is open".to_owned())
        } else {
            check_content(account, &consent)
        };
        let request = text_of(body, "request_id").to_owned();
        self.consents.insert(request, consent);
        fault
    }

    /// Moves a consent on by the event `kind`.
    fn advance(
        &mut self,
        account: &Account,
        kind: EntryKind,
        body: &Value,
        fits: impl Fn(&Consent) -> bool,
    ) -> Option<String> {
        let due = match kind {
            EntryKind::NotebookApplied => EntryKind::NotebookGranted,
            _ => EntryKind::NotebookRequested,
        };
        // A consent may be taken back until its content is written.
        let is_due = |last: EntryKind| {
            last == due || kind == EntryKind::NotebookDenied && last == EntryKind::NotebookGranted
        };
        match self.consents.get_mut(text_of(body, "request_id")) {
            Some(consent) if is_due(consent.last) && fits(consent) => {
                consent.last = kind;
                let has_ended = !consent.lasts(account);
                has_ended.then(|| format!("{kind} after its scene, session or campaign has ended"))
            }
            _ => Some(format!("{kind} without its {due}")),
        }
    }
}

/// Checks that the player may know of the content, and that somebody at the table learned it.
fn check_content(account: &Account, consent: &Consent) -> Option<String> {
    let players = std::slice::from_ref(&consent.player);
    for handle in &consent.content {
        let Some((_, fact)) = account.find_fact(*handle) else {
            return Some(format!("nothing has the handle {handle}"));
        };
        let is_for_players = fact.mask == "PUBLIC" || fact.mask == "PLAYER";
        if !is_for_players || !account.may_see_fact("RECAP", players, fact) {
            let player = &consent.player;
            return Some(format!("{player} may not know of {handle}"));
        }
        if !consent.is_revealed && !account.is_learned(*handle) {
            return Some(format!("nobody has learned {handle}"));
        }
    }
    None
}

fn hash_content(content: &[Handle]) -> Option<Handle> {
    hash_value(json!(content)).ok()
}
