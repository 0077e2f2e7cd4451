//! Facts that gate G3 retracts, each of which is told again at the end: what is told of one, and what must be refused.

use serde_json::json;

use super::account::{Account, FactRecord};
use super::consent_attempts::make_notebook_request;
use super::queries::{build_in_budget, canonical_query};
use super::recall_attempts::{
    DC, LockedDetail, STRANGER, begin_scene, choose_locked, make_request, make_roll,
};
use super::report::GateReport;
use crate::audience::Audience;
use crate::compaction::compaction_body;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::mask::OutputClass;
use crate::notebook::{CONSENT_WORD, NotebookRequest, answer_within, request_within, write_within};
use crate::query::WorkingSetQuery;
use crate::recall::{RecallAnswer, recall_within};
use crate::retractions::retraction_body;
use crate::store::MemoryStore;
use crate::writer::Writer;

/// How many facts are retracted.
const MAX_RETRACTED: usize = 4;

/// What an attempt does, one after the other.
#[derive(Clone, Copy, Debug)]
enum Step {
    Retract,
    RetractDetail,
    RetractUnknown,
    PlayElsewhere,
    /// A recall tells the string, and a notebook entry of it is asked for and consented to.
    LearnAndAsk,
    TellAgain,
    Compact,
    /// Who leads the game says that the string was told.
    AskRevealed,
    Write,
}

/// The attempts whose last step must be refused, and no step before.
const REFUSED: [(&str, &[Step]); 8] = {
    use Step::*;
    [
        (
            "a retraction in another campaign",
            &[PlayElsewhere, Retract],
        ),
        ("a second retraction", &[Retract, Retract]),
        ("a retraction of a detail", &[RetractDetail]),
        ("a retraction of nothing", &[RetractUnknown]),
        (
            "a fact that was retracted, told again",
            &[Retract, TellAgain],
        ),
        ("a compaction of what was retracted", &[Retract, Compact]),
        (
            "a request for a notebook entry of what was retracted",
            &[Retract, AskRevealed],
        ),
        (
            "a notebook entry of what was retracted",
            &[LearnAndAsk, Retract, Write],
        ),
    ]
};

/// A fact that the gate retracts, by one of its details.
struct Attempted<'a> {
    id: Handle,
    fact: &'a FactRecord,
    detail: &'a LockedDetail,
}

pub(super) fn check(
    store: &mut MemoryStore,
    account: &Account,
    report: &mut GateReport,
) -> Result<()> {
    let locked = choose_locked(store, account)?;
    let attempted = locked.iter().filter_map(|detail| {
        let (id, fact) = account.find_fact(detail.handle)?;
        Some(Attempted { id, fact, detail })
    });
    let attempted: Vec<Attempted<'_>> = attempted.take(MAX_RETRACTED).collect();
    for attempt in &attempted {
        report.faults.extend(try_outputs(store, attempt)?);
    }
    let mut refused = 0;
    for attempt in attempted.iter().take(1) {
        for (what, steps) in REFUSED {
            refused += 1;
            let accepted = count_accepted(store, attempt, steps)?;
            if accepted == steps.len() {
                report.faults.push(format!("{what} was not refused"));
            } else if accepted + 1 < steps.len() {
                let step = steps.get(accepted);
                report
                    .faults
                    .push(format!("{what} was refused at {step:?} already"));
            }
        }
    }
    report.checked.push(format!(
        "{} facts retracted by the gate, told nowhere then; {refused} attempts around it, each refused",
        attempted.len()
    ));
    Ok(())
}

/// Begins a session of the gate's in the campaign in which the fact was told.
fn begin(writer: &mut Writer<'_>, attempt: &Attempted<'_>) -> Result<()> {
    let state = json!({ "campaign_id": attempt.fact.campaign, "session_id": STRANGER });
    writer.append(EntryKind::State, state)?;
    begin_scene(writer)
}

/// Takes the steps until one is refused; gives how many were not.
fn count_accepted(
    store: &mut MemoryStore,
    attempt: &Attempted<'_>,
    steps: &[Step],
) -> Result<usize> {
    let told = Account::read_body(store.reader(), attempt.fact.seq)?;
    store.try_out(|writer| {
        begin(writer, attempt)?;
        for (index, step) in steps.iter().enumerate() {
            let taken = match step {
                Step::TellAgain => writer.append(EntryKind::Fact, told.clone()).map(drop),
                step => take_step(writer, attempt, *step),
            };
            match taken {
                Err(MemoryError::Refused { .. }) => return Ok(index),
                other => other?,
            }
        }
        Ok(steps.len())
    })
}

fn retract(writer: &mut Writer<'_>, handle: Handle) -> Result<()> {
    let body = retraction_body(handle, "An attempt of the gate.", STRANGER, &[])?;
    writer.append(EntryKind::Retraction, body).map(drop)
}

/// Has a recall tell the string.
fn learn(writer: &mut Writer<'_>, detail: &LockedDetail) -> Result<RecallAnswer> {
    let roll = make_roll(STRANGER, DC, true);
    let request = make_request(detail.handle, &detail.requester, roll);
    Ok(recall_within(writer, &request)?.answer)
}

fn take_step(writer: &mut Writer<'_>, attempt: &Attempted<'_>, step: Step) -> Result<()> {
    let &Attempted { id, detail, .. } = attempt;
    let player = &detail.requester;
    let request = make_notebook_request(detail.handle, player);
    match step {
        Step::Retract => retract(writer, id),
        Step::RetractDetail => retract(writer, detail.handle),
        Step::RetractUnknown => retract(writer, Handle::of(STRANGER.as_bytes())),
        Step::PlayElsewhere => {
            let elsewhere = json!({ "campaign_id": STRANGER });
            writer.append(EntryKind::State, elsewhere).map(drop)
        }
        Step::LearnAndAsk => {
            learn(writer, detail)?;
            request_within(writer, &request)?;
            answer_within(writer, STRANGER, player, CONSENT_WORD).map(drop)
        }
        Step::TellAgain => Ok(()),
        Step::Compact => {
            let body = compaction_body(STRANGER, &[id])?;
            writer.append(EntryKind::Compaction, body).map(drop)
        }
        Step::AskRevealed => {
            let request = NotebookRequest {
                revealed_by_dm: true,
                ..request
            };
            request_within(writer, &request).map(drop)
        }
        Step::Write => write_within(writer, STRANGER, &[detail.handle]).map(drop),
    }
}

/// Retracts a fact whose string a recall has just opened: the string is locked again, and the fact is in no output.
fn try_outputs(store: &mut MemoryStore, attempt: &Attempted<'_>) -> Result<Vec<String>> {
    let &Attempted { id, detail, .. } = attempt;
    let viewers = [detail.requester.clone()];
    let mut faults = Vec::new();
    store.try_out(|writer| {
        begin(writer, attempt)?;
        let is_told = |writer: &Writer<'_>| -> Result<bool> {
            let (narration, _) = writer.reader().judge_narration(&viewers, &detail.exact)?;
            Ok(narration.is_some())
        };
        let was_told = is_told(writer)?;
        learn(writer, detail)?;
        retract(writer, id)?;
        if writer.reader().is_open(detail.handle)? || is_told(writer)? && !was_told {
            faults.push(format!(
                "the exact string of {} is open after its fact was retracted",
                detail.handle
            ));
        }
        if learn(writer, detail)? != RecallAnswer::Unknown {
            faults.push(format!(
                "a request for {} was answered after its fact was retracted",
                detail.handle
            ));
        }
        for class in OutputClass::ALL {
            let query = WorkingSetQuery {
                audience: Audience::new(class, &viewers)?,
                handles: vec![id],
                ..canonical_query()
            };
            let query = match writer.reader().has_plan()? {
                true => query,
                false => WorkingSetQuery {
                    handles: Vec::new(),
                    budget: 1 << 30,
                    ..query
                },
            };
            let (_, set) = build_in_budget(writer.reader(), query);
            if set?.text().contains(&id.to_string()) {
                faults.push(format!(
                    "a working set of class {class} names {id}, which was retracted"
                ));
            }
        }
        Ok(())
    })?;
    Ok(faults)
}
