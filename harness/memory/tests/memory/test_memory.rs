//! A memory in a temporary directory.

use std::path::PathBuf;

use axilog::hash::{chain, commit};
use axilog_memory::{
    AppendReceipt, Audience, CanonicalJson, DiceRoll, EntryKind, Handle, InitialState, MemoryError,
    MemoryReader, MemoryStore, OutputClass, Recall, RecallRequest, RecallScope, WorkingSetQuery,
    detail_handle,
};
use serde_json::{Value, json};
use tempfile::TempDir;

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

    pub fn recall(&mut self, detail: &str, roll: Option<bool>, scope: RecallScope) -> Recall {
        let roll = roll.map(|success| DiceRoll {
            roller: "ana".into(),
            skill: "lore".into(),
            dc: 12,
            rolled: if success { 17 } else { 4 },
            success,
        });
        self.store
            .recall(&RecallRequest {
                handle: detail.to_owned(),
                requester: "ana".into(),
                listeners: Vec::new(),
                roll,
                scope,
            })
            .unwrap()
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
