//! Outputs that gate G1 has shown, each of which is rolled back: each must leave its entry, whole, and an entry that says
//! something else must be found when its output is made again.

use axilog::hash::sha256;
use rusqlite::params;
use serde_json::{Value, json};

use super::account::{Account, text_of};
use super::guess_attempts::begin_scene;
use super::leak_attempts::HARMLESS;
use super::queries::canonical_query;
use super::report::GateReport;
use crate::checked_text::{build_prompt_within, check_narration_within};
use crate::entry::{EntryBody, EntryKind};
use crate::error::{MemoryError, Result};
use crate::fixed_words::{PROMPT_HEAD, PROMPT_REQUEST};
use crate::handle::Handle;
use crate::query::WorkingSetQuery;
use crate::remaking::RemadeOutputs;
use crate::showing::{show_foreign_brief, show_image_brief, show_working_set};
use crate::store::MemoryStore;
use crate::writer::Writer;

/// Names that no game is likely to have: a scene, the kind of the gate's facts, players.
const SCENE: &str = "gate-g1";
const KIND: &str = "GATE";
const VIEWERS: [&str; 2] = ["gate-ana", "gate-ben"];

/// A budget that suffices for the gate's facts.
const BUDGET: u64 = 1 << 30;

/// An exact string that no memory is likely to have, and a wrong guess at it.
const EXACT: &str = "wq 730 zy 519";
const GUESS: &str = "Is it wq 731 zy 519?";

pub(super) fn check(
    store: &mut MemoryStore,
    account: &Account,
    report: &mut GateReport,
) -> Result<()> {
    let mut attempts = ShownAttempts::default();
    let tried = store.try_out(|writer| {
        begin_scene(writer, account, SCENE)?;
        for (fact, tag) in [("gate-1", "UNLOCKED"), ("gate-2", "LOCKED")] {
            writer.append(EntryKind::Fact, describe_fact(fact, tag))?;
        }
        attempts.show_each_kind(writer)?;
        attempts.forge_each_kind(writer)?;
        attempts.append_directly(writer);
        Ok(())
    });
    match tried {
        // Nothing is shown from a table that another program changed.
        Err(error @ MemoryError::Altered { .. }) => {
            report.faults.push(error.to_string());
            return Ok(());
        }
        tried => tried?,
    }
    report.checked.push(format!(
        "{} outputs shown, each logged with its hash, working set, audience and request, and found where the entry says \
         something else",
        attempts.bodies.len()
    ));
    report.faults.extend(attempts.faults);
    Ok(())
}

fn describe_fact(stable_key: &str, tag: &str) -> Value {
    let exact = match tag {
        "LOCKED" => EXACT,
        _ => "a lamp of the gate's",
    };
    json!({
        "kind": KIND, "stable_key": stable_key, "visibility_mask": "PUBLIC", "precision_tag": tag,
        "payload": { "text": exact }, "gist": "Something.",
        "details": [{ "name": "words", "exact": exact }],
        "provenance": { "source": "gate", "refs": [] },
    })
}

fn describe_query() -> Result<WorkingSetQuery> {
    let mut query = canonical_query();
    query.audience.viewers = VIEWERS.map(str::to_owned).to_vec();
    query.kinds = vec![KIND.to_owned()];
    query.budget = BUDGET;
    Ok(query)
}

#[derive(Default)]
struct ShownAttempts {
    /// The entries of what was shown.
    bodies: Vec<Value>,
    faults: Vec<String>,
}

impl ShownAttempts {
    fn show_each_kind(&mut self, writer: &mut Writer<'_>) -> Result<()> {
        let query = describe_query()?;
        let asked = json!({ "budget": BUDGET, "kinds": [KIND], "purposes": [] });
        let shown = |kind: &str, bytes: &[u8], set: Option<Handle>, class: &str| {
            json!({
                "kind": kind, "bytes_hash": Handle(sha256(bytes)), "working_set_id": set,
                "audience": { "class": class, "viewers": VIEWERS },
            })
        };
        let with = |mut body: Value, members: &[(&str, Value)]| {
            for (name, value) in members {
                if let Some(body) = body.as_object_mut() {
                    body.insert((*name).to_owned(), value.clone());
                }
            }
            body
        };

        let before = writer.reader().head()?.seq;
        let set = show_working_set(writer, &query)?;
        let id = Some(Handle(sha256(set.bytes())));
        let body = shown("WORKING_SET", set.bytes(), id, "WORKING_SET");
        self.compare(writer, before, with(body, &[("query", asked.clone())]))?;

        let before = writer.reader().head()?.seq;
        if let Some(prompt) = build_prompt_within(writer, &query, GUESS)? {
            // What the table asked stands in the prompt as the entry has it.
            let text = text_of(&read_last(writer)?.1, "text").to_owned();
            let asked_in_prompt = prompt.text().rsplit(PROMPT_REQUEST).next();
            if text.is_empty() || !asked_in_prompt.is_some_and(|asked| asked.contains(&text)) {
                let fault = "a prompt is logged with another request than the one in it";
                self.faults.push(fault.to_owned());
            }
            let set = prompt.working_set();
            if !prompt
                .text()
                .starts_with(&[PROMPT_HEAD, set.text(), PROMPT_REQUEST].concat())
            {
                let fault = "a prompt lacks its working set";
                self.faults.push(fault.to_owned());
            }
            let set = Some(Handle(sha256(set.bytes())));
            let body = shown("PROMPT", prompt.text().as_bytes(), set, "PROMPT");
            let members = [("query", asked.clone()), ("text", json!(text))];
            self.compare(writer, before, with(body, &members))?;
        }

        for text in [HARMLESS, EXACT] {
            let before = writer.reader().head()?.seq;
            let passed = check_narration_within(writer, &VIEWERS, text)?.is_some();
            let body = shown("NARRATION", text.as_bytes(), None, "NARRATION");
            let body = match passed {
                true => with(body, &[("text", json!(text))]),
                false => body,
            };
            self.compare(writer, before, body)?;
        }

        let before = writer.reader().head()?.seq;
        let brief = show_image_brief(writer, &query, None)?.canonical().clone();
        let member = |name| brief.value().get(name).cloned().unwrap_or_default();
        let set = Handle::parse(member("working_set_id").as_str().unwrap_or_default());
        let elements = member("elements");
        let elements = elements.as_array().into_iter().flatten();
        let handles: Vec<_> = elements.map(|e| e.get("detail_handle")).collect();
        let members = [("query", asked), ("handles", json!(handles))];
        let body = |kind| with(shown(kind, brief.bytes(), set, "PVIB"), &members);
        self.compare(writer, before, body("PVIB"))?;

        let before = writer.reader().head()?.seq;
        show_foreign_brief(writer, &query, brief.clone())?;
        self.compare(writer, before, body("BRIEF"))
    }

    /// Compares the last entry, which must be behind `before`, with what it must be.
    fn compare(&mut self, writer: &Writer<'_>, before: u64, expected: Value) -> Result<()> {
        let kind = text_of(&expected, "kind").to_owned();
        let (id, found) = read_last(writer)?;
        if writer.reader().head()?.seq == before || id != "SHOWN" {
            self.faults
                .push(format!("a {kind} was shown and not logged"));
        } else if found == expected {
            self.bodies.push(found);
        } else {
            self.faults.push(format!(
                "a {kind} was shown and logged as {found}, expected {expected}"
            ));
        }
        Ok(())
    }

    /// Tries to append the entries as what comes from outside is.
    fn append_directly(&mut self, writer: &mut Writer<'_>) {
        for body in &self.bodies {
            if writer.append(EntryKind::Shown, body.clone()).is_ok() {
                let kind = text_of(body, "kind");
                let fault = format!("an entry of a {kind} can be appended without showing it");
                self.faults.push(fault);
            }
        }
    }

    /// Has the outputs made again from entries that say something else.
    fn forge_each_kind(&mut self, writer: &Writer<'_>) -> Result<()> {
        let other = Handle(sha256(b"another output"));
        let seq = writer.reader().head()?.seq;
        for body in &self.bodies {
            let kind = text_of(body, "kind");
            let is_kept = kind != "NARRATION" || body.get("text").is_some();
            for member in ["bytes_hash", "working_set_id"] {
                let mut forged = body.clone();
                match forged.get_mut(member).filter(|member| !member.is_null()) {
                    Some(value) if is_kept => *value = json!(other),
                    _ => continue,
                }
                let mut remade = RemadeOutputs::default();
                if let EntryBody::Shown(body) = EntryKind::Shown.read_body(&forged)? {
                    remade.take(writer.reader(), seq, &body)?;
                }
                if remade.differences.len() != 1 && remade.other_pins.is_empty() {
                    self.faults.push(format!(
                        "a {kind} was made again, and another {member} of its entry was not noticed"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The last entry: its id and its body.
fn read_last(writer: &Writer<'_>) -> Result<(String, Value)> {
    let reader = writer.reader();
    let last = reader.head()?.seq;
    let id = reader
        .conn
        .prepare_cached("SELECT id FROM log WHERE seq = ?1")
        .and_then(|mut find| find.query_row(params![last], |row| row.get(0)))
        .map_err(reader.read_error())?;
    Ok((id, Account::read_body(reader, last)?))
}
