//! G6 ORC-PIN-ASSERT: the pins have the values they were pinned with, unless a revision says otherwise.
//!
//! The gate reads the pins out of the log itself, and tries changes that must be refused.

use serde_json::json;

use super::account::Account;
use super::report::GateReport;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::store::MemoryStore;

pub(super) fn check(
    store: &mut MemoryStore,
    given: &[(String, String)],
    report: &mut GateReport,
) -> Result<()> {
    let reader = store.reader();
    let account = Account::read(reader)?;
    let own = reader.own_pins()?;
    for (name, here) in own.iter().chain(given) {
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
        given.len()
    ));
    try_changes(store, &pins, report)
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
