//! G2 ORC-PRECISION-LEAK: no exact string that is locked stands in any output, and nothing that is masked.
//!
//! The gate has its own account of what is masked and locked, and its own search. It looks at outputs as they are,
//! at what went to the makers of pictures, and at what comes of attempts to get a locked string out
//! (`leak_attempts.rs`).

use serde_json::Value;

use super::account::{Account, text_of};
use super::cold_boot::describe;
use super::judge::Judge;
use super::queries::{Coverage, for_each_output};
use super::report::GateReport;
use super::{guess_attempts, leak_attempts};
use crate::canonical::texts;
use crate::entry::EntryKind;
use crate::error::Result;
use crate::mask::OutputClass;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::store::MemoryStore;
use crate::working_set::WorkingSet;

pub(super) fn check(store: &mut MemoryStore, report: &mut GateReport) -> Result<()> {
    let account = Account::read(store.reader())?;
    let strings = account.read_strings(store.reader())?;
    let count = strings.strings().len();
    store.reader().read_at_once(|| {
        let judge = Judge {
            reader: store.reader(),
            account: &account,
            strings: &strings,
        };
        search_outputs(&judge, report)?;
        search_sent_documents(&judge, report)
    })?;
    leak_attempts::check(store, &account, &strings, report)?;
    guess_attempts::check(store, &account, &strings, report)?;
    report.checked.insert(0, format!("{count} exact strings"));
    Ok(())
}

/// Searches every output of every class and audience.
fn search_outputs(judge: &Judge<'_>, report: &mut GateReport) -> Result<()> {
    let (mut outputs, mut bytes) = (0, 0);
    let coverage = Coverage::EachClassAndAudience;
    for_each_output(judge.reader, judge.account, coverage, &mut |query, set| {
        let set = match set {
            Ok(set) => set,
            Err(error) => {
                report.faults.push(format!("{}: {error}", describe(query)));
                return Ok(());
            }
        };
        for (what, text) in list_outputs(judge.reader, query, &set)? {
            outputs += 1;
            bytes += text.len();
            let (class, viewers) = (query.audience.class.as_str(), &query.audience.viewers);
            let about = format!("the {what} ({class}, seen by [{}])", viewers.join(", "));
            for handle in judge.find_leaks(class, viewers, &text) {
                report
                    .faults
                    .push(format!("{about} holds the exact string of {handle}"));
            }
            for handle in judge.find_masked(class, viewers, &text) {
                report
                    .faults
                    .push(format!("{about} names {handle}, which is masked"));
            }
        }
        Ok(())
    })?;
    report
        .checked
        .push(format!("{outputs} texts of outputs, {bytes} bytes"));
    Ok(())
}

/// The texts of a working set and of what is made of it. In the text of JSON an escape may stand inside a string, so
/// each part is a text by itself too.
fn list_outputs(
    reader: &MemoryReader,
    query: &WorkingSetQuery,
    set: &WorkingSet,
) -> Result<Vec<(&'static str, String)>> {
    let mut outputs = vec![("working set", set.text().to_owned())];
    let parts = texts(set.value()).into_iter();
    outputs.extend(parts.map(|part| ("working set", part.to_owned())));
    match query.audience.class {
        OutputClass::Prompt => {
            let (prompt, _) = reader.clean_prompt(query, "")?;
            outputs.extend(prompt.map(|prompt| ("prompt", prompt.text().to_owned())));
        }
        OutputClass::Pvib => {
            let brief = reader.build_image_brief(query, None)?;
            outputs.push(("PVIB", brief.canonical().text().to_owned()));
        }
        _ => {}
    }
    Ok(outputs)
}

/// Searches the documents of pictures as they were when they were sent: each exact string in one was open then, for
/// those who will see the picture, or was appended only later.
fn search_sent_documents(judge: &Judge<'_>, report: &mut GateReport) -> Result<()> {
    let mut then = Account::default();
    let mut documents = 0;
    judge.reader.for_each_entry(&mut |entry| {
        if entry.kind == EntryKind::Asset {
            documents += 1;
            let viewers = entry.body.get("viewers").and_then(Value::as_array);
            let names = viewers.into_iter().flatten().filter_map(Value::as_str);
            let viewers: Vec<String> = names.map(str::to_owned).collect();
            let document = entry.body.get("document").cloned().unwrap_or_default();
            let whole = document.to_string();
            let parts = texts(&document).into_iter().chain([whole.as_str()]);
            let mut leaked: Vec<_> = parts
                .flat_map(|part| judge.strings.find_in(part))
                .filter(|strings| {
                    !strings.iter().any(|string| {
                        then.find_fact(string.fact).is_none()
                            || then.is_open(string.handle)
                                && then.may_see("PVIB", &viewers, string.handle)
                    })
                })
                .filter_map(|strings| strings.first().map(|string| string.handle))
                .collect();
            leaked.sort_unstable();
            leaked.dedup();
            for handle in leaked {
                report.faults.push(format!(
                    "entry {}: the document of the {} holds the exact string of {handle}",
                    entry.seq,
                    text_of(&entry.body, "stage")
                ));
            }
        }
        then.take(&entry)
    })?;
    report.checked.push(format!(
        "{documents} documents of pictures as they were sent"
    ));
    Ok(())
}
