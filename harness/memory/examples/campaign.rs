//! A campaign's memory in twenty lines: a clue, a prompt without its code, and a roll that unlocks it.

use axilog_memory::*;
use serde_json::json;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let initial = InitialState::new("arden", "campaign-1", "session-1")?;
    let mut store = MemoryStore::init(&directory.path().join("game.db"), &initial)?;
    let clue = json!({
        "kind": "CLUE", "stable_key": "a1", "visibility_mask": "PUBLIC",
        "payload": { "text": "The door code is 4711." },
        "gist": "There is a code to the cellar door.",
        "details": [{ "name": "door-code", "exact": "4711" }],
        "provenance": { "source": "generator", "refs": [] },
    });
    let fact = store
        .append(EntryKind::Fact, clue)?
        .handle
        .ok_or("a fact has a handle")?;
    store.append(EntryKind::SceneStart, json!({ "scene_id": "cellar" }))?;
    let query = WorkingSetQuery::new(Audience::new(OutputClass::Prompt, &["ana"])?, 8000);
    println!("{}", store.build_prompt(&query, "Is it 47 11?")?.text());
    let (roller, skill) = ("ana".to_owned(), "lore".to_owned());
    let recall = store.recall(&RecallRequest {
        handle: detail_handle(fact, "door-code").to_string(),
        requester: "ana".to_owned(),
        listeners: Vec::new(),
        roll: Some(DiceRoll {
            roller,
            skill,
            dc: 12,
            rolled: 17,
            success: true,
        }),
        scope: RecallScope::Scene,
    })?;
    println!("{:?}", recall.answer);
    Ok(())
}
