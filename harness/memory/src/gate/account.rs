//! The gates' own account of what the log says: who may see what, what is unlocked, where the story stands. It
//! shares no rule with the tables that the memory derives.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rusqlite::params;
use serde_json::Value;

use super::plain_search::{PlainSearch, SearchedString};
use crate::canonical::CanonicalJson;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::log::LogEntry;
use crate::reader::MemoryReader;

/// A fact, as far as the gates keep it in mind.
#[derive(Clone, Debug)]
pub(super) struct FactRecord {
    pub(super) seq: u64,
    pub(super) kind: String,
    /// The word of the mask, or PLAYER.
    pub(super) mask: String,
    /// The players that the mask names.
    pub(super) players: Vec<String>,
    pub(super) locked: bool,
    /// The handles of the details, in their order.
    pub(super) details: Vec<Handle>,
    pub(super) tags: Vec<String>,
    /// The campaign that was played when it was told.
    pub(super) campaign: String,
    /// Whether it was retracted.
    pub(super) retracted: bool,
}

/// The scene that is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SceneRecord {
    pub(super) id: String,
    pub(super) seq: u64,
}

/// A compaction: its purpose, its id and what it is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CompactionRecord {
    pub(super) purpose: String,
    pub(super) id: Handle,
    pub(super) inputs: Vec<Handle>,
}

/// What the log says up to an entry.
#[derive(Default)]
pub(super) struct Account {
    /// The facts in the order of working sets.
    pub(super) facts: BTreeMap<(String, Handle), FactRecord>,
    keys: HashMap<Handle, String>,
    /// The fact of each handle of a fact or a detail.
    facts_of: HashMap<Handle, Handle>,
    pub(super) story: BTreeMap<String, Value>,
    pub(super) scene: Option<SceneRecord>,
    pub(super) pins: BTreeMap<String, String>,
    /// The masks that each output class may hold.
    matrix: HashMap<String, HashSet<String>>,
    pub(super) compactions: Vec<CompactionRecord>,
    /// The entry that began the session.
    pub(super) session_seq: u64,
    /// What is unlocked until the scene ends, until the session ends, and for good, each with its campaign.
    scene_unlocks: HashSet<(String, Handle)>,
    session_unlocks: HashSet<(String, Handle)>,
    notebooks: HashSet<(String, Handle)>,
    /// The rules that were opened until the scene ends, and until the session ends, each with its campaign.
    scene_rules: BTreeSet<(String, String)>,
    session_rules: BTreeSet<(String, String)>,
    /// How many outputs were shown to a model's side.
    pub(super) shown: u64,
    /// What a recall told exactly, with the campaign.
    told: HashSet<(String, Handle)>,
}

/// A member of an entry's body as text.
pub(super) fn text_of<'a>(body: &'a Value, member: &str) -> &'a str {
    body.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// A member of an entry's body as a handle.
pub(super) fn handle_of(body: &Value, member: &str) -> Option<Handle> {
    body.get(member)
        .and_then(Value::as_str)
        .and_then(Handle::parse)
}

/// The handles in an array of an entry's body.
pub(super) fn handles_of(body: &Value, member: &str) -> Vec<Handle> {
    let items = body.get(member).and_then(Value::as_array);
    let handles = items.into_iter().flatten().filter_map(Value::as_str);
    handles.filter_map(Handle::parse).collect()
}

/// Hashes a value that the gates put together.
pub(super) fn hash_value(value: Value) -> Result<Handle> {
    Ok(CanonicalJson::from_value("a value of the gates", value)?.handle())
}

impl Account {
    /// Reads the whole log, whose chain is checked on the way.
    pub(super) fn read(reader: &MemoryReader) -> Result<Account> {
        let mut account = Account::default();
        reader.for_each_entry(&mut |entry| account.take(&entry))?;
        Ok(account)
    }

    /// Takes an entry into the account.
    pub(super) fn take(&mut self, entry: &LogEntry) -> Result<()> {
        let body = &entry.body;
        match entry.kind {
            EntryKind::Fact => self.take_fact(entry.seq, body)?,
            EntryKind::Retraction => self.take_retraction(body),
            EntryKind::State => {
                let members = body.as_object().into_iter().flatten();
                for (name, value) in members {
                    self.story.insert(name.clone(), value.clone());
                }
                if body.get("session_id").is_some() {
                    self.session_seq = entry.seq;
                    self.session_unlocks.clear();
                    self.scene_unlocks.clear();
                    self.session_rules.clear();
                    self.scene_rules.clear();
                }
            }
            EntryKind::ModeChanged => {
                let mode = body.get("mode").cloned().unwrap_or_default();
                self.story.insert("mode".to_owned(), mode);
            }
            EntryKind::ReadingSpot => {
                let spot = body.get("setting").cloned().unwrap_or_default();
                self.story.insert("reading_spot".to_owned(), spot);
            }
            EntryKind::SceneStart => {
                self.scene = Some(SceneRecord {
                    id: text_of(body, "scene_id").to_owned(),
                    seq: entry.seq,
                });
                self.scene_unlocks.clear();
                self.scene_rules.clear();
            }
            EntryKind::SceneEnd => {
                self.scene = None;
                self.scene_unlocks.clear();
                self.scene_rules.clear();
            }
            EntryKind::RuleRefOpened => {
                let rule = (
                    self.campaign().to_owned(),
                    text_of(body, "rule_ref").to_owned(),
                );
                match text_of(body, "unlock_scope") {
                    "SCENE" => self.scene_rules.insert(rule),
                    _ => self.session_rules.insert(rule),
                };
            }
            EntryKind::Pin => self.take_pin(body, "value"),
            EntryKind::Revision => self.take_pin(body, "to"),
            EntryKind::Compaction => {
                let inputs = handles_of(body, "input_handles");
                let policy = body.get("compaction_policy_id").cloned();
                let identity =
                    serde_json::json!({ "compaction_policy_id": policy, "input_handles": inputs });
                let record = CompactionRecord {
                    purpose: text_of(body, "purpose").to_owned(),
                    id: hash_value(identity)?,
                    inputs,
                };
                if let Err(at) = self.compactions.binary_search(&record) {
                    self.compactions.insert(at, record);
                }
            }
            EntryKind::RecallResult => {
                let campaign = self.campaign().to_owned();
                let handle = handle_of(body, "detail_handle").map(|handle| (campaign, handle));
                if text_of(body, "outcome") == "EXACT" {
                    self.told.extend(handle.clone());
                }
                match text_of(body, "unlock_scope") {
                    "SCENE" => self.scene_unlocks.extend(handle),
                    "SESSION" => self.session_unlocks.extend(handle),
                    _ => {}
                }
            }
            EntryKind::Shown => self.shown += 1,
            EntryKind::NotebookApplied => {
                let campaign = self.campaign().to_owned();
                let handles = handles_of(body, "content_handles").into_iter();
                self.notebooks
                    .extend(handles.map(|handle| (campaign.clone(), handle)));
            }
            _ => {}
        }
        Ok(())
    }

    fn take_fact(&mut self, seq: u64, body: &Value) -> Result<()> {
        let id = hash_value(body.clone())?;
        let mask = body.get("visibility_mask");
        let players = mask
            .and_then(|mask| mask.get("PLAYER"))
            .and_then(Value::as_array);
        let mut details = Vec::new();
        for detail in body
            .get("details")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let identity = serde_json::json!({ "fact_id": id, "name": text_of(detail, "name") });
            let handle = hash_value(identity)?;
            self.facts_of.insert(handle, id);
            details.push(handle);
        }
        self.facts_of.insert(id, id);
        let key = text_of(body, "stable_key").to_owned();
        self.keys.insert(id, key.clone());
        let names = players.into_iter().flatten().filter_map(Value::as_str);
        let tags = body.get("tags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_str);
        let record = FactRecord {
            seq,
            kind: text_of(body, "kind").to_owned(),
            mask: mask.and_then(Value::as_str).unwrap_or("PLAYER").to_owned(),
            players: names.map(str::to_owned).collect(),
            locked: text_of(body, "precision_tag") != "UNLOCKED",
            details,
            tags: tags.map(str::to_owned).collect(),
            campaign: self.campaign().to_owned(),
            retracted: false,
        };
        self.facts.insert((key, id), record);
        Ok(())
    }

    fn take_retraction(&mut self, body: &Value) {
        let Some(id) = handle_of(body, "fact_id") else {
            return;
        };
        let key = self.keys.get(&id).cloned().unwrap_or_default();
        if let Some(fact) = self.facts.get_mut(&(key, id)) {
            fact.retracted = true;
        }
    }

    fn take_pin(&mut self, body: &Value, member: &str) {
        let (name, value) = (text_of(body, "name"), text_of(body, member));
        self.pins.insert(name.to_owned(), value.to_owned());
        let rows = body.get("document").and_then(Value::as_object);
        if let ("mask_matrix", Some(rows)) = (name, rows) {
            let words = |row: &Value| {
                let words = row
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str);
                words.map(str::to_owned).collect()
            };
            let rows = rows.iter().map(|(class, row)| (class.clone(), words(row)));
            self.matrix = rows.collect();
        }
    }

    /// The campaign that is played.
    pub(super) fn campaign(&self) -> &str {
        self.story
            .get("campaign_id")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Whether the contract of events has EV-021.
    pub(super) fn may_open_rules(&self) -> bool {
        let contract = self.pins.get("event_contract");
        contract.is_some_and(|contract| contract == "gt-12+ev-021")
    }

    /// The rules that are open, in the order of their names.
    pub(super) fn opened_rules(&self) -> BTreeSet<&str> {
        let all = self.scene_rules.iter().chain(&self.session_rules);
        let here = all.filter(|(campaign, _)| campaign == self.campaign());
        here.map(|(_, rule)| rule.as_str()).collect()
    }

    /// The `stable_key` of a fact.
    pub(super) fn key_of(&self, fact: Handle) -> Option<&str> {
        self.keys.get(&fact).map(String::as_str)
    }

    /// The fact of a handle, which is the fact's own or that of one of its details.
    pub(super) fn find_fact(&self, handle: Handle) -> Option<(Handle, &FactRecord)> {
        let fact = *self.facts_of.get(&handle)?;
        let key = self.keys.get(&fact)?;
        Some((fact, self.facts.get(&(key.clone(), fact))?))
    }

    /// Whether an output of `class` that `viewers` will see may hold the fact of `handle`.
    pub(super) fn may_see(&self, class: &str, viewers: &[String], handle: Handle) -> bool {
        self.find_fact(handle)
            .is_some_and(|(_, fact)| self.may_see_fact(class, viewers, fact))
    }

    pub(super) fn may_see_fact(&self, class: &str, viewers: &[String], fact: &FactRecord) -> bool {
        let allowed = self
            .matrix
            .get(class)
            .is_some_and(|row| row.contains(&fact.mask));
        let is_named = |viewer: &String| fact.players.contains(viewer);
        !fact.retracted
            && allowed
            && (fact.mask != "PLAYER" || !viewers.is_empty() && viewers.iter().all(is_named))
    }

    /// Whether the fact of a handle was retracted.
    pub(super) fn is_retracted(&self, handle: Handle) -> bool {
        self.find_fact(handle)
            .is_some_and(|(_, fact)| fact.retracted)
    }

    /// Whether the handle of a fact or a detail may be told exactly to whoever may see the fact.
    pub(super) fn is_open(&self, handle: Handle) -> bool {
        let is_unlocked = |handle: Handle| {
            let key = (self.campaign().to_owned(), handle);
            let unlocks = [&self.scene_unlocks, &self.session_unlocks, &self.notebooks];
            unlocks.iter().any(|unlocks| unlocks.contains(&key))
        };
        self.find_fact(handle)
            .filter(|(_, fact)| !fact.retracted)
            .is_some_and(|(id, fact)| !fact.locked || is_unlocked(id) || is_unlocked(handle))
    }

    /// Whether somebody at the table knows the exact content of a handle: a recall told it or its fact in this
    /// campaign, or the fact is not locked.
    pub(super) fn is_learned(&self, handle: Handle) -> bool {
        let is_told = |handle: Handle| self.told.contains(&(self.campaign().to_owned(), handle));
        self.find_fact(handle)
            .is_some_and(|(id, fact)| !fact.locked || is_told(id) || is_told(handle))
    }

    /// Reads the body of an entry.
    pub(super) fn read_body(reader: &MemoryReader, seq: u64) -> Result<Value> {
        let read = || {
            let mut find = reader
                .conn
                .prepare_cached("SELECT body FROM log WHERE seq = ?1")?;
            find.query_row(params![seq], |row| row.get::<_, Vec<u8>>(0))
        };
        let bytes = read().map_err(reader.read_error())?;
        let unread = |error: serde_json::Error| {
            MemoryError::document(format!("entry {seq}"), "$", error.to_string())
        };
        serde_json::from_slice(&bytes).map_err(unread)
    }

    /// The exact strings of all facts, to be sought in outputs.
    pub(super) fn read_strings(&self, reader: &MemoryReader) -> Result<PlainSearch> {
        let mut search = PlainSearch::default();
        for ((_, fact), record) in &self.facts {
            if record.details.is_empty() {
                continue;
            }
            let body = Account::read_body(reader, record.seq)?;
            let details = body.get("details").and_then(Value::as_array);
            for (detail, handle) in details.into_iter().flatten().zip(&record.details) {
                search.add(SearchedString {
                    handle: *handle,
                    fact: *fact,
                    exact: text_of(detail, "exact").to_owned(),
                    is_literal: text_of(&body, "guard") == "exact",
                });
            }
        }
        Ok(search)
    }
}
