//! G2 ORC-PRECISION-LEAK: no exact string that is locked stands in any output, and nothing that is masked.
//!
//! The gate has its own account of what is masked and locked, and its own search. It looks at outputs as they are,
//! at what went to the makers of pictures, at the texts of what was shown, and at what comes of attempts to get a locked
//! string out (`leak_attempts.rs`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::account::{Account, text_of};
use super::cold_boot::describe;
use super::judge::Judge;
use super::plain_search::SearchedString;
use super::queries::{Coverage, build_in_budget, for_each_output, make_up_queries};
use super::report::GateReport;
use super::{audience_attempts, guess_attempts, leak_attempts};
use crate::canonical::texts;
use crate::entry::EntryKind;
use crate::error::Result;
use crate::handle::Handle;
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
        search_sent_texts(&judge, report)
    })?;
    leak_attempts::check(store, &account, &strings, report)?;
    guess_attempts::check(store, &account, &strings, report)?;
    audience_attempts::check(store, &account, report)?;
    report.checked.insert(0, format!("{count} exact strings"));
    Ok(())
}

/// Searches every output of every class and audience.
fn search_outputs(judge: &Judge<'_>, report: &mut GateReport) -> Result<()> {
    let (mut outputs, mut bytes) = (0, 0);
    let coverage = Coverage::EachClassAndAudience;
    let mut search_one = |query: &WorkingSetQuery, set: Result<WorkingSet>| {
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
    };
    for_each_output(judge.reader, judge.account, coverage, &mut search_one)?;
    for query in make_up_queries(judge.reader, judge.account)? {
        let (query, set) = build_in_budget(judge.reader, query);
        search_one(&query, set)?;
    }
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

/// What an entry says was sent or shown: the texts, and for whom.
struct SentTexts {
    what: String,
    class: String,
    viewers: Vec<String>,
    texts: Vec<String>,
}

impl SentTexts {
    /// The document of a picture's stage. In the text of JSON an escape may stand inside a string, so each part is a text
    /// by itself too.
    fn of_picture(body: &Value) -> SentTexts {
        let document = body.get("document").cloned().unwrap_or_default();
        let parts = texts(&document).into_iter().map(str::to_owned);
        SentTexts {
            what: format!("the document of the {}", text_of(body, "stage")),
            class: OutputClass::Pvib.to_string(),
            viewers: list_viewers(body),
            texts: parts.chain([document.to_string()]).collect(),
        }
    }

    /// The request in a prompt, or a narration.
    fn of_shown(body: &Value) -> SentTexts {
        let audience = body.get("audience").cloned().unwrap_or_default();
        let encoded = STANDARD.decode(text_of(body, "text_base64"));
        let decoded = String::from_utf8_lossy(&encoded.unwrap_or_default()).into_owned();
        SentTexts {
            what: format!("the {}", text_of(body, "kind")),
            class: text_of(&audience, "class").to_owned(),
            viewers: list_viewers(&audience),
            texts: vec![text_of(body, "text").to_owned(), decoded],
        }
    }
}

fn list_viewers(value: &Value) -> Vec<String> {
    let viewers = value.get("viewers").and_then(Value::as_array);
    let names = viewers.into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

/// Searches the documents of pictures and the texts of what was shown as they were then: each exact string in one was
/// open then, for those who will see it, or was appended only later.
fn search_sent_texts(judge: &Judge<'_>, report: &mut GateReport) -> Result<()> {
    let mut then = Account::default();
    let (mut documents, mut shown) = (0, 0);
    judge.reader.for_each_entry(&mut |entry| {
        let sent = match entry.kind {
            EntryKind::Asset => {
                documents += 1;
                Some(SentTexts::of_picture(&entry.body))
            }
            EntryKind::Shown => {
                shown += 1;
                Some(SentTexts::of_shown(&entry.body))
            }
            _ => None,
        };
        if let Some(sent) = sent {
            for handle in find_leaks_then(judge, &then, &sent) {
                report.faults.push(format!(
                    "entry {}: {} holds the exact string of {handle}",
                    entry.seq, sent.what
                ));
            }
        }
        then.take(&entry)
    })?;
    report.checked.push(format!(
        "{documents} documents of pictures as they were sent, and the texts of {shown} outputs as they were shown"
    ));
    Ok(())
}

/// The details whose strings stand in what was sent, and were locked `then`.
fn find_leaks_then(judge: &Judge<'_>, then: &Account, sent: &SentTexts) -> Vec<Handle> {
    let may_tell = |string: &SearchedString| {
        then.find_fact(string.fact).is_none()
            || then.is_open(string.handle)
                && then.may_see(&sent.class, &sent.viewers, string.handle)
    };
    let found = sent
        .texts
        .iter()
        .flat_map(|text| judge.strings.find_in(text));
    let mut leaked: Vec<Handle> = found
        .filter(|strings| !strings.iter().any(|string| may_tell(string)))
        .filter_map(|strings| strings.first().map(|string| string.handle))
        .collect();
    leaked.sort_unstable();
    leaked.dedup();
    leaked
}
