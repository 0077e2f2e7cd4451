//! A campaign of some sessions, with everything in it that a memory can hold.

use axilog_memory::{
    CanonicalJson, DiceRoll, EntryKind, Handle, InitialState, MaskMatrix, MemoryStore,
    NotebookRequest, OutputClass, RecallRequest, RecallScope, Result, compaction_body,
    detail_handle, retraction_body,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::test_memory::{clue, notebook_request, open_fact, query};

pub struct Campaign {
    pub store: MemoryStore,
    /// The details by the keys of their facts.
    details: Vec<(String, Handle, Handle)>,
    _directory: TempDir,
}

/// A matrix in which pictures may hold public facts only.
fn initial_state() -> InitialState {
    let row = json!(["PUBLIC", "PLAYER"]);
    let rows = json!({ "WORKING_SET": row, "PROMPT": row, "NARRATION": row, "RECAP": row, "PVIB": ["PUBLIC"] });
    let mut initial = InitialState::new("arden", "c1", "s1").unwrap();
    initial.mask_matrix = MaskMatrix::read(CanonicalJson::from_value("m", rows).unwrap()).unwrap();
    initial.pins = vec![
        ("llm".into(), "model-1".into()),
        ("event_contract".into(), "gt-12+ev-021".into()),
    ];
    initial
}

fn masked(mut fact: Value, mask: Value) -> Value {
    fact["visibility_mask"] = mask;
    fact
}

/// The facts, in an order that is not that of their keys.
fn facts() -> Vec<Value> {
    let ana = json!({ "PLAYER": ["ana"] });
    let both = json!({ "PLAYER": ["ana", "ben"] });
    let text = |text: &str| json!({ "text": text });
    let mut facts = vec![
        clue("m-door", "4711"),
        clue("c-words", "under the third lantern"),
        clue("k-name", "Holt Bennet"),
        clue("b-spot", "N 51 07"),
        clue("x-rhyme", "moon over Maxwell"),
        clue("d-bell", "seven bells"),
        clue("f-song", "raven queen 88"),
        clue("g-date", "the 3rd of Frost"),
        masked(clue("h-ring", "ruby ring 519"), ana.clone()),
        masked(clue("i-oath", "oath of iron 62"), both.clone()),
        masked(clue("j-plot", "the duke is dead 9"), json!("DM_ONLY")),
        masked(clue("l-seed", "seed 90210"), json!("SYSTEM")),
        open_fact("n-inn", text("An inn by the river.")),
        open_fact(
            "a-mill",
            text("They say the code4711 opens it, or 47ll, or 4-7-1-1."),
        ),
        open_fact("o-letter", text("HOLT BENNET was here, \u{ff34}wice.")),
        open_fact(
            "p-map",
            json!({ "at": [1, 2], "note": "go N\u{200b} 51 07" }),
        ),
        open_fact(
            "q-chest",
            text("It hides seven \u{ff42}ells and a r\u{430}ven queen 88."),
        ),
        open_fact("r-note", text("Encoded: NDcxMQ== and 34373131.")),
        masked(open_fact("s-gift", text("A gift for Ana.")), ana),
        masked(open_fact("t-pact", text("A pact of two.")), both),
        masked(
            open_fact("u-trap", text("A trap in the hall.")),
            json!("DM_ONLY"),
        ),
        masked(
            open_fact("v-dice", text("A table of encounters.")),
            json!("SYSTEM"),
        ),
        // One fact that is over any usual budget, before most others.
        masked(
            open_fact("a-annals", text(&"* ".repeat(17_000))),
            json!({ "PLAYER": ["ben"] }),
        ),
    ];
    // One that its gist tells where little room is, and that is alone of its kind.
    let mut ballad = open_fact("x-ballad", text(&"la ".repeat(700)));
    ballad["kind"] = json!("BALLAD");
    ballad["gist"] = json!("A ballad of the hall.");
    facts.push(ballad);
    // To some facts the last scene points, to some the thread, and to one both.
    for (key, tags) in [
        ("o-letter", json!(["miller"])),
        ("n-inn", json!(["tower"])),
        ("m-door", json!(["miller", "tower"])),
        ("u-trap", json!(["tower"])),
    ] {
        let fact = facts.iter_mut().find(|fact| fact["stable_key"] == key);
        fact.unwrap()["tags"] = tags;
    }
    // A word that is rarer than another in what the players may see, and as common in what they may not.
    for number in 0..2 {
        facts.push(open_fact(
            &format!("y-ford-{number}"),
            text("A ford below the dam."),
        ));
    }
    for number in 0..40 {
        facts.push(masked(
            open_fact(&format!("z-ford-{number:02}"), text("Ford, road.")),
            json!("DM_ONLY"),
        ));
    }
    for number in 0..6 {
        facts.push(open_fact(
            &format!("w-road-{number}"),
            text("A road between two hills."),
        ));
    }
    facts
}

impl Campaign {
    /// Plays the campaign.
    pub fn play() -> Result<Campaign> {
        let directory = tempfile::tempdir().unwrap();
        let store = MemoryStore::init(&directory.path().join("campaign.db"), &initial_state())?;
        let mut campaign = Campaign {
            store,
            details: Vec::new(),
            _directory: directory,
        };
        campaign.add_facts()?;
        campaign.play_first_session()?;
        campaign.play_second_session()?;
        Ok(campaign)
    }

    fn append(&mut self, kind: EntryKind, body: Value) -> Result<Option<Handle>> {
        Ok(self.store.append(kind, body)?.handle)
    }

    fn add_facts(&mut self) -> Result<()> {
        for fact in facts() {
            let key = fact["stable_key"].as_str().unwrap().to_owned();
            let id = self.append(EntryKind::Fact, fact)?.unwrap();
            self.details.push((key, id, detail_handle(id, "words")));
        }
        let id = |key: &str| self.fact(key);
        let recap = compaction_body("RECAP", &[id("m-door"), id("n-inn"), id("c-words")])?;
        let secret = compaction_body("RECAP", &[id("u-trap"), id("n-inn")])?;
        let annals = compaction_body("SYNOPSIS", &[id("a-annals"), id("d-bell")])?;
        let road = compaction_body("RECAP", &[id("w-road-5"), id("d-bell")])?;
        for compaction in [recap, secret, annals, road] {
            self.append(EntryKind::Compaction, compaction)?;
        }
        Ok(())
    }

    fn detail(&self, key: &str) -> Handle {
        self.find_handles(key).2
    }

    fn fact(&self, key: &str) -> Handle {
        self.find_handles(key).1
    }

    fn find_handles(&self, key: &str) -> &(String, Handle, Handle) {
        let mut all = self.details.iter();
        all.find(|(name, ..)| name == key).unwrap()
    }

    fn retract(&mut self, key: &str) -> Result<()> {
        let body = retraction_body(self.fact(key), "It was never so.", "the table", &[])?;
        self.append(EntryKind::Retraction, body).map(drop)
    }

    fn open_rule(&mut self, rule: &str, scene: &str, scope: &str) -> Result<()> {
        let body = json!({ "rule_ref": rule, "scene_id": scene, "actor_id": "ana", "unlock_scope": scope });
        self.append(EntryKind::RuleRefOpened, body).map(drop)
    }

    fn scene(&mut self, kind: EntryKind, scene: &str) -> Result<()> {
        self.append(kind, json!({ "scene_id": scene }))?;
        Ok(())
    }

    /// Asks for a detail; `rolled` is what the dice show against 12.
    fn recall(
        &mut self,
        key: &str,
        who: &str,
        rolled: Option<i32>,
        scope: RecallScope,
    ) -> Result<()> {
        let request = RecallRequest {
            handle: self.detail(key).to_string(),
            requester: who.to_owned(),
            listeners: Vec::new(),
            roll: rolled.map(|rolled| DiceRoll {
                roller: who.to_owned(),
                skill: "lore".to_owned(),
                dc: 12,
                rolled,
                success: rolled >= 12,
            }),
            scope,
        };
        self.store.recall(&request).map(drop)
    }

    fn play_first_session(&mut self) -> Result<()> {
        let mode = json!({ "mode": "COMPANION", "scene_id": null, "cause_handle": null });
        self.append(EntryKind::ModeChanged, mode)?;
        let threads = ["miller".to_owned(), self.fact("w-road-5").to_string()];
        let pointers = json!({ "threads": threads, "clocks": ["flood"], "regions": ["north"] });
        self.append(EntryKind::State, pointers)?;
        let spot = json!({ "setting": "page-4", "scene_id": null, "cause_handle": null });
        self.append(EntryKind::ReadingSpot, spot)?;
        self.scene(EntryKind::SceneStart, "cellar")?;
        self.open_rule("dmg.10", "cellar", "SCENE")?;
        self.open_rule("phb.3", "cellar", "SESSION")?;
        self.recall("m-door", "ana", None, RecallScope::Scene)?;
        self.recall("m-door", "ana", Some(4), RecallScope::Scene)?;
        self.recall("m-door", "ana", Some(19), RecallScope::Scene)?;
        self.recall("c-words", "ben", Some(14), RecallScope::Scene)?;
        self.recall("d-bell", "ana", Some(12), RecallScope::Session)?;
        self.recall("f-song", "ben", Some(16), RecallScope::Scene)?;
        self.recall("h-ring", "ana", Some(17), RecallScope::Scene)?;
        self.recall("h-ring", "ben", Some(17), RecallScope::Scene)?;
        self.recall("j-plot", "ana", Some(20), RecallScope::Scene)?;
        let brief = json!({ "stage": "REQUEST_SPEC", "document": { "prompt": "a lamp, under the third lantern" } });
        let mut of = self.append(EntryKind::Asset, brief)?;
        for stage in [
            "ENGINE",
            "QUALITY",
            "ASSET_STORE",
            "POOL",
            "BINDING",
            "DELIVERY",
        ] {
            let body = json!({ "stage": stage, "of": of, "document": { "step": stage } });
            of = self.append(EntryKind::Asset, body)?;
        }
        let nudge = json!({ "scene_id": "cellar", "nudge_type": "CALLBACK_NUDGE", "target_handle": "ana",
            "reason_code": "dormant", "cause_handle": null });
        self.append(EntryKind::NudgeSelected, nudge)?;
        self.show_outputs(&["ana"]);
        self.scene(EntryKind::SceneEnd, "cellar")?;
        self.take_note("r1", "f-song", false, true)?;
        // A thread and a compaction go on naming it.
        self.retract("w-road-5")?;
        self.append(EntryKind::State, json!({ "campaign_id": "c2" }))?;
        self.take_note("r2", "g-date", true, true)?;
        // Its string was unlocked for the campaign that goes on.
        self.append(EntryKind::State, json!({ "campaign_id": "c1" }))?;
        self.retract("g-date")?;
        self.append(EntryKind::State, json!({ "campaign_id": "c2" }))
            .map(drop)
    }

    /// Shows an output of each kind, and has a narration refused. A memory with a defect may refuse any of them.
    fn show_outputs(&mut self, viewers: &[&str]) {
        let store = &mut self.store;
        let mut asked = query(OutputClass::Recap, viewers, 8000);
        asked.purposes = vec!["RECAP".to_owned()];
        let _ = store.build_working_set(&asked);
        let _ = store.build_prompt(&asked, "Who is there?");
        let _ = store.check_narration(viewers, "Rain falls on the cellar.");
        let _ = store.check_narration(viewers, "They swore the oath of iron 62.");
        if let Ok(brief) = store.build_image_brief(&asked, None) {
            let _ = store.check_image_brief(&asked, brief.canonical().clone());
        }
    }

    /// Asks for consent to a note and gets it; writes the note where `is_written`.
    fn take_note(
        &mut self,
        request: &str,
        key: &str,
        revealed_by_dm: bool,
        is_written: bool,
    ) -> Result<()> {
        let content = [self.detail(key)];
        self.store.request_notebook_entry(&NotebookRequest {
            revealed_by_dm,
            ..notebook_request(request, &content)
        })?;
        self.store
            .answer_notebook_request(request, "ana", "grant")?;
        if is_written {
            self.store.record_notebook_entry(request, &content)?;
        }
        Ok(())
    }

    fn play_second_session(&mut self) -> Result<()> {
        self.append(EntryKind::State, json!({ "session_id": "s2" }))?;
        self.take_note("r3", "k-name", true, false)?;
        self.scene(EntryKind::SceneStart, "tower")?;
        self.recall("b-spot", "ben", Some(15), RecallScope::Scene)?;
        self.open_rule("phb.7", "tower", "SESSION")?;
        // The table goes on another evening, in the same scene.
        self.append(EntryKind::State, json!({ "session_id": "s3" }))?;
        self.recall("x-rhyme", "ben", Some(13), RecallScope::Scene)?;
        self.open_rule("dmg.11", "tower", "SCENE")?;
        self.recall("k-name", "ana", Some(3), RecallScope::Scene)?;
        let revision =
            json!({ "name": "llm", "from": "model-1", "to": "model-2", "reason": "better" });
        self.append(EntryKind::Revision, revision)?;
        self.show_outputs(&["ana", "ben"]);
        Ok(())
    }
}
