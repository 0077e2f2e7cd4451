//! Guesses of gate G2 at locked strings, each of which is rolled back: the answers must not tell a guess that is right
//! from one that is wrong, and a scene allows only so many.

use serde_json::json;

use super::account::{Account, text_of};
use super::judge::Judge;
use super::leak_attempts::{HARMLESS, choose_locked};
use super::plain_search::{PlainSearch, SearchedString};
use super::queries::canonical_query;
use super::report::GateReport;
use crate::checked_text::{build_prompt_within, check_narration_within};
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::fixed_words::{PLACEHOLDER, PROMPT_REQUEST};
use crate::store::MemoryStore;
use crate::writer::Writer;

/// How many strings are guessed.
const MAX_GUESSED: usize = 12;

/// The most guesses that the gate makes in a scene; a memory that allows more is not tried.
const MAX_LIMIT: u64 = 256;

/// A scene that no game is likely to have.
const SCENE: &str = "gate-g2";

pub(super) fn check(
    store: &mut MemoryStore,
    account: &Account,
    strings: &PlainSearch,
    report: &mut GateReport,
) -> Result<()> {
    let guessed: Vec<SearchedString> = {
        let judge = Judge {
            reader: store.reader(),
            account,
            strings,
        };
        choose_locked(&judge)
    };
    for string in guessed.iter().take(MAX_GUESSED) {
        let right = ask(store, account, &string.exact)?;
        let expected = match change_digits(&string.exact) {
            // What stands there after all is no wrong guess.
            Some(wrong) if !strings.find_in(&wrong).is_empty() => continue,
            Some(wrong) => ask(store, account, &wrong)?,
            None => Some((PLACEHOLDER.to_owned(), 1)),
        };
        if right.is_none() || right != expected {
            report.faults.push(format!(
                "a right guess at {} is answered {right:?}, and a wrong one {expected:?}",
                string.handle
            ));
        }
    }
    let limit = account.pins.get("guesses_per_scene");
    let limit = limit.and_then(|limit| limit.parse().ok()).unwrap_or(64);
    if let Some(string) = guessed.first().filter(|_| limit <= MAX_LIMIT) {
        let faults = store.try_out(|writer| {
            begin_scene(writer, account, SCENE)?;
            exhaust(writer, &string.exact, limit)
        })?;
        report.faults.extend(faults);
    }
    report.checked.push(format!(
        "{} guesses, the right ones answered as the wrong ones; {limit} allowed in a scene",
        guessed.len().min(MAX_GUESSED)
    ));
    Ok(())
}

/// The string with another digit in the place of each digit, if it has digits.
fn change_digits(exact: &str) -> Option<String> {
    let change = |c: char| match c.to_digit(10).filter(|_| c.is_ascii()) {
        Some(digit) => char::from_digit((digit + 3) % 10, 10).unwrap_or(c),
        None => c,
    };
    let changed: String = exact.chars().map(change).collect();
    (changed != exact).then_some(changed)
}

/// Begins a scene in which nobody has guessed yet.
pub(super) fn begin_scene(writer: &mut Writer<'_>, account: &Account, scene: &str) -> Result<()> {
    if let Some(scene) = &account.scene {
        writer.append(EntryKind::SceneEnd, json!({ "scene_id": scene.id }))?;
    }
    writer.append(EntryKind::SceneStart, json!({ "scene_id": scene }))?;
    Ok(())
}

/// Asks for a string; gives what the prompt has of the request, and how many guesses were counted in it.
fn ask(store: &mut MemoryStore, account: &Account, guess: &str) -> Result<Option<(String, u64)>> {
    store.try_out(|writer| {
        begin_scene(writer, account, SCENE)?;
        let before = writer.reader().head()?.seq;
        let Some(asked) = request(writer, &format!("Is it {guess}?"))? else {
            return Ok(None);
        };
        let counted = read_guesses(writer, before)?;
        Ok(Some((asked, counted)))
    })
}

/// Builds a prompt of a budget that suffices; gives the request in it.
fn request(writer: &mut Writer<'_>, request: &str) -> Result<Option<String>> {
    let mut query = canonical_query();
    loop {
        match build_prompt_within(writer, &query, request) {
            Err(MemoryError::Budget { needed, given }) if needed > given => query.budget = needed,
            other => {
                let prompt = other?;
                let text = prompt.as_ref().map(|prompt| prompt.text().trim_end());
                let asked = text.and_then(|text| text.rsplit(PROMPT_REQUEST).next());
                return Ok(asked.and_then(|asked| serde_json::from_str(asked).ok()));
            }
        }
    }
}

/// The guesses that the entries after `before` log.
fn read_guesses(writer: &Writer<'_>, before: u64) -> Result<u64> {
    let mut guesses = 0;
    for seq in before + 1..=writer.reader().head()?.seq {
        let body = Account::read_body(writer.reader(), seq)?;
        if ["PROMPT", "NARRATION"].contains(&text_of(&body, "output")) {
            guesses += body.get("guesses").and_then(|n| n.as_u64()).unwrap_or(0);
        }
    }
    Ok(guesses)
}

/// Makes as many guesses as the scene allows, and more; gives what is wrong.
fn exhaust(writer: &mut Writer<'_>, exact: &str, limit: u64) -> Result<Vec<String>> {
    let nobody: [&str; 0] = [];
    let mut faults = Vec::new();
    let mut expect = |is_right: bool, fault: &str| {
        if !is_right {
            faults.push(format!("with {limit} guesses allowed in a scene, {fault}"));
        }
    };
    let before = writer.reader().head()?.seq;
    for _ in 0..limit {
        let passed = request(writer, exact)?.is_some();
        expect(passed, "a guess before the last was refused");
        if !passed {
            break;
        }
    }
    let narrated = check_narration_within(writer, &nobody, exact)?.is_some();
    expect(!narrated, "a narration with a right guess passed");
    let counted = read_guesses(writer, before)?;
    expect(counted == limit + 1, "not every guess was logged");
    let passed = request(writer, exact)?.is_some();
    expect(!passed, "one more passed");
    let passed = request(writer, HARMLESS)?.is_some();
    expect(!passed, "a request behind them passed");
    if let Some(wrong) = change_digits(exact) {
        let passed = check_narration_within(writer, &nobody, &wrong)?.is_some();
        expect(!passed, "a narration with a wrong guess passed after them");
    }
    let passed = check_narration_within(writer, &nobody, HARMLESS)?.is_some();
    expect(passed, "a narration without a guess was refused");
    let (start, end) = (EntryKind::SceneStart, EntryKind::SceneEnd);
    for (scene, is_new) in [(SCENE, false), ("gate-g2-2", true)] {
        let on = if is_new { SCENE } else { scene };
        writer.append(end, json!({ "scene_id": on }))?;
        writer.append(start, json!({ "scene_id": scene }))?;
        let passed = request(writer, HARMLESS)?.is_some();
        expect(passed == is_new, "a scene that began again is another one");
    }
    Ok(faults)
}
