//! Requests of gate G3, each of which is rolled back: what the memory answers, and what it records.

use serde_json::{Value, json};

use super::account::{Account, FactRecord, handle_of, text_of};
use super::report::GateReport;
use crate::bodies::RecallScope;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::fact::detail_handle;
use crate::handle::Handle;
use crate::recall::{DiceRoll, RecallAnswer, RecallRequest, recall_within};
use crate::store::MemoryStore;
use crate::writer::Writer;

/// The number that rolls of the gate have to reach, and one that does not.
pub(super) const DC: i32 = 12;
const TOO_LOW: i32 = 4;

/// The most handles that are asked for.
const MAX_ASKED: usize = 8;

/// Somebody whom no mask names, unless a game calls a player so.
pub(super) const STRANGER: &str = "gate-g3";

/// The handle of a locked detail, its exact string, and a player who may know of the fact.
pub(super) struct LockedDetail {
    pub(super) handle: Handle,
    pub(super) exact: String,
    pub(super) requester: String,
}

pub(super) fn check(
    store: &mut MemoryStore,
    account: &Account,
    report: &mut GateReport,
) -> Result<()> {
    let locked = choose_locked(store, account)?;
    let mut requests = 0;
    for detail in &locked {
        for (attempt, fault) in [
            (Attempt::WithoutRoll, "a request without a roll"),
            (Attempt::Failure, "a request with a failed roll"),
            (Attempt::AgainstTheDice, "a success that the dice deny"),
            (Attempt::SecondRoll, "a second roll in one scene"),
            (Attempt::RollOfAnother, "a second roll by another player"),
            (
                Attempt::RollAfterRestart,
                "a second roll in a scene that began again",
            ),
            (
                Attempt::RollForDetail,
                "a roll for a detail after one for its fact",
            ),
            (
                Attempt::RollForFact,
                "a roll for a fact after one for its detail",
            ),
            (Attempt::RollElsewhere, "a roll in another campaign"),
        ] {
            requests += 1;
            if is_told(store, account, detail, attempt)? {
                let handle = detail.handle;
                report
                    .faults
                    .push(format!("{fault} told the exact string of {handle}"));
            }
        }
        requests += 1;
        if let Some(fault) = try_success(store, account, detail)? {
            report.faults.push(fault);
        }
    }
    let masked = account
        .facts
        .iter()
        .filter(|(_, fact)| !account.may_see_fact("RECAP", &[STRANGER.to_owned()], fact));
    let mut unknown = vec![("gate".to_owned(), STRANGER, None)];
    for ((_, id), fact) in masked.take(MAX_ASKED) {
        let handle = fact.details.first().copied().unwrap_or(*id).to_string();
        // Who may know of a fact is told nothing of it before somebody who may not.
        let player = fact
            .players
            .first()
            .map(|player| (handle.clone(), player.as_str(), Some(STRANGER)));
        unknown.push((handle, STRANGER, None));
        unknown.extend(player);
    }
    for (handle, requester, listener) in unknown {
        requests += 1;
        let fault = try_unknown(store, &handle, requester, listener)?;
        report.faults.extend(fault);
    }
    if let Some(fault) = try_one_of_two(store)? {
        report.faults.push(fault);
    }
    report.checked.push(format!(
        "{requests} requests of the gate for {} locked strings and masked handles",
        locked.len()
    ));
    try_direct_appends(store, report)
}

/// Chooses details that are locked, evenly from all there are.
pub(super) fn choose_locked(store: &MemoryStore, account: &Account) -> Result<Vec<LockedDetail>> {
    let requester = |fact: &FactRecord| {
        fact.players
            .first()
            .map_or(STRANGER, String::as_str)
            .to_owned()
    };
    let is_askable = |fact: &&FactRecord| {
        !fact.details.is_empty()
            && !fact.details.iter().any(|detail| account.is_open(*detail))
            && account.may_see_fact("RECAP", &[requester(fact)], fact)
    };
    let askable: Vec<&FactRecord> = account.facts.values().filter(is_askable).collect();
    let step = (askable.len() / MAX_ASKED).max(1);
    let mut locked = Vec::new();
    for fact in askable.into_iter().step_by(step).take(MAX_ASKED) {
        let body = Account::read_body(store.reader(), fact.seq)?;
        let first = body.get("details").and_then(|details| details.get(0));
        if let (Some(handle), Some(first)) = (fact.details.first(), first) {
            locked.push(LockedDetail {
                handle: *handle,
                exact: text_of(first, "exact").to_owned(),
                requester: requester(fact),
            });
        }
    }
    Ok(locked)
}

/// A request that must not bring a locked string out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    WithoutRoll,
    Failure,
    AgainstTheDice,
    SecondRoll,
    RollOfAnother,
    RollAfterRestart,
    RollForDetail,
    RollForFact,
    RollElsewhere,
}

pub(super) fn make_roll(roller: &str, rolled: i32, success: bool) -> Option<DiceRoll> {
    Some(DiceRoll {
        roller: roller.to_owned(),
        skill: "lore".to_owned(),
        dc: DC,
        rolled,
        success,
    })
}

pub(super) fn make_request(
    handle: Handle,
    requester: &str,
    roll: Option<DiceRoll>,
) -> RecallRequest {
    RecallRequest {
        handle: handle.to_string(),
        requester: requester.to_owned(),
        listeners: Vec::new(),
        roll,
        scope: RecallScope::Scene,
    }
}

/// Begins a scene of the gate's, in which nothing was rolled for yet, whatever the memory says is on.
pub(super) fn begin_scene(writer: &mut Writer<'_>) -> Result<()> {
    if let Some(scene) = writer.reader().story_state()?.scene {
        writer.append(EntryKind::SceneEnd, json!({ "scene_id": scene.id }))?;
    }
    writer.append(EntryKind::SceneStart, json!({ "scene_id": STRANGER }))?;
    Ok(())
}

/// Whether an attempt brings the string out, or leaves it open.
fn is_told(
    store: &mut MemoryStore,
    account: &Account,
    detail: &LockedDetail,
    attempt: Attempt,
) -> Result<bool> {
    let fact = account.find_fact(detail.handle).map(|(fact, _)| fact);
    let (first, second) = match (attempt, fact) {
        (Attempt::RollForDetail, Some(fact)) => (fact, detail.handle),
        (Attempt::RollForFact, Some(fact)) => (detail.handle, fact),
        _ => (detail.handle, detail.handle),
    };
    let roll = match attempt {
        Attempt::WithoutRoll => None,
        Attempt::Failure => make_roll(STRANGER, TOO_LOW, false),
        Attempt::AgainstTheDice => make_roll(STRANGER, TOO_LOW, true),
        Attempt::RollOfAnother => make_roll("gate-other", DC, true),
        _ => make_roll(STRANGER, DC, true),
    };
    let failure = make_roll(STRANGER, TOO_LOW, false);
    store.try_out(|writer| {
        begin_scene(writer)?;
        match attempt {
            Attempt::WithoutRoll | Attempt::Failure | Attempt::AgainstTheDice => {}
            _ => drop(recall_within(
                writer,
                &make_request(first, &detail.requester, failure),
            )?),
        }
        let campaign = json!({ "campaign_id": account.campaign() });
        match attempt {
            Attempt::RollAfterRestart => {
                writer.append(EntryKind::SceneEnd, json!({ "scene_id": STRANGER }))?;
                writer.append(EntryKind::SceneStart, json!({ "scene_id": STRANGER }))?;
            }
            Attempt::RollElsewhere => {
                writer.append(EntryKind::State, json!({ "campaign_id": STRANGER }))?;
                let success = make_roll(STRANGER, DC, true);
                recall_within(writer, &make_request(first, &detail.requester, success))?;
                writer.append(EntryKind::State, campaign)?;
            }
            _ => {}
        }
        let request = make_request(second, &detail.requester, roll);
        let recall = match recall_within(writer, &request) {
            // A request that is refused tells nothing.
            Err(MemoryError::Document { .. } | MemoryError::Refused { .. }) => return Ok(false),
            other => other?,
        };
        let told = match recall.answer {
            RecallAnswer::Exact(_) => true,
            RecallAnswer::Fuzzy(gist) => gist.contains(&detail.exact),
            RecallAnswer::Unknown => false,
        };
        Ok(told || writer.reader().is_open(detail.handle)?)
    })
}

/// Tries a roll that succeeds: the string is told, recorded, and locked again when the scene ends.
fn try_success(
    store: &mut MemoryStore,
    account: &Account,
    detail: &LockedDetail,
) -> Result<Option<String>> {
    store.try_out(|writer| {
        begin_scene(writer)?;
        let roll = make_roll(STRANGER, DC, true);
        let request = make_request(detail.handle, &detail.requester, roll);
        let recall = recall_within(writer, &request)?;
        let handle = detail.handle;
        match recall.answer {
            // A string that holds another one is told without it.
            RecallAnswer::Exact(Value::String(text))
                if text == detail.exact || text.contains(crate::fixed_words::PLACEHOLDER) => {}
            answer => {
                return Ok(Some(format!(
                    "a request for {handle} with a roll that succeeded was answered {answer:?}"
                )));
            }
        }
        let mut recorded = Vec::new();
        for seq in recall.seq..recall.seq + 3 {
            recorded.push(Account::read_body(writer.reader(), seq)?);
        }
        let fact = account.find_fact(handle).map(|(fact, _)| fact);
        let is_right = |body: &Value| handle_of(body, "detail_handle") == Some(handle);
        let result = recorded.last().cloned().unwrap_or_default();
        if !recorded.iter().all(is_right)
            || handle_of(&result, "payload_handle") != fact
            || text_of(&result, "unlock_scope") != "SCENE"
            || text_of(&recorded.first().cloned().unwrap_or_default(), "scene_id") != STRANGER
        {
            return Ok(Some(format!(
                "a request for {handle} was recorded as {recorded:?}"
            )));
        }
        let was_open = writer.reader().is_open(handle)?;
        writer.append(EntryKind::SceneEnd, json!({ "scene_id": STRANGER }))?;
        let mut stays_open = writer.reader().is_open(handle)?;
        // A scene that begins again under its name opens nothing again.
        writer.append(EntryKind::SceneStart, json!({ "scene_id": STRANGER }))?;
        stays_open |= writer.reader().is_open(handle)?;
        Ok((!was_open || stays_open).then(|| {
            format!(
                "{handle} is open: {was_open} in the scene of its recall, {stays_open} after it"
            )
        }))
    })
}

/// Tries a request with a roll that succeeds for what somebody who hears the answer may not know of: it is answered like
/// one for an unknown handle, and logged whole.
fn try_unknown(
    store: &mut MemoryStore,
    handle: &str,
    requester: &str,
    listener: Option<&str>,
) -> Result<Option<String>> {
    store.try_out(|writer| {
        begin_scene(writer)?;
        let before = writer.reader().head()?.seq;
        let request = RecallRequest {
            handle: handle.to_owned(),
            requester: requester.to_owned(),
            listeners: listener.map(str::to_owned).into_iter().collect(),
            roll: make_roll(requester, DC, true),
            scope: RecallScope::Scene,
        };
        let recall = recall_within(writer, &request)?;
        let logged = writer.reader().head()?.seq - before;
        Ok(match (recall.answer == RecallAnswer::Unknown, logged) {
            (true, 3) => None,
            (true, _) => Some(format!(
                "a request for {handle}, which is unknown to who hears the answer, was logged as {logged} entries"
            )),
            (false, _) => Some(format!(
                "{handle} is masked, and a request for it says that it exists"
            )),
        })
    })
}

/// Tries a roll for one of two details: the other, and the fact, stay locked.
fn try_one_of_two(store: &mut MemoryStore) -> Result<Option<String>> {
    store.try_out(|writer| {
        begin_scene(writer)?;
        let (one, other) = ("xv 730 zq 519", "xv 731 zq 520");
        let fact = json!({
            "kind": "GATE", "stable_key": "gate", "visibility_mask": "PUBLIC", "precision_tag": "LOCKED",
            "payload": { "text": format!("{one}, {other}") }, "gist": "Something of the gate's.",
            "details": [{ "name": "one", "exact": one }, { "name": "other", "exact": other }],
            "provenance": { "source": "gate", "refs": [] },
        });
        let Some(fact) = writer.append(EntryKind::Fact, fact)?.handle else {
            return Ok(None);
        };
        let roll = make_roll(STRANGER, DC, true);
        recall_within(writer, &make_request(detail_handle(fact, "one"), STRANGER, roll))?;
        for handle in [detail_handle(fact, "other"), fact] {
            if writer.reader().is_open(handle)? {
                let fault = "a roll for one detail of a fact opened more than that detail";
                return Ok(Some(fault.to_owned()));
            }
        }
        Ok(None)
    })
}

/// Tries to append the events of recalls and notebooks as they are, past the functions that keep their rules.
fn try_direct_appends(store: &mut MemoryStore, report: &mut GateReport) -> Result<()> {
    let kinds = [
        EntryKind::RecallRequest,
        EntryKind::RecallAttempt,
        EntryKind::RecallResult,
        EntryKind::NotebookRequested,
        EntryKind::NotebookGranted,
        EntryKind::NotebookDenied,
        EntryKind::NotebookApplied,
    ];
    for kind in kinds {
        let appended = store.try_out(|writer| writer.append(kind, json!({})).map(drop));
        if !matches!(appended, Err(MemoryError::OwnCommand { .. })) {
            report
                .faults
                .push(format!("{kind} can be appended without its own command"));
        }
    }
    report.checked.push(format!(
        "{} events that their own commands alone append",
        kinds.len()
    ));
    Ok(())
}
