//! Attempts of gate G2 to get locked strings out: each must be refused or cleaned. What an attempt appends is rolled
//! back.

use base64::Engine;
use serde_json::{Value, json};

use super::account::Account;
use super::judge::Judge;
use super::plain_search::{PlainSearch, SearchedString, hexadecimal};
use super::queries::canonical_query;
use super::recall_attempts::{STRANGER, make_request};
use super::report::GateReport;
use crate::audience::Audience;
use crate::canonical::{CanonicalJson, texts};
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::fixed_words::PROMPT_REQUEST;
use crate::mask::OutputClass;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::recall::{RecallAnswer, recall_within};
use crate::store::MemoryStore;

/// How many strings are tried, spread over all there are.
const MAX_TRIED: usize = 48;

/// A text in which no string stands that a memory is likely to have.
pub(super) const HARMLESS: &str = "Rain falls on the roof, and nobody says a word.";

/// One of each kind of what is not seen: zero width, hyphenation, variation, a filler, a blank of Braille and one
/// of music, a format control of hieroglyphs, a sign of Arabic that holds others, a tag.
const UNSEEN: &str = "\u{200b}\u{ad}\u{fe00}\u{3164}\u{2800}\u{1d159}\u{13430}\u{600}\u{e0041}";

/// An exact string that no memory is likely to have.
const FRESH: &str = "vq 730 zx 519";

pub(super) fn check(
    store: &mut MemoryStore,
    account: &Account,
    strings: &PlainSearch,
    report: &mut GateReport,
) -> Result<()> {
    let tried = {
        let judge = Judge {
            reader: store.reader(),
            account,
            strings,
        };
        let tried = choose_locked(&judge);
        let narrations = try_narrations(&judge, &tried, report)?;
        try_request(&judge, &tried, report)?;
        let briefs = try_briefs(&judge, &tried, report)?;
        report.checked.push(format!(
            "{} locked strings in {narrations} spellings, each refused in a narration and cut out of a request",
            tried.len()
        ));
        report
            .checked
            .push(format!("{briefs} wrong image briefs, each refused"));
        tried
    };
    try_pictures(store, &tried, report)?;
    try_recalls(store, account, strings, report)?;
    try_new_fact(store, report)
}

/// Chooses strings that are locked for everybody, evenly from all of them.
pub(super) fn choose_locked(judge: &Judge<'_>) -> Vec<SearchedString> {
    let all = judge.strings.strings();
    let is_locked = |string: &&SearchedString| {
        !judge.find_leaks("NARRATION", &[], &string.exact).is_empty()
            && !judge.account.is_open(string.handle)
    };
    let step = (all.len() / (2 * MAX_TRIED)).max(1);
    let locked = all.iter().step_by(step).filter(is_locked);
    locked.take(MAX_TRIED).cloned().collect()
}

/// The spellings of a string that the page promises to find.
fn spell(string: &SearchedString) -> Vec<String> {
    let exact = &*string.exact;
    if string.is_literal {
        return vec![exact.to_owned(), exact.to_uppercase()];
    }
    let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let each =
        |write: fn(u32) -> String| -> String { exact.chars().map(|c| write(c.into())).collect() };
    let digits = exact.chars().filter(char::is_ascii_digit).count();
    let map = |change: fn(char) -> char| exact.chars().map(change).collect::<String>();
    let mut spellings = vec![
        exact.to_owned(),
        exact.to_uppercase(),
        exact
            .chars()
            .map(String::from)
            .collect::<Vec<_>>()
            .join(UNSEEN),
        exact.replace(char::is_whitespace, ""),
        map(|c| match c {
            '!'..='~' => char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c),
            other => other,
        }),
        map(|c| match c {
            'a' => '\u{430}',
            'e' => '\u{435}',
            'o' => '\u{43e}',
            'p' => '\u{440}',
            'c' => '\u{441}',
            'x' => '\u{445}',
            other => other,
        }),
        separate(exact, char::is_ascii_digit),
        separate(exact, |c| c.is_alphanumeric()),
        base64(exact),
        base64(&base64(exact)),
        hexadecimal(exact),
        each(|code| format!("&#{code};")),
        each(|code| format!("\\u{{{code:x}}}")),
    ];
    if exact.chars().filter(|c| matches!(c, '2'..='9')).count() > 0 {
        spellings.push(map(|c| if c == '1' { 'l' } else { c }));
    }
    let is_joined = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    if digits > 0 || exact.chars().filter(char::is_ascii_alphabetic).count() >= 5 {
        if is_joined(exact.chars().next()) || exact.starts_with(|c: char| c.is_ascii_digit()) {
            spellings.push(format!("un{exact}"));
        }
        if is_joined(exact.chars().next_back()) || exact.ends_with(|c: char| c.is_ascii_digit()) {
            spellings.push(format!("{exact}ish"));
        }
    }
    spellings.dedup();
    spellings
}

/// A string with a hyphen between each two characters that `is_part` takes.
fn separate(exact: &str, is_part: fn(&char) -> bool) -> String {
    let mut separated = String::new();
    for c in exact.chars() {
        if is_part(&c) && separated.ends_with(|c: char| is_part(&c)) {
            separated.push('-');
        }
        separated.push(c);
    }
    separated
}

/// Tries to say each string in every spelling; gives how many texts there were.
fn try_narrations(
    judge: &Judge<'_>,
    tried: &[SearchedString],
    report: &mut GateReport,
) -> Result<usize> {
    let nobody: [&str; 0] = [];
    let mut count = 0;
    for string in tried {
        for spelling in spell(string) {
            count += 1;
            let text = format!("They say: {spelling}.");
            if judge.reader.judge_narration(&nobody, &text)?.0.is_some() {
                report.faults.push(format!(
                    "a narration with the exact string of {} was not refused",
                    string.handle
                ));
            }
        }
    }
    if judge.find_leaks("NARRATION", &[], HARMLESS).is_empty()
        && judge.reader.judge_narration(&nobody, HARMLESS)?.0.is_none()
    {
        report
            .faults
            .push("a narration about rain was refused".to_owned());
    }
    Ok(count)
}

/// Tries to get the strings into a prompt with the table's request.
fn try_request(judge: &Judge<'_>, tried: &[SearchedString], report: &mut GateReport) -> Result<()> {
    for string in tried.iter().take(8) {
        let spellings = spell(string);
        let request = format!("Is it: {}?", spellings.join("? Or: "));
        // A prompt that is refused tells nothing.
        let Some(prompt) = build_prompt(judge.reader, &request)? else {
            continue;
        };
        let asked = prompt.rsplit(PROMPT_REQUEST).next().unwrap_or_default();
        let cleaned: String = serde_json::from_str(asked).unwrap_or(request);
        let is_told = spellings.iter().any(|spelling| cleaned.contains(spelling));
        if is_told || !judge.find_leaks("PROMPT", &[], &cleaned).is_empty() {
            report.faults.push(format!(
                "a request brought the exact string of {} into a prompt",
                string.handle
            ));
        }
    }
    Ok(())
}

/// Builds a prompt without facts of a budget that suffices.
fn build_prompt(reader: &MemoryReader, request: &str) -> Result<Option<String>> {
    let mut query = canonical_query();
    loop {
        match reader.clean_prompt(&query, request) {
            Err(MemoryError::Budget { needed, given }) if needed > given => query.budget = needed,
            other => return Ok(other?.0.map(|prompt| prompt.text().to_owned())),
        }
    }
}

/// Tries briefs with a handle that may not be mentioned and with other words; gives how many there were.
fn try_briefs(
    judge: &Judge<'_>,
    tried: &[SearchedString],
    report: &mut GateReport,
) -> Result<usize> {
    let query = WorkingSetQuery {
        audience: Audience {
            class: OutputClass::Pvib,
            viewers: Vec::new(),
        },
        budget: 64_000,
        ..canonical_query()
    };
    let brief = match judge.reader.build_image_brief(&query, None) {
        // The search of the outputs has reported it.
        Err(MemoryError::Leak { .. } | MemoryError::Budget { .. }) => return Ok(0),
        other => other?,
    };
    let elements = brief
        .canonical()
        .value()
        .get("elements")
        .and_then(Value::as_array);
    let elements = elements.cloned().unwrap_or_default();
    let mut wrong = Vec::new();
    for string in tried.iter().take(4) {
        let mut more = elements.clone();
        more.push(json!({ "detail_handle": string.handle, "exact": "something" }));
        wrong.push(more);
    }
    if let Some(first) = elements.first() {
        let mut other = elements.clone();
        let handle = first.get("detail_handle");
        if let Some(first) = other.first_mut() {
            *first = json!({ "detail_handle": handle, "exact": HARMLESS });
        }
        wrong.push(other);
    }
    let mut count = wrong.len();
    let fact_handles = tried.iter().take(4).flat_map(|it| [it.fact, it.handle]);
    for handle in fact_handles {
        count += 1;
        if judge
            .reader
            .build_image_brief(&query, Some(&[handle]))
            .is_ok()
        {
            report.faults.push(format!(
                "an image brief has {handle}, which may not be mentioned exactly"
            ));
        }
    }
    for elements in wrong {
        let mut document = brief.canonical().value().clone();
        if let Some(document) = document.as_object_mut() {
            document.insert("elements".to_owned(), Value::from(elements));
        }
        let canonical = CanonicalJson::from_value("the brief of the gate", document)?;
        if judge.reader.check_image_brief(&query, canonical).is_ok() {
            report.faults.push(
                "an image brief with other words than the memory's was not refused".to_owned(),
            );
        }
    }
    Ok(count)
}

/// Tries to send the strings to the makers of pictures.
fn try_pictures(
    store: &mut MemoryStore,
    tried: &[SearchedString],
    report: &mut GateReport,
) -> Result<()> {
    store.try_out(|writer| {
        for string in tried.iter().take(16) {
            let body = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": string.exact } });
            match writer.append(EntryKind::Asset, body) {
                Err(MemoryError::Guess { .. }) => {}
                Err(error) => return Err(error),
                Ok(_) => report.faults.push(format!(
                    "a picture's request with the exact string of {} was not refused",
                    string.handle
                )),
            }
        }
        Ok(())
    })
}

/// Asks for facts without a roll. No answer holds a locked string, be it of another fact.
fn try_recalls(
    store: &mut MemoryStore,
    account: &Account,
    strings: &PlainSearch,
    report: &mut GateReport,
) -> Result<()> {
    let step = (account.facts.len() / MAX_TRIED).max(1);
    let asked = account.facts.keys().step_by(step).take(MAX_TRIED);
    let mut answers = Vec::new();
    store.try_out(|writer| {
        for (_, fact) in asked {
            let request = make_request(*fact, STRANGER, None);
            match recall_within(writer, &request)?.answer {
                RecallAnswer::Exact(value) => answers.push((*fact, value)),
                RecallAnswer::Fuzzy(gist) => answers.push((*fact, gist.into())),
                RecallAnswer::Unknown => {}
            }
        }
        Ok(())
    })?;
    let judge = Judge {
        reader: store.reader(),
        account,
        strings,
    };
    let viewers = [STRANGER.to_owned()];
    for (fact, answer) in &answers {
        for handle in texts(answer)
            .into_iter()
            .flat_map(|text| judge.find_leaks("RECAP", &viewers, text))
        {
            report.faults.push(format!(
                "a request for {fact} was answered with the exact string of {handle}"
            ));
        }
    }
    report
        .checked
        .push(format!("{} answers to requests for facts", answers.len()));
    Ok(())
}

/// Tries a fact that is new and has no tag: its string must be locked at once.
fn try_new_fact(store: &mut MemoryStore, report: &mut GateReport) -> Result<()> {
    let nobody: [&str; 0] = [];
    store.try_out(|writer| {
        // The guard knows the strings that were there before.
        writer.reader().judge_narration(&nobody, HARMLESS)?;
        let fact = json!({
            "kind": "GATE", "stable_key": "gate", "visibility_mask": "PUBLIC",
            "payload": { "text": FRESH }, "gist": "Something of the gate's.",
            "details": [{ "name": "words", "exact": FRESH }],
            "provenance": { "source": "gate", "refs": [] },
        });
        writer.append(EntryKind::Fact, fact)?;
        let query = WorkingSetQuery {
            kinds: vec!["GATE".to_owned()],
            budget: 1 << 30,
            ..canonical_query()
        };
        let told = match writer.reader().build_working_set(&query) {
            Err(MemoryError::Leak { .. }) => true,
            set => set?.text().contains(FRESH),
        };
        if told || writer.reader().judge_narration(&nobody, FRESH)?.0.is_some() {
            report
                .faults
                .push("the string of a new fact without a tag is not locked".to_owned());
        }
        Ok(())
    })?;
    report
        .checked
        .push("1 new fact without a tag, locked at once".to_owned());
    Ok(())
}
