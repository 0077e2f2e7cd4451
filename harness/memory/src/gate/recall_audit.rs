//! G3 ORC-RECALL-RR002: every request is logged whole, and exact strings came out of unlocks alone.
//!
//! The audit walks through the log with the gates' own account of it, and judges each entry by what the log said
//! before. Then it makes requests of its own (`recall_attempts.rs`).

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::account::{Account, handle_of, text_of};
use super::consent_audit::ConsentAudit;
use super::report::GateReport;
use super::{consent_attempts, recall_attempts, retraction_attempts, rule_attempts};
use crate::entry::EntryKind;
use crate::error::Result;
use crate::handle::Handle;
use crate::log::LogEntry;
use crate::store::MemoryStore;

pub(super) fn check(store: &mut MemoryStore, report: &mut GateReport) -> Result<()> {
    let mut audit = RecallAudit::default();
    let reader = store.reader();
    reader.read_at_once(|| {
        reader.for_each_entry(&mut |entry| {
            if let Some(fault) = audit.check_entry(&entry) {
                report.faults.push(format!("entry {}: {fault}", entry.seq));
            }
            audit.account.take(&entry)
        })
    })?;
    if let Some(open) = audit.open {
        report
            .faults
            .push(format!("entry {}: the request is not whole", open.seq));
    }
    report.checked.push(format!(
        "{} requests, each EV-001, EV-002, EV-003",
        audit.requests
    ));
    report.checked.push(format!(
        "{} exact answers, each unlocked or rolled",
        audit.exact_answers
    ));
    report.checked.push(format!(
        "{} notebook entries, each of what was learned, and consented to; {} on the word of who leads the game",
        audit.consents.entries, audit.consents.revealed
    ));
    report.checked.push(format!(
        "{} rules opened, each under the revision that admits it",
        audit.openings
    ));
    report.checked.push(format!(
        "{} facts retracted, each once and in the campaign in which it was told",
        audit.retractions
    ));
    recall_attempts::check(store, &audit.account, report)?;
    rule_attempts::check(store, &audit.account, report)?;
    retraction_attempts::check(store, &audit.account, report)?;
    consent_attempts::check(store, &audit.account, report)
}

/// The account of recalls and consents up to an entry of the log.
#[derive(Default)]
struct RecallAudit {
    account: Account,
    /// The handles that were rolled for, by campaign, scene and fact.
    tried: HashMap<(String, String, Handle), HashSet<Handle>>,
    consents: ConsentAudit,
    open: Option<OpenRequest>,
    requests: u64,
    exact_answers: u64,
    openings: u64,
    retractions: u64,
}

/// A request that is not whole yet.
struct OpenRequest {
    seq: u64,
    detail: Handle,
    requester: String,
    /// The outcome of EV-002, once it is there.
    attempt: Option<String>,
}

impl RecallAudit {
    /// Checks an entry against the account; gives what is wrong with the entry.
    fn check_entry(&mut self, entry: &LogEntry) -> Option<String> {
        let (kind, body) = (entry.kind, &entry.body);
        if let Some(open) = &self.open {
            let due = match open.attempt {
                None => EntryKind::RecallAttempt,
                Some(_) => EntryKind::RecallResult,
            };
            if kind != due {
                self.open = None;
                return Some(format!("{due} should follow, and it is {kind}"));
            }
        }
        if let Err(error) = kind.read_body(body) {
            return Some(error.to_string());
        }
        match kind {
            EntryKind::RecallRequest => self.check_request(entry),
            EntryKind::RecallAttempt => self.check_attempt(body),
            EntryKind::RecallResult => self.check_result(body),
            EntryKind::RuleRefOpened => self.check_opening(body),
            EntryKind::Retraction => self.check_retraction(body),
            _ => self.consents.check_entry(&self.account, entry),
        }
    }

    fn check_request(&mut self, entry: &LogEntry) -> Option<String> {
        self.requests += 1;
        self.open = handle_of(&entry.body, "detail_handle").map(|detail| OpenRequest {
            seq: entry.seq,
            detail,
            requester: text_of(&entry.body, "requester_id").to_owned(),
            attempt: None,
        });
        self.check_scene(&entry.body)
    }

    /// Checks that an entry names the scene that is on.
    fn check_scene(&self, body: &Value) -> Option<String> {
        let scene = self.account.scene.as_ref().map(|scene| scene.id.as_str());
        let found = body.get("scene_id").and_then(Value::as_str);
        (scene != found).then(|| {
            let name = |scene: Option<&str>| scene.unwrap_or("none").to_owned();
            format!("its scene is {}, and {} is on", name(found), name(scene))
        })
    }

    fn check_retraction(&mut self, body: &Value) -> Option<String> {
        self.retractions += 1;
        let handle = handle_of(body, "fact_id")?;
        match self.account.find_fact(handle) {
            Some((id, fact)) if id == handle && !fact.retracted => {
                let (told, played) = (&fact.campaign, self.account.campaign());
                (told != played)
                    .then(|| format!("a fact of the campaign {told} was retracted in {played}"))
            }
            Some((id, _)) if id == handle => Some(format!("{id} was retracted before")),
            _ => Some(format!("no fact has the handle {handle}")),
        }
    }

    fn check_opening(&mut self, body: &Value) -> Option<String> {
        self.openings += 1;
        if !self.account.may_open_rules() {
            return Some("a rule was opened, and no revision of the contract admits it".to_owned());
        }
        if text_of(body, "unlock_scope") == "SCENE" && self.account.scene.is_none() {
            return Some("a rule was opened for a scene while none is on".to_owned());
        }
        self.check_scene(body)
    }

    fn check_attempt(&mut self, body: &Value) -> Option<String> {
        let detail = handle_of(body, "detail_handle")?;
        let outcome = text_of(body, "outcome");
        match &mut self.open {
            Some(open) if open.detail == detail => open.attempt = Some(outcome.to_owned()),
            _ => return Some("EV-002 without its EV-001".to_owned()),
        }
        match outcome {
            "SUCCESS" | "FAILURE" => {}
            "NOT_NEEDED" if !self.account.is_open(detail) => {
                return Some("no roll was needed for what is locked".to_owned());
            }
            _ => return None,
        }
        let number = |member: &str| body.get(member).and_then(Value::as_i64);
        let (Some(roll), Some(dc)) = (number("roll"), number("dc")) else {
            return Some("an outcome without a roll".to_owned());
        };
        if outcome == "SUCCESS" && roll < dc {
            return Some(format!(
                "a success with {roll}, where {dc} had to be reached"
            ));
        }
        let Some(scene) = &self.account.scene else {
            return Some("a roll while no scene is on".to_owned());
        };
        let fact = self
            .account
            .find_fact(detail)
            .map_or(detail, |(fact, _)| fact);
        let place = (self.account.campaign().to_owned(), scene.id.clone(), fact);
        let tried = self.tried.entry(place).or_default();
        // A roll for a fact is one for each of its details.
        let second =
            tried.contains(&detail) || tried.contains(&fact) || fact == detail && !tried.is_empty();
        tried.insert(detail);
        second.then(|| "a second attempt in one scene".to_owned())
    }

    fn check_result(&mut self, body: &Value) -> Option<String> {
        let detail = handle_of(body, "detail_handle")?;
        let (requester, attempt) = match self.open.take() {
            Some(OpenRequest {
                detail: requested,
                requester,
                attempt: Some(attempt),
                ..
            }) if requested == detail => (requester, attempt),
            _ => return Some("EV-003 without its EV-001 and EV-002".to_owned()),
        };
        let outcome = text_of(body, "outcome");
        let scope = body.get("unlock_scope").and_then(Value::as_str);
        let fact = self.account.find_fact(detail).map(|(fact, _)| fact);
        if outcome == "EXACT" {
            self.exact_answers += 1;
            if attempt != "SUCCESS" && !self.account.is_open(detail) {
                return Some(format!(
                    "an exact answer after {attempt}, to what is locked"
                ));
            }
        } else if scope.is_some() {
            return Some("an unlock without an exact answer".to_owned());
        } else if attempt == "SUCCESS" {
            return Some("a success without an exact answer".to_owned());
        }
        if scope.is_some() != (attempt == "SUCCESS") {
            return Some(format!("the unlock is {scope:?} after {attempt}"));
        }
        let payload = handle_of(body, "payload_handle");
        if outcome == "UNKNOWN" {
            return payload.map(|payload| format!("an unknown handle with the payload {payload}"));
        }
        if !self
            .account
            .may_see("RECAP", std::slice::from_ref(&requester), detail)
        {
            return Some(format!(
                "{requester} was answered {outcome}, and may not know of it"
            ));
        }
        (payload != fact).then(|| "its payload_handle is not the fact of its detail".to_owned())
    }
}
