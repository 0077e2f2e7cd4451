//! G3 ORC-RECALL-RR002: every request is logged whole, and exact strings came out of unlocks alone.
//!
//! Walks through the log and keeps account of unlocks by itself.

use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::Finding;
use crate::canonical::Handle;
use crate::error::Result;
use crate::id::Id;
use crate::lens::Lens;
use crate::log::Entry;

#[derive(Default)]
struct Account {
    campaign: String,
    /// Handles unlocked for good, by campaign.
    notebooks: HashSet<(String, String)>,
    session: HashSet<String>,
    scene: HashSet<String>,
    /// The facts, or details of them, that were rolled for in this scene.
    tried: HashMap<String, HashSet<String>>,
    consents: HashMap<String, Consent>,
    /// A request that is not whole yet: where, of what, the attempt's outcome.
    open: Option<(u64, String, Option<String>)>,
    requests: u64,
    exact: u64,
    writings: u64,
}

/// What may be written into whose notebook, and how far that is.
struct Consent {
    step: Id,
    player: String,
    content: Value,
}

pub(super) fn check(lens: &Lens, finding: &mut Finding) -> Result<()> {
    let mut account = Account::default();
    lens.at_once(|| {
        lens.each_entry(&mut |entry| {
            if let Some(fault) = account.enter(lens, &entry)? {
                finding.faults.push(format!("entry {}: {fault}", entry.seq));
            }
            Ok(())
        })
    })?;
    if let Some((seq, ..)) = account.open {
        finding
            .faults
            .push(format!("entry {seq}: the request is not whole"));
    }
    finding.checked.push(format!(
        "{} requests, each EV-001, EV-002, EV-003",
        account.requests
    ));
    finding.checked.push(format!(
        "{} exact answers, each unlocked or rolled",
        account.exact
    ));
    finding.checked.push(format!(
        "{} notebook entries, each consented to",
        account.writings
    ));
    Ok(())
}

fn text<'a>(body: &'a Value, name: &str) -> &'a str {
    body.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The fact of a handle.
fn fact_of(lens: &Lens, detail: &str) -> Result<Option<Handle>> {
    match Handle::parse(detail) {
        Some(handle) => lens.fact_of(handle),
        None => Ok(None),
    }
}

impl Account {
    /// What is wrong with the entry.
    fn enter(&mut self, lens: &Lens, entry: &Entry) -> Result<Option<String>> {
        let (id, body) = (entry.id, &entry.body);
        let detail = text(body, "detail_handle").to_owned();
        if let Some((_, _, attempt)) = &self.open {
            let due = if attempt.is_none() {
                Id::RecallAttempt
            } else {
                Id::RecallResult
            };
            if id != due {
                self.open = None;
                return Ok(Some(format!("{due} should follow, and it is {id}")));
            }
        }
        match id {
            Id::RecallRequest => {
                self.requests += 1;
                self.open = Some((entry.seq, detail, None));
            }
            Id::RecallAttempt => return self.attempt(lens, body, &detail),
            Id::RecallResult => return self.result(lens, body, &detail),
            Id::SceneEnd => {
                self.scene.clear();
                self.tried.clear();
            }
            Id::State => {
                if let Some(campaign) = body.get("campaign_id").and_then(Value::as_str) {
                    self.campaign = campaign.to_owned();
                }
                if body.get("session_id").is_some() {
                    self.session.clear();
                    self.scene.clear();
                }
            }
            Id::NotebookRequested
            | Id::NotebookGranted
            | Id::NotebookDenied
            | Id::NotebookApplied => return Ok(self.notebook(id, body)),
            _ => {}
        }
        Ok(None)
    }

    fn notebook(&mut self, id: Id, body: &Value) -> Option<String> {
        let request = text(body, "request_id").to_owned();
        let player = text(body, "player_id");
        let content = body.get("content_handles").unwrap_or(&Value::Null);
        let due = match id {
            Id::NotebookRequested => {
                let consent = Consent {
                    step: id,
                    player: player.to_owned(),
                    content: content.clone(),
                };
                self.consents.insert(request, consent);
                return None;
            }
            Id::NotebookApplied => Id::NotebookGranted,
            _ => Id::NotebookRequested,
        };
        let asked = self.consents.get_mut(&request).filter(|asked| {
            let same = match id {
                Id::NotebookApplied => asked.content == *content,
                _ => asked.player == player,
            };
            asked.step == due && same
        });
        match asked {
            Some(asked) => asked.step = id,
            None => return Some(format!("{id} without its {due}")),
        }
        if id == Id::NotebookApplied {
            self.writings += 1;
            let handles = content.as_array().into_iter().flatten();
            let handles = handles.filter_map(Value::as_str).map(str::to_owned);
            let campaign = &self.campaign;
            self.notebooks
                .extend(handles.map(|handle| (campaign.clone(), handle)));
        }
        None
    }

    fn attempt(&mut self, lens: &Lens, body: &Value, detail: &str) -> Result<Option<String>> {
        let outcome = text(body, "outcome").to_owned();
        let rolled = matches!(outcome.as_str(), "SUCCESS" | "FAILURE");
        match &mut self.open {
            Some((_, of, attempt)) if of == detail => *attempt = Some(outcome),
            _ => return Ok(Some("EV-002 without its EV-001".to_owned())),
        }
        if !rolled {
            return Ok(None);
        }
        if body.get("roll").is_none_or(Value::is_null) {
            return Ok(Some("an outcome without a roll".to_owned()));
        }
        let fact = fact_of(lens, detail)?.map_or(detail.to_owned(), |fact| fact.to_string());
        let tried = self.tried.entry(fact.clone()).or_default();
        // A roll for a fact is one for each of its details.
        let again =
            tried.contains(detail) || tried.contains(&fact) || fact == detail && !tried.is_empty();
        tried.insert(detail.to_owned());
        Ok(again.then(|| "a second attempt in one scene".to_owned()))
    }

    fn result(&mut self, lens: &Lens, body: &Value, detail: &str) -> Result<Option<String>> {
        let attempt = match self.open.take() {
            Some((_, of, Some(attempt))) if of == detail => attempt,
            _ => return Ok(Some("EV-003 without its EV-001 and EV-002".to_owned())),
        };
        let scope = text(body, "unlock_scope");
        if text(body, "outcome") == "EXACT" {
            self.exact += 1;
            if attempt != "SUCCESS" && !self.is_free(lens, detail, text(body, "payload_handle"))? {
                return Ok(Some(format!(
                    "an exact answer after {attempt}, to what is locked"
                )));
            }
        } else if !scope.is_empty() {
            return Ok(Some("an unlock without an exact answer".to_owned()));
        }
        match (scope, attempt.as_str()) {
            ("", _) => {}
            ("SCENE", "SUCCESS") => {
                self.scene.insert(detail.to_owned());
            }
            ("SESSION", "SUCCESS") => {
                self.session.insert(detail.to_owned());
            }
            _ => return Ok(Some(format!("an unlock after {attempt}"))),
        }
        Ok(None)
    }

    fn is_free(&self, lens: &Lens, detail: &str, fact: &str) -> Result<bool> {
        let unlocked = |handle: &str| {
            let campaign = (self.campaign.clone(), handle.to_owned());
            self.scene.contains(handle)
                || self.session.contains(handle)
                || self.notebooks.contains(&campaign)
        };
        if unlocked(detail) || unlocked(fact) {
            return Ok(true);
        }
        let of = fact_of(lens, detail)?;
        let read = || {
            let tag: Option<bool> = lens
                .conn
                .prepare_cached("SELECT locked FROM fact WHERE fact = ?1")?
                .query_row(params![of.map(|of| of.0)], |row| row.get(0))
                .optional()?;
            Ok(tag == Some(false))
        };
        read().map_err(lens.failed())
    }
}
