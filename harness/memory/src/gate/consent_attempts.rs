//! Notebook entries of gate G3, each of which is rolled back: those that must be refused, and one that must not.

use serde_json::{Map, Value, json};

use super::account::{Account, hash_value};
use super::recall_attempts::{
    DC, LockedDetail, STRANGER, begin_scene, choose_locked, make_request, make_roll,
};
use super::report::GateReport;
use crate::bodies::ConsentScope;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::mask::{MaskKind, OutputClass};
use crate::notebook::{CONSENT_WORD, NotebookRequest, answer_within, request_within, write_within};
use crate::recall::recall_within;
use crate::store::MemoryStore;
use crate::writer::Writer;

/// Whose answer the request does not wait for.
const OTHER: &str = "gate-other";

/// What an attempt does, one after the other.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A recall tells the content.
    Learn,
    /// A roll that fails.
    Fail,
    Ask,
    AskForSession,
    AskAgain,
    /// Who leads the game says that the content was told.
    AskRevealed,
    Grant,
    GrantByOther,
    Deny,
    /// A word that is neither a clear consent nor a clear denial.
    Mumble,
    Write,
    WriteOther,
    EndScene,
    RestartScene,
    BeginSession,
    BeginCampaign,
}

/// The attempts whose last step must be refused, and no step before.
const REFUSED: [(&str, &[Step]); 18] = {
    use Step::*;
    [
        ("without an answer", &[Learn, Ask, Write]),
        ("with another player's answer", &[Learn, Ask, GrantByOther]),
        ("after a denial", &[Learn, Ask, Deny, Write]),
        (
            "after a word that is no consent",
            &[Learn, Ask, Mumble, Write],
        ),
        ("denied, then granted", &[Learn, Ask, Deny, Grant]),
        (
            "whose consent was taken back",
            &[Learn, Ask, Grant, Deny, Write],
        ),
        ("of other content", &[Learn, Ask, Grant, WriteOther]),
        ("written twice", &[Learn, Ask, Grant, Write, Write]),
        ("of what nobody learned", &[Ask]),
        ("of what a failed roll did not tell", &[Fail, Ask]),
        (
            "of what was learned in another campaign",
            &[Learn, BeginCampaign, Ask],
        ),
        ("while a request is open", &[Learn, Ask, AskAgain]),
        ("while a consent is open", &[Learn, Ask, Grant, AskAgain]),
        ("after its scene", &[Learn, Ask, Grant, EndScene, Write]),
        (
            "after a restart of its scene",
            &[Learn, Ask, Grant, RestartScene, Write],
        ),
        (
            "answered after its session",
            &[Learn, AskForSession, BeginSession, Grant],
        ),
        (
            "after its session",
            &[Learn, AskForSession, Grant, BeginSession, Write],
        ),
        (
            "in another campaign",
            &[Learn, Ask, Grant, BeginCampaign, Write],
        ),
    ]
};

/// Notebook entries as they should be.
const ACCEPTED: [&[Step]; 3] = {
    use Step::*;
    [
        &[Learn, Ask, Grant, Write],
        &[AskRevealed, Grant, Write],
        &[Learn, AskForSession, EndScene, Grant, Write],
    ]
};

pub(super) fn check(
    store: &mut MemoryStore,
    account: &Account,
    report: &mut GateReport,
) -> Result<()> {
    let locked = choose_locked(store, account)?;
    let unlearned = |detail: &&LockedDetail| !account.is_learned(detail.handle);
    // With a string that nobody has learned, each attempt lacks one thing only.
    let (Some(detail), Some(other)) = (locked.iter().find(unlearned), account.facts.keys().next())
    else {
        return try_masked_facts(store, account, report);
    };
    for (how, steps) in REFUSED {
        let accepted = count_accepted(store, detail, other.1, steps)?;
        if accepted == steps.len() {
            report
                .faults
                .push(format!("a notebook entry {how} was not refused"));
        } else if accepted + 1 < steps.len() {
            let step = steps.get(accepted);
            report.faults.push(format!(
                "a notebook entry {how} was refused at {step:?} already"
            ));
        }
    }
    for steps in ACCEPTED {
        let accepted = count_accepted(store, detail, other.1, steps)?;
        if let Some(step) = steps.get(accepted) {
            report.faults.push(format!(
                "the notebook entry {steps:?} was refused at {step:?}"
            ));
        }
    }
    report.checked.push(format!(
        "{} notebook entries that lack something, each refused, and {} that lack nothing",
        REFUSED.len(),
        ACCEPTED.len()
    ));
    try_masked_facts(store, account, report)
}

/// Takes the steps until one is refused; gives how many were not.
fn count_accepted(
    store: &mut MemoryStore,
    detail: &LockedDetail,
    other: Handle,
    steps: &[Step],
) -> Result<usize> {
    store.try_out(|writer| {
        // The table's own requests end with its session.
        writer.append(EntryKind::State, json!({ "session_id": STRANGER }))?;
        begin_scene(writer)?;
        for (index, step) in steps.iter().enumerate() {
            match take_step(writer, detail, other, *step) {
                Err(MemoryError::Refused { .. }) => return Ok(index),
                other => other?,
            }
        }
        Ok(steps.len())
    })
}

fn take_step(
    writer: &mut Writer<'_>,
    detail: &LockedDetail,
    other: Handle,
    step: Step,
) -> Result<()> {
    let player = &detail.requester;
    let request = make_notebook_request(detail.handle, player);
    let scene = || json!({ "scene_id": STRANGER });
    let rolled = |rolled: i32, success| {
        make_request(detail.handle, player, make_roll(STRANGER, rolled, success))
    };
    match step {
        Step::Learn => drop(recall_within(writer, &rolled(DC, true))?),
        Step::Fail => drop(recall_within(writer, &rolled(DC - 1, false))?),
        Step::Ask => drop(request_within(writer, &request)?),
        Step::AskForSession => {
            let scope = ConsentScope::Session;
            request_within(writer, &NotebookRequest { scope, ..request })?;
        }
        Step::AskAgain => {
            let id = OTHER.to_owned();
            request_within(writer, &NotebookRequest { id, ..request })?;
        }
        Step::AskRevealed => {
            let revealed_by_dm = true;
            request_within(
                writer,
                &NotebookRequest {
                    revealed_by_dm,
                    ..request
                },
            )?;
        }
        Step::Grant => drop(answer_within(writer, STRANGER, player, CONSENT_WORD)?),
        Step::GrantByOther => drop(answer_within(writer, STRANGER, OTHER, CONSENT_WORD)?),
        Step::Deny => drop(answer_within(writer, STRANGER, player, "no")?),
        Step::Mumble => drop(answer_within(writer, STRANGER, player, "Grant, perhaps")?),
        Step::Write => drop(write_within(writer, STRANGER, &[detail.handle])?),
        Step::WriteOther => drop(write_within(writer, STRANGER, &[other])?),
        Step::EndScene => drop(writer.append(EntryKind::SceneEnd, scene())?),
        Step::RestartScene => {
            writer.append(EntryKind::SceneEnd, scene())?;
            writer.append(EntryKind::SceneStart, scene())?;
        }
        Step::BeginSession => {
            writer.append(EntryKind::State, json!({ "session_id": "gate-g3-2" }))?;
        }
        Step::BeginCampaign => {
            writer.append(EntryKind::State, json!({ "campaign_id": STRANGER }))?;
        }
    }
    Ok(())
}

pub(super) fn make_notebook_request(handle: Handle, player: &str) -> NotebookRequest {
    NotebookRequest {
        id: STRANGER.to_owned(),
        requester: STRANGER.to_owned(),
        player: player.to_owned(),
        content: vec![handle],
        scope: ConsentScope::Scene,
        revealed_by_dm: false,
    }
}

/// Tries to ask for a notebook entry of facts that the player may not know of, on the word of who leads the game.
/// Facts for who leads the game stay out of notebooks even where a mask matrix lets every output hold them.
fn try_masked_facts(
    store: &mut MemoryStore,
    account: &Account,
    report: &mut GateReport,
) -> Result<()> {
    let mut tried = 0;
    for mask in ["DM_ONLY", "SYSTEM", "PLAYER"] {
        let facts = account.facts.iter().filter(|(_, fact)| !fact.retracted);
        let mut facts = facts.filter(|(_, fact)| fact.mask == mask);
        let Some(((_, id), _)) = facts.next() else {
            continue;
        };
        tried += 1;
        let request = NotebookRequest {
            revealed_by_dm: true,
            ..make_notebook_request(*id, STRANGER)
        };
        let asked = store.try_out(|writer| {
            writer.append(EntryKind::State, json!({ "session_id": STRANGER }))?;
            begin_scene(writer)?;
            if mask != "PLAYER" {
                allow_every_mask(writer, account)?;
            }
            request_within(writer, &request)
        });
        match asked {
            Err(MemoryError::Refused { .. }) => {}
            Err(error) => return Err(error),
            Ok(_) => report
                .faults
                .push(format!("a notebook entry of a {mask} fact was not refused")),
        }
    }
    report.checked.push(format!(
        "{tried} notebook entries of masked facts, each refused"
    ));
    Ok(())
}

/// Revises the mask matrix: every output may hold every fact.
fn allow_every_mask(writer: &mut Writer<'_>, account: &Account) -> Result<()> {
    let rows = OutputClass::ALL.map(|class| (class.to_string(), json!(MaskKind::ALL)));
    let document = Value::from(Map::from_iter(rows));
    let to = hash_value(document.clone())?;
    let revision = json!({ "name": "mask_matrix", "from": account.pins.get("mask_matrix"), "to": to,
        "reason": "an attempt of the gate", "document": document });
    writer.append(EntryKind::Revision, revision)?;
    Ok(())
}
