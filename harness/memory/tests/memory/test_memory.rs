//! A memory in a temporary directory.

use std::path::PathBuf;

use axilog::hash::{chain, commit};
use axilog_memory::gate::GateInputs;
use axilog_memory::{
    AppendReceipt, Audience, CanonicalJson, ConsentScope, DiceRoll, EntryKind, Handle,
    InitialState, MachinePins, MemoryError, MemoryReader, MemoryStore, NotebookRequest,
    OutputClass, Recall, RecallRequest, RecallScope, Result, WorkingSetQuery, detail_handle,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::digests::keep_digests;

pub struct TestMemory {
    pub store: MemoryStore,
    pub path: PathBuf,
    pub directory: TempDir,
}

pub fn initial_state() -> InitialState {
    InitialState {
        pins: vec![("llm".into(), "model-1".into())],
        ..InitialState::new("arden", "c1", "s1").unwrap()
    }
}

/// What the machine has of what the tests pin.
pub fn machine_pins() -> MachinePins {
    MachinePins {
        values: vec![("llm".into(), "model-1".into())],
        absent: Vec::new(),
    }
}

/// What the gates need where the machine is that of [`machine_pins`].
pub fn gate_inputs() -> GateInputs {
    GateInputs {
        pins: machine_pins(),
        ..GateInputs::default()
    }
}

/// A LOCKED public fact with one exact string.
pub fn clue(key: &str, exact: &str) -> Value {
    json!({
        "kind": "CLUE",
        "stable_key": key,
        "payload": { "text": format!("It reads {exact}.") },
        "provenance": { "source": "generator", "refs": ["spec-1"] },
        "visibility_mask": "PUBLIC",
        "gist": "Something is written there.",
        "details": [{ "name": "words", "exact": exact }],
    })
}

/// An UNLOCKED public fact.
pub fn open_fact(key: &str, payload: Value) -> Value {
    json!({
        "kind": "LOCATION",
        "stable_key": key,
        "payload": payload,
        "provenance": { "source": "generator", "refs": [] },
        "visibility_mask": "PUBLIC",
        "precision_tag": "UNLOCKED",
    })
}

pub fn query(class: OutputClass, viewers: &[&str], budget: u64) -> WorkingSetQuery {
    WorkingSetQuery::new(Audience::new(class, viewers).unwrap(), budget)
}

/// The body of a roleplay event that changes nothing.
pub fn playback(id: &str) -> Value {
    json!({ "playback_id": id, "cause_handle": null })
}

/// A request to ana, of the table's, until the session ends.
pub fn notebook_request(id: &str, content: &[Handle]) -> NotebookRequest {
    NotebookRequest {
        id: id.to_owned(),
        requester: "table".to_owned(),
        player: "ana".to_owned(),
        content: content.to_vec(),
        scope: ConsentScope::Session,
        revealed_by_dm: false,
    }
}

impl TestMemory {
    pub fn new() -> TestMemory {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("memory.db");
        let store = MemoryStore::init(&path, &initial_state()).unwrap();
        TestMemory {
            store,
            path,
            directory,
        }
    }

    pub fn reader(&self) -> &MemoryReader {
        self.store.reader()
    }

    pub fn append(&mut self, kind: EntryKind, body: Value) -> AppendReceipt {
        self.store.append(kind, body).unwrap()
    }

    pub fn append_refused(&mut self, kind: EntryKind, body: Value) -> MemoryError {
        let before = self.reader().head().unwrap();
        let error = self.store.append(kind, body).unwrap_err();
        assert_eq!(self.reader().head().unwrap(), before, "{error}");
        error
    }

    /// Appends a fact; gives its handle and the handle of its first detail.
    pub fn append_fact(&mut self, body: Value) -> (Handle, Handle) {
        let name = body["details"][0]["name"]
            .as_str()
            .unwrap_or("none")
            .to_owned();
        let fact = self.append(EntryKind::Fact, body).handle.unwrap();
        (fact, detail_handle(fact, &name))
    }

    pub fn start_scene(&mut self, scene: &str) {
        self.append(EntryKind::SceneStart, json!({ "scene_id": scene }));
    }

    pub fn change_mode(&mut self, mode: &str) {
        let scene = self.reader().story_state().unwrap().scene;
        let scene = scene.map(|scene| scene.id.to_string());
        let body = json!({ "mode": mode, "scene_id": scene, "cause_handle": null });
        self.append(EntryKind::ModeChanged, body);
    }

    /// Asks for a string as ana, with a roll that succeeds or fails.
    pub fn recall(&mut self, detail: &str, roll: Option<bool>, scope: RecallScope) -> Recall {
        self.request("ana", detail, roll, scope)
    }

    /// Asks for a string as somebody, with a roll, until the scene ends.
    pub fn recall_as(&mut self, who: &str, detail: &str, success: bool) -> Recall {
        self.request(who, detail, Some(success), RecallScope::Scene)
    }

    fn request(
        &mut self,
        who: &str,
        detail: &str,
        roll: Option<bool>,
        scope: RecallScope,
    ) -> Recall {
        let roll = roll.map(|success| DiceRoll {
            roller: who.into(),
            skill: "lore".into(),
            dc: 12,
            rolled: if success { 17 } else { 4 },
            success,
        });
        self.store
            .recall(&RecallRequest {
                handle: detail.to_owned(),
                requester: who.into(),
                listeners: Vec::new(),
                roll,
                scope,
            })
            .unwrap()
    }

    /// Has a recall tell a locked string, in a scene of its own.
    pub fn learn(&mut self, detail: Handle) {
        let scene = json!({ "scene_id": "school" });
        self.append(EntryKind::SceneStart, scene.clone());
        let recall = self.recall(&detail.to_string(), Some(true), RecallScope::Scene);
        assert!(matches!(
            recall.answer,
            axilog_memory::RecallAnswer::Exact(_)
        ));
        self.append(EntryKind::SceneEnd, scene);
    }

    /// Asks ana for her consent to a notebook entry, until the session ends.
    pub fn ask(&mut self, request: &str, content: &[Handle]) -> Result<u64> {
        self.store
            .request_notebook_entry(&notebook_request(request, content))
    }

    /// Asks for a notebook entry, gets ana's consent, and records the entry.
    pub fn take_note(&mut self, request: &str, content: &[Handle]) -> u64 {
        self.ask(request, content).unwrap();
        let store = &mut self.store;
        store
            .answer_notebook_request(request, "ana", "grant")
            .unwrap();
        store.record_notebook_entry(request, content).unwrap()
    }

    /// Reads the body of an entry.
    pub fn body_of(&self, seq: u64) -> Value {
        let mut body = Value::Null;
        let mut visit = |entry: axilog_memory::LogEntry| {
            if entry.seq == seq {
                body = entry.body;
            }
            Ok(())
        };
        self.reader().for_each_entry(&mut visit).unwrap();
        body
    }

    /// Until when a handle is unlocked now.
    pub fn unlock_scope(&self, handle: Handle) -> Option<axilog_memory::UnlockScope> {
        let unlock = self.reader().find_unlock(handle).unwrap();
        unlock.map(|unlock| unlock.scope)
    }

    /// The kinds of the log's entries, from an entry on.
    pub fn kinds_from(&self, from: u64) -> Vec<EntryKind> {
        let mut kinds = Vec::new();
        self.reader()
            .for_each_entry(&mut |entry| {
                if entry.seq >= from {
                    kinds.push(entry.kind);
                }
                Ok(())
            })
            .unwrap();
        kinds
    }

    /// Changes the database as another program might.
    pub fn change_database(&self, change: &str) {
        let conn = rusqlite::Connection::open(&self.path).unwrap();
        conn.execute_batch(change).unwrap();
    }

    /// Changes the tables as a writer with a defect does: their digests are of what is in them.
    pub fn change_as_writer(&self, change: &str) {
        self.change_database(change);
        keep_digests(&self.path);
    }

    /// Makes the database like one of an earlier version: version 4 kept no digests, those before it no head.
    pub fn make_older(&self, version: i64) {
        self.change_database("DROP TABLE table_digest; DROP INDEX log_numbers");
        self.change_database(match version {
            4 => "CREATE UNIQUE INDEX log_chain ON log (chain)",
            _ => "DROP TRIGGER log_moves_head; DROP TABLE head",
        });
        self.change_database(&format!("PRAGMA user_version = {version}"));
    }

    /// Puts an entry into the log with the right chain value, past every rule.
    pub fn forge_entry(&self, kind: EntryKind, body: Value) {
        let head = self.reader().head().unwrap();
        let body = CanonicalJson::from_value("a body", body).unwrap();
        let seq = head.seq + 1;
        let entry = format!(
            "{{\"body\":{},\"id\":\"{kind}\",\"seq\":{seq}}}",
            body.text()
        );
        let link = chain(
            head.chain.as_ref(),
            &commit(b"AX:MEMORY:v1", entry.as_bytes()),
        );
        rusqlite::Connection::open(&self.path)
            .unwrap()
            .execute(
                "INSERT INTO log (seq, id, body, chain) VALUES (?1, ?2, ?3, ?4)",
                rusqlite::params![seq, kind.as_str(), body.bytes(), link],
            )
            .unwrap();
    }
}
