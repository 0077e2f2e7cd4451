//! G6 ORC-PIN-ASSERT: the pins have the values they were pinned with, unless a revision says otherwise.
//!
//! The gate reads the pins out of the log itself, hashes the texts that a model reads, and tries changes that must be
//! refused.

use axilog::hash::sha256;
use serde_json::json;

use super::account::{Account, hash_value};
use super::queries::{build_in_budget, canonical_query};
use super::report::GateReport;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::fixed_words::{PROMPT_REQUEST, directives_by_revision};
use crate::handle::Handle;
use crate::pinned::MachinePins;
use crate::reader::MemoryReader;
use crate::store::MemoryStore;

/// The pins that say what the memory itself does, in no other way here than in the log.
const SETTINGS: [&str; 2] = ["event_contract", "guesses_per_scene"];

/// The pin whose value has a document, which a revision must have too.
const MATRIX: &str = "mask_matrix";

pub(super) fn check(
    store: &mut MemoryStore,
    machine: &MachinePins,
    report: &mut GateReport,
) -> Result<()> {
    let reader = store.reader();
    let account = Account::read(reader)?;
    let own = reader.own_pins()?;
    for (name, here) in own.iter().chain(&machine.values) {
        let stored = account.pins.get(name);
        if stored != Some(here) {
            let entry = match stored {
                Some(_) => EntryKind::Revision,
                None => EntryKind::Pin,
            };
            let error = MemoryError::Pin {
                name: name.clone(),
                entry: entry.as_str(),
                stored: stored.cloned().unwrap_or("not there".to_owned()),
                found: here.clone(),
            };
            report.faults.push(error.to_string());
        }
    }
    for (name, stored) in &account.pins {
        let is_own = own.iter().any(|(own, _)| own == name) || SETTINGS.contains(&name.as_str());
        if !is_own && !machine.covers(name) {
            let (name, stored) = (name.clone(), stored.clone());
            let error = MemoryError::UnassertedPin { name, stored };
            report.faults.push(error.to_string());
        }
    }
    let pins: Vec<(String, String)> = account.pins.clone().into_iter().collect();
    if reader.pins()? != pins {
        report
            .faults
            .push("the pins of the tables are not those of the log".to_owned());
    }
    let count = pins.len();
    report.checked.push(format!("{count} pins in the log"));
    report.checked.push(format!(
        "{} of this build and {} given, compared",
        own.len(),
        machine.values.len()
    ));
    if !machine.absent.is_empty() {
        let absent = machine.absent.join(", ");
        report.checked.push(format!(
            "not compared, as this machine has nothing of them: {absent}"
        ));
    }
    let texts = check_texts(reader, &account, report)?;
    report.checked.push(format!(
        "{texts} texts that a model reads, each with the hash of its pin"
    ));
    try_changes(store, &pins, report)?;
    try_other_values(store, &own, machine, report)
}

/// Compares the texts that a model reads with the pins of their hashes; gives how many there are. A log from before a text
/// had a pin lacks it.
fn check_texts(reader: &MemoryReader, account: &Account, report: &mut GateReport) -> Result<usize> {
    let (query, set) = build_in_budget(reader, canonical_query());
    // The other gates say why there is none.
    let Ok(set) = set else { return Ok(0) };
    let directives = set.value().get("directives").cloned().unwrap_or_default();
    let mut texts = vec![("working_set_directives", hash_value(directives)?)];
    if let (Some(prompt), _) = reader.clean_prompt(&query, "")? {
        let text = prompt.text().to_owned();
        let text = text.replacen(prompt.working_set().text(), "{working_set}", 1);
        let template = text.replace(
            &format!("{PROMPT_REQUEST}\"\"\n"),
            &format!("{PROMPT_REQUEST}{{request}}\n"),
        );
        let hash = Handle(sha256(template.as_bytes()));
        texts.push(("memory_prompt_template", hash));
    }
    texts.retain(|(name, _)| account.pins.contains_key(*name));
    for (name, hash) in &texts {
        let pinned = account.pins.get(*name).cloned().unwrap_or_default();
        if pinned != hash.to_string() {
            report.faults.push(format!(
                "the text of {name} has the hash {hash}, and is pinned with {pinned}"
            ));
        }
    }
    Ok(texts.len())
}

/// Tries to change each pin without its revision, and to assert it with another value.
fn try_changes(
    store: &mut MemoryStore,
    pins: &[(String, String)],
    report: &mut GateReport,
) -> Result<()> {
    for (name, value) in pins {
        let other = format!("not {value}");
        let given = [(name.clone(), other.clone())];
        match store.reader().assert_pins(&given) {
            Err(MemoryError::Pin { .. }) => {}
            Err(error) => return Err(error),
            Ok(()) => report
                .faults
                .push(format!("the pin {name} was asserted with another value")),
        }
        let again = json!({ "name": name, "value": other });
        let revision = json!({ "name": name, "from": other, "to": "gate", "reason": "gate" });
        for (kind, body) in [(EntryKind::Pin, again), (EntryKind::Revision, revision)] {
            let tried = store.try_out(|writer| Ok(writer.append(kind, body).is_ok()))?;
            if tried {
                report.faults.push(format!(
                    "a {kind} changed the pin {name}, whose value it does not name"
                ));
            }
        }
    }
    report.checked.push(format!(
        "{} ways to change a pin without its revision, each refused",
        pins.len() * 2
    ));
    Ok(())
}

/// Gives pins of this build other values, pins the directives of the first revision, and pins what this machine has
/// nothing of: a rebuild must notice the first and the last, and a working set follow the second.
fn try_other_values(
    store: &mut MemoryStore,
    own: &[(String, String)],
    machine: &MachinePins,
    report: &mut GateReport,
) -> Result<()> {
    for (name, value) in own.iter().filter(|(name, _)| name != MATRIX) {
        let revision = json!({ "name": name, "from": value, "to": "gate", "reason": "gate" });
        let asserted = store.try_out(|writer| {
            // Where the value is another one already, that is found above.
            let is_revised = writer.append(EntryKind::Revision, revision).is_ok();
            Ok(is_revised && writer.reader().assert_pins(&[]).is_ok())
        })?;
        if asserted {
            report.faults.push(format!(
                "the pin {name} of this build was asserted with another value"
            ));
        }
    }
    let pin = json!({ "name": "gate-model", "value": "gate" });
    let asserted = store.try_out(|writer| {
        writer.append(EntryKind::Pin, pin)?;
        Ok(writer.reader().assert_every_pin(machine).is_ok())
    })?;
    if asserted {
        let fault = "a pin was passed over of which nothing says what it is here";
        report.faults.push(fault.to_owned());
    }
    report.checked.push(format!(
        "{} pins with other values or with none here, each noticed",
        own.len()
    ));
    try_first_directives(store, own, report)
}

fn try_first_directives(
    store: &mut MemoryStore,
    own: &[(String, String)],
    report: &mut GateReport,
) -> Result<()> {
    let name = "working_set_directives";
    let Some((_, from)) = own.iter().find(|(own, _)| own == name) else {
        return Ok(());
    };
    let [first, _] = directives_by_revision();
    let to = hash_value(first)?.to_string();
    let revision = json!({ "name": name, "from": from, "to": to, "reason": "gate" });
    let told = store.try_out(|writer| {
        if writer.append(EntryKind::Revision, revision).is_err() {
            return Ok(None);
        }
        let (_, set) = build_in_budget(writer.reader(), canonical_query());
        let directives = set.map(|set| set.value().get("directives").cloned());
        Ok(directives.ok().flatten())
    })?;
    let hash = told.map(hash_value).transpose()?;
    if hash.is_some_and(|hash| hash.to_string() != to) {
        let fault = "a working set has other directives than the pinned ones";
        report.faults.push(fault.to_owned());
    }
    Ok(())
}
