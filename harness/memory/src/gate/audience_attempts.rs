//! Outputs that gate G2 makes for audiences of its own, each of which is rolled back: what a mask keeps from one of those
//! who see an output must stand in none, however many they are and whatever they are called.

use serde_json::{Value, json};

use super::account::Account;
use super::guess_attempts::begin_scene;
use super::queries::canonical_query;
use super::recall_attempts::{DC, make_request, make_roll};
use super::report::GateReport;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::fact::detail_handle;
use crate::handle::Handle;
use crate::mask::MaskMatrix;
use crate::pins::MASK_MATRIX;
use crate::recall::recall_within;
use crate::store::MemoryStore;
use crate::writer::Writer;

/// Names that no game is likely to have: a scene, the kind of the gate's facts, somebody whom no mask names.
const SCENE: &str = "gate-g2";
const KIND: &str = "GATE-AUDIENCE";
const STRANGER: &str = "gate-stranger";

/// How many players the gate's audience has, of whom the last may not know.
const PLAYERS: usize = 40;

/// What whoever leads the game may be called. To an output they are players like others.
const LEADERS: [&str; 6] = ["dm", "DM", "gm", "GM", "DM_ONLY", "SYSTEM"];

/// An exact string that no memory is likely to have.
const SECRET: &str = "xq 730 zw 519";

pub(super) fn check(
    store: &mut MemoryStore,
    account: &Account,
    report: &mut GateReport,
) -> Result<()> {
    let mut faults = Vec::new();
    let mut count = 0;
    store.try_out(|writer| {
        permit_players(writer, account)?;
        begin_scene(writer, account, SCENE)?;
        let players: Vec<String> = (0..PLAYERS).map(|n| format!("gate-{n:02}")).collect();
        let (named, first) = (players.get(..PLAYERS - 1), players.first());
        let (Some(named), Some(first)) = (named, first) else {
            return Ok(());
        };
        let fact = append_fact(writer, json!({ "PLAYER": named }), "LOCKED")?;
        // From here on the string is open to those whom the mask names.
        let roll = make_roll(first, DC, true);
        recall_within(
            writer,
            &make_request(detail_handle(fact, "words"), first, roll),
        )?;
        let others = |viewers: &[&str]| viewers.iter().map(|name| (*name).to_owned()).collect();
        let audiences: [Vec<String>; 5] = [
            Vec::new(),
            others(&[STRANGER]),
            others(&[first, STRANGER]),
            others(&[STRANGER, first]),
            players.clone(),
        ];
        for viewers in &audiences {
            count += 1;
            faults.extend(try_outputs(writer, viewers, fact)?);
        }
        let led = append_fact(writer, json!("DM_ONLY"), "UNLOCKED")?;
        for leader in LEADERS {
            count += 1;
            if is_in_working_set(writer, &[leader.to_owned()], led)? {
                faults.push(format!(
                    "a working set for the viewer {leader} holds a fact of DM_ONLY"
                ));
            }
        }
        Ok(())
    })?;
    report.faults.extend(faults);
    report.checked.push(format!(
        "{count} audiences of the gate's, of up to {PLAYERS} players, of whom one may not know"
    ));
    Ok(())
}

/// Lets every class of outputs hold players' facts, and no other masks but PUBLIC.
fn permit_players(writer: &mut Writer<'_>, account: &Account) -> Result<()> {
    let matrix = MaskMatrix::players()?;
    let to = matrix.canonical().handle().to_string();
    let from = account.pins.get(MASK_MATRIX);
    if let Some(from) = from.filter(|from| **from != to) {
        let document = matrix.canonical().value();
        let body = json!({ "name": MASK_MATRIX, "from": from, "to": to, "reason": "gate", "document": document });
        writer.append(EntryKind::Revision, body)?;
    }
    Ok(())
}

fn append_fact(writer: &mut Writer<'_>, mask: Value, tag: &str) -> Result<Handle> {
    let fact = json!({
        "kind": KIND, "stable_key": "gate", "visibility_mask": mask, "precision_tag": tag,
        "payload": { "text": format!("{tag}: {SECRET}") }, "gist": "Something of the gate's.",
        "details": [{ "name": "words", "exact": SECRET }],
        "provenance": { "source": "gate", "refs": [] },
    });
    let missing = || MemoryError::refused("the gate's fact", "it has no handle");
    writer
        .append(EntryKind::Fact, fact)?
        .handle
        .ok_or_else(missing)
}

/// Tries to tell `viewers` what one of them may not know; gives what succeeded.
fn try_outputs(writer: &mut Writer<'_>, viewers: &[String], fact: Handle) -> Result<Vec<String>> {
    let mut told = Vec::new();
    let narration = writer.reader().judge_narration(viewers, SECRET)?;
    if narration.0.is_some() {
        told.push("a narration");
    }
    let mut request = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": SECRET } });
    if let (false, Some(request)) = (viewers.is_empty(), request.as_object_mut()) {
        request.insert("viewers".to_owned(), json!(viewers));
    }
    match writer.append(EntryKind::Asset, request) {
        Err(MemoryError::Guess { .. }) => {}
        Err(error) => return Err(error),
        Ok(_) => told.push("a request for a picture"),
    }
    if is_in_working_set(writer, viewers, fact)? {
        told.push("a working set");
    }
    let seen_by = match viewers {
        [] => "nobody".to_owned(),
        [first] => first.clone(),
        [first, ..] => format!("{first} and {} more", viewers.len() - 1),
    };
    let faults = told.into_iter();
    Ok(faults
        .map(|what| format!("{what} seen by {seen_by} holds what one of them may not know"))
        .collect())
}

fn is_in_working_set(writer: &Writer<'_>, viewers: &[String], fact: Handle) -> Result<bool> {
    let mut query = canonical_query();
    query.audience.viewers = viewers.to_vec();
    query.kinds = vec![KIND.to_owned()];
    query.budget = 1 << 30;
    let set = writer.reader().build_working_set(&query)?;
    Ok(set.text().contains(&fact.to_string()))
}
