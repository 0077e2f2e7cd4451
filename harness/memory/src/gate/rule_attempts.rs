//! Openings of rules by gate G3, each of which is rolled back: what admits them, until when they hold, and that they open
//! no exact string.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::account::Account;
use super::queries::{build_in_budget, canonical_query};
use super::recall_attempts::{STRANGER, begin_scene};
use super::report::GateReport;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::reader::MemoryReader;
use crate::store::MemoryStore;
use crate::writer::Writer;

/// The rule that the gate opens, unless a table opened one of this name.
const RULE: &str = "gate-g3";

/// What ends an opening for a scene.
const ENDS: [&str; 3] = ["its scene ended", "another campaign", "another session"];

pub(super) fn check(
    store: &mut MemoryStore,
    account: &Account,
    report: &mut GateReport,
) -> Result<()> {
    let opened = store.try_out(|writer| {
        set_contract(writer, account, "gt-12")?;
        begin_scene(writer)?;
        Ok(open(writer))
    })?;
    if !matches!(opened, Err(MemoryError::Refused { .. })) {
        report
            .faults
            .push("a rule is opened without the revision that admits it".to_owned());
    }
    for (at, end) in ENDS.into_iter().enumerate() {
        let attempt = store.try_out(|writer| open_and_end(writer, account, at))?;
        if !attempt.was_open || attempt.is_open {
            report.faults.push(format!(
                "a rule opened for a scene is named {} before and {} after {end}",
                attempt.was_open, attempt.is_open
            ));
        }
        if attempt.unlocks {
            report
                .faults
                .push("an opened rule opens what was locked".to_owned());
        }
    }
    report.checked.push(format!(
        "{} openings of a rule by the gate, of which one was not admitted",
        ENDS.len() + 1
    ));
    Ok(())
}

/// Gives the contract of events a value, whatever it has.
fn set_contract(writer: &mut Writer<'_>, account: &Account, value: &str) -> Result<()> {
    let (kind, body) = match account.pins.get("event_contract") {
        Some(now) if now == value => return Ok(()),
        Some(now) => (
            EntryKind::Revision,
            json!({ "name": "event_contract", "from": now, "to": value, "reason": "a gate" }),
        ),
        None => (
            EntryKind::Pin,
            json!({ "name": "event_contract", "value": value }),
        ),
    };
    writer.append(kind, body).map(drop)
}

/// Opens the rule for the scene of the gate's.
fn open(writer: &mut Writer<'_>) -> Result<()> {
    let body = json!({ "rule_ref": RULE, "scene_id": STRANGER, "actor_id": STRANGER, "unlock_scope": "SCENE" });
    writer.append(EntryKind::RuleRefOpened, body).map(drop)
}

/// What came of an opening.
struct Opening {
    was_open: bool,
    is_open: bool,
    /// Whether something else became open with the rule.
    unlocks: bool,
}

/// Opens a rule for a scene of the gate's, and ends it in one of the ways.
fn open_and_end(writer: &mut Writer<'_>, account: &Account, end: usize) -> Result<Opening> {
    set_contract(writer, account, "gt-12+ev-021")?;
    begin_scene(writer)?;
    let before = read_open(writer.reader())?;
    open(writer)?;
    let after = read_open(writer.reader())?;
    let (kind, body) = match end {
        0 => (EntryKind::SceneEnd, json!({ "scene_id": STRANGER })),
        1 => (EntryKind::State, json!({ "campaign_id": STRANGER })),
        _ => (EntryKind::State, json!({ "session_id": STRANGER })),
    };
    writer.append(kind, body)?;
    let ended = read_open(writer.reader())?;
    let names = |open: &Open| open.rules.iter().any(|rule| rule == RULE);
    Ok(Opening {
        was_open: names(&after),
        is_open: names(&ended),
        unlocks: after
            .handles
            .iter()
            .any(|handle| !before.handles.contains(handle)),
    })
}

/// What a working set says is open.
struct Open {
    handles: HashSet<Handle>,
    rules: Vec<Value>,
}

fn read_open(reader: &MemoryReader) -> Result<Open> {
    let (_, set) = build_in_budget(reader, canonical_query());
    let set = set?;
    let rules = set.value().get("unlocked_rule_refs");
    Ok(Open {
        handles: set.allowmention_handles().iter().copied().collect(),
        rules: rules.and_then(Value::as_array).cloned().unwrap_or_default(),
    })
}
