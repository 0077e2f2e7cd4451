//! A memory in a directory that goes away.

use std::path::PathBuf;

use axilog::hash::{chain, commit};
use axilog_memory::{
    Appended, Audience, Canonical, Handle, Id, Lens, MaskMatrix, MemoryError, Opening, OutputClass,
    Query, Recall, RecallScope, Request, Roll, Store, detail_handle,
};
use serde_json::{Value, json};
use tempfile::TempDir;

pub struct World {
    pub store: Store,
    pub path: PathBuf,
    pub directory: TempDir,
}

pub fn opening() -> Opening {
    Opening {
        world_id: "arden".into(),
        campaign_id: "c1".into(),
        session_id: "s1".into(),
        matrix: MaskMatrix::players().unwrap(),
        pins: vec![("llm".into(), "model-1".into())],
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
pub fn plain(key: &str, payload: Value) -> Value {
    json!({
        "kind": "LOCATION",
        "stable_key": key,
        "payload": payload,
        "provenance": { "source": "generator", "refs": [] },
        "visibility_mask": "PUBLIC",
        "precision_tag": "UNLOCKED",
    })
}

pub fn query(class: OutputClass, viewers: &[&str], budget: u64) -> Query {
    Query {
        audience: Audience::new(class, viewers).unwrap(),
        kinds: Vec::new(),
        purposes: Vec::new(),
        budget,
    }
}

impl World {
    pub fn new() -> World {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("memory.db");
        let store = Store::init(&path, &opening()).unwrap();
        World {
            store,
            path,
            directory,
        }
    }

    pub fn lens(&self) -> &Lens {
        self.store.lens()
    }

    pub fn append(&mut self, id: Id, body: Value) -> Appended {
        self.store.append(id, body).unwrap()
    }

    pub fn refused(&mut self, id: Id, body: Value) -> MemoryError {
        let before = self.lens().head().unwrap();
        let error = self.store.append(id, body).unwrap_err();
        assert_eq!(self.lens().head().unwrap(), before, "{error}");
        error
    }

    /// The fact, and its first detail if it has one.
    pub fn fact(&mut self, body: Value) -> (Handle, Handle) {
        let name = body["details"][0]["name"]
            .as_str()
            .unwrap_or("none")
            .to_owned();
        let fact = self.append(Id::Fact, body).handle.unwrap();
        (fact, detail_handle(fact, &name))
    }

    pub fn scene(&mut self, scene: &str) {
        self.append(Id::SceneStart, json!({ "scene_id": scene }));
    }

    pub fn ask(&mut self, detail: &str, roll: Option<bool>, scope: RecallScope) -> Recall {
        let roll = roll.map(|success| Roll {
            roller: "ana".into(),
            skill: "lore".into(),
            dc: 12,
            roll: if success { 17 } else { 4 },
            success,
        });
        self.store
            .recall(&Request {
                detail: detail.to_owned(),
                requester: "ana".into(),
                others: Vec::new(),
                roll,
                scope,
            })
            .unwrap()
    }

    /// The ids of the log from an entry on.
    pub fn ids(&self, from: u64) -> Vec<Id> {
        let mut ids = Vec::new();
        self.lens()
            .each_entry(&mut |entry| {
                if entry.seq >= from {
                    ids.push(entry.id);
                }
                Ok(())
            })
            .unwrap();
        ids
    }

    /// The database as another program might meddle with it.
    pub fn meddle(&self, change: &str) {
        let conn = rusqlite::Connection::open(&self.path).unwrap();
        conn.execute_batch(change).unwrap();
    }

    /// Puts an entry into the log that no rule was asked about, its chain value right.
    pub fn forge(&self, id: Id, body: Value) {
        let head = self.lens().head().unwrap();
        let body = Canonical::of("a body", body).unwrap();
        let seq = head.seq + 1;
        let entry = format!("{{\"body\":{},\"id\":\"{id}\",\"seq\":{seq}}}", body.text());
        let link = chain(
            head.chain.as_ref(),
            &commit(b"AX:MEMORY:v1", entry.as_bytes()),
        );
        rusqlite::Connection::open(&self.path)
            .unwrap()
            .execute(
                "INSERT INTO log (seq, id, body, chain) VALUES (?1, ?2, ?3, ?4)",
                rusqlite::params![seq, id.as_str(), body.bytes(), link],
            )
            .unwrap();
    }
}
