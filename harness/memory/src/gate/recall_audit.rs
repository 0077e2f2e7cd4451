//! G3 ORC-RECALL-RR002: every request is logged whole, and exact strings came out of unlocks alone.
//!
//! The audit walks through the log and keeps an account of unlocks of its own.

use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension, params};

use super::report::GateReport;
use crate::bodies::{
    AttemptOutcome, NotebookRequestBody, RecallAttemptBody, RecallResultBody, RecallScope,
    ResultOutcome,
};
use crate::entry::{EntryBody, EntryKind};
use crate::error::Result;
use crate::handle::Handle;
use crate::log::LogEntry;
use crate::reader::MemoryReader;

pub(super) fn check(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let mut audit = RecallAudit::default();
    reader.read_at_once(|| {
        reader.for_each_entry(&mut |entry| {
            if let Some(fault) = audit.check_entry(reader, &entry)? {
                report.faults.push(format!("entry {}: {fault}", entry.seq));
            }
            Ok(())
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
        "{} notebook entries, each consented to",
        audit.notebook_entries
    ));
    Ok(())
}

/// The account of recalls and unlocks up to an entry of the log.
#[derive(Default)]
struct RecallAudit {
    campaign: String,
    /// The handles unlocked for good, by campaign.
    notebooks: HashSet<(String, Handle)>,
    session: HashSet<Handle>,
    scene: HashSet<Handle>,
    /// The handles that were rolled for in this scene, by fact.
    tried: HashMap<Handle, HashSet<Handle>>,
    consents: HashMap<String, Consent>,
    open: Option<OpenRequest>,
    requests: u64,
    exact_answers: u64,
    notebook_entries: u64,
}

/// A request that is not whole yet.
struct OpenRequest {
    seq: u64,
    detail: Handle,
    attempt: Option<AttemptOutcome>,
}

/// A request for consent, and the last event about it.
struct Consent {
    last: EntryKind,
    request: NotebookRequestBody,
}

impl RecallAudit {
    /// Takes an entry into the account; gives what is wrong with it.
    fn check_entry(&mut self, reader: &MemoryReader, entry: &LogEntry) -> Result<Option<String>> {
        let kind = entry.kind;
        if let Some(open) = &self.open {
            let due = match open.attempt {
                None => EntryKind::RecallAttempt,
                Some(_) => EntryKind::RecallResult,
            };
            if kind != due {
                self.open = None;
                return Ok(Some(format!("{due} should follow, and it is {kind}")));
            }
        }
        let body = match kind.read_body(&entry.body) {
            Ok(body) => body,
            Err(error) => return Ok(Some(error.to_string())),
        };
        match body {
            EntryBody::RecallRequest(body) => {
                self.requests += 1;
                self.open = Some(OpenRequest {
                    seq: entry.seq,
                    detail: body.detail_handle,
                    attempt: None,
                });
            }
            EntryBody::RecallAttempt(body) => return self.check_attempt(reader, &body),
            EntryBody::RecallResult(body) => return self.check_result(reader, &body),
            EntryBody::SceneEnd(_) => {
                self.scene.clear();
                self.tried.clear();
            }
            EntryBody::State(body) => {
                if let Some(campaign) = body.campaign_id {
                    self.campaign = campaign.to_string();
                }
                if body.session_id.is_some() {
                    self.session.clear();
                    self.scene.clear();
                }
            }
            EntryBody::NotebookRequested(request) => {
                let id = request.request_id.to_string();
                self.consents.insert(
                    id,
                    Consent {
                        last: kind,
                        request,
                    },
                );
            }
            EntryBody::NotebookGranted(body) | EntryBody::NotebookDenied(body) => {
                let due = EntryKind::NotebookRequested;
                let is_due = |consent: &&mut Consent| {
                    consent.last == due && consent.request.player_id == body.player_id
                };
                match self.consents.get_mut(&*body.request_id).filter(is_due) {
                    Some(consent) => consent.last = kind,
                    None => return Ok(Some(format!("{kind} without its {due}"))),
                }
            }
            EntryBody::NotebookApplied(body) => {
                let due = EntryKind::NotebookGranted;
                let is_due = |consent: &&mut Consent| {
                    consent.last == due && consent.request.content_handles == body.content_handles
                };
                match self.consents.get_mut(&*body.request_id).filter(is_due) {
                    Some(consent) => consent.last = kind,
                    None => return Ok(Some(format!("{kind} without its {due}"))),
                }
                self.notebook_entries += 1;
                let handles = body.content_handles.into_iter();
                self.notebooks
                    .extend(handles.map(|handle| (self.campaign.clone(), handle)));
            }
            _ => {}
        }
        Ok(None)
    }

    fn check_attempt(
        &mut self,
        reader: &MemoryReader,
        body: &RecallAttemptBody,
    ) -> Result<Option<String>> {
        let detail = body.detail_handle;
        match &mut self.open {
            Some(open) if open.detail == detail => open.attempt = Some(body.outcome),
            _ => return Ok(Some("EV-002 without its EV-001".to_owned())),
        }
        if !matches!(
            body.outcome,
            AttemptOutcome::Success | AttemptOutcome::Failure
        ) {
            return Ok(None);
        }
        if body.roll.is_none() {
            return Ok(Some("an outcome without a roll".to_owned()));
        }
        let fact = reader.find_fact(detail)?.unwrap_or(detail);
        let tried = self.tried.entry(fact).or_default();
        // A roll for a fact is one for each of its details.
        let second =
            tried.contains(&detail) || tried.contains(&fact) || fact == detail && !tried.is_empty();
        tried.insert(detail);
        Ok(second.then(|| "a second attempt in one scene".to_owned()))
    }

    fn check_result(
        &mut self,
        reader: &MemoryReader,
        body: &RecallResultBody,
    ) -> Result<Option<String>> {
        let detail = body.detail_handle;
        let attempt = match self.open.take() {
            Some(OpenRequest {
                detail: requested,
                attempt: Some(attempt),
                ..
            }) if requested == detail => attempt,
            _ => return Ok(Some("EV-003 without its EV-001 and EV-002".to_owned())),
        };
        if body.outcome == ResultOutcome::Exact {
            self.exact_answers += 1;
            if attempt != AttemptOutcome::Success
                && !self.is_open(reader, detail, body.payload_handle)?
            {
                return Ok(Some(format!(
                    "an exact answer after {attempt}, to what is locked"
                )));
            }
        } else if body.unlock_scope.is_some() {
            return Ok(Some("an unlock without an exact answer".to_owned()));
        }
        match (body.unlock_scope, attempt) {
            (None, _) => {}
            (Some(RecallScope::Scene), AttemptOutcome::Success) => {
                self.scene.insert(detail);
            }
            (Some(RecallScope::Session), AttemptOutcome::Success) => {
                self.session.insert(detail);
            }
            _ => return Ok(Some(format!("an unlock after {attempt}"))),
        }
        Ok(None)
    }

    /// Whether the account or the fact's tag lets a detail be told exactly.
    fn is_open(&self, reader: &MemoryReader, detail: Handle, fact: Option<Handle>) -> Result<bool> {
        let is_unlocked = |handle: Handle| {
            self.scene.contains(&handle)
                || self.session.contains(&handle)
                || self.notebooks.contains(&(self.campaign.clone(), handle))
        };
        if is_unlocked(detail) || fact.is_some_and(is_unlocked) {
            return Ok(true);
        }
        let fact = reader.find_fact(detail)?;
        let read = || {
            let locked: Option<bool> = reader
                .conn
                .prepare_cached("SELECT locked FROM fact WHERE fact = ?1")?
                .query_row(params![fact], |row| row.get(0))
                .optional()?;
            Ok(locked == Some(false))
        };
        read().map_err(reader.read_error())
    }
}
