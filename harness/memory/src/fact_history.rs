//! What became of a fact: who told it, who retracted it, and what points to it. It is for who leads the game.

use rusqlite::params;
use serde_json::Value;

use crate::bodies::RetractionBody;
use crate::compaction::read_inputs;
use crate::document::read_document;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::fact::{Fact, read_fact_body};
use crate::handle::Handle;
use crate::log::LogEntry;
use crate::reader::MemoryReader;
use crate::words::words;

words! {
    /// Whether a fact is still told.
    pub enum FactState {
        /// Those may be told the fact who may see it.
        Told = "TOLD",
        /// A RETRACTION names it: nobody is told the fact.
        Retracted = "RETRACTED",
    }
}

/// An entry of the log that changed what is told of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactEvent {
    /// FACT or RETRACTION.
    pub kind: EntryKind,
    /// The number of the entry.
    pub seq: u64,
    /// The campaign, session and scene that were on.
    pub campaign_id: String,
    /// The session.
    pub session_id: String,
    /// The scene, where one was on.
    pub scene_id: Option<String>,
    /// Who said so. Locked strings are `[locked]`.
    pub source: String,
    /// What that rests on.
    pub refs: Vec<String>,
    /// Why, where the entry says it.
    pub reason: Option<String>,
}

/// A compaction that is made of a fact, among others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionOfFact {
    /// The id of the compaction.
    pub compaction_id: Handle,
    /// What it is for.
    pub purpose: String,
}

/// What became of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactHistory {
    /// The fact.
    pub fact_id: Handle,
    /// Whether it is still told.
    pub state: FactState,
    /// The fact as it was told. Locked strings are `[locked]`, and those of a fact that was retracted are locked for good.
    pub body: Value,
    /// The details, without their strings: name and handle.
    pub details: Vec<(String, Handle)>,
    /// The entries that changed what is told of it, in order.
    pub events: Vec<FactEvent>,
    /// The compactions made of it. One of a fact that was retracted is shown to nobody.
    pub compactions: Vec<CompactionOfFact>,
    /// The scene that is on and the threads that name the fact, by its handle, its `stable_key` or a tag.
    pub pointed_by: Vec<String>,
}

/// The campaign, session and scene that are on, as the log is read.
#[derive(Default)]
struct StoryPlace {
    campaign: String,
    session: String,
    scene: Option<String>,
}

impl StoryPlace {
    fn take(&mut self, entry: &LogEntry) {
        let text = |member: &str| {
            let text = entry.body.get(member).and_then(Value::as_str);
            text.map(str::to_owned)
        };
        match entry.kind {
            EntryKind::State => {
                self.campaign = text("campaign_id").unwrap_or(std::mem::take(&mut self.campaign));
                self.session = text("session_id").unwrap_or(std::mem::take(&mut self.session));
            }
            EntryKind::SceneStart => self.scene = text("scene_id"),
            EntryKind::SceneEnd => self.scene = None,
            _ => {}
        }
    }
}

impl MemoryReader {
    /// Reads what became of the fact of a handle, which is the fact's own or that of one of its details. The chain of the
    /// log is checked on the way.
    ///
    /// # Errors
    /// [`MemoryError::NoFact`] for a handle that no fact and no detail has; [`MemoryError::Damaged`],
    /// [`MemoryError::Sqlite`].
    pub fn fact_history(&self, handle: Handle) -> Result<FactHistory> {
        self.read_at_once(|| {
            let fact_id = self.find_fact(handle)?.ok_or_else(|| MemoryError::NoFact {
                path: self.path().to_owned(),
                handle,
            })?;
            let (told_by, fact) = self.read_fact(fact_id)?;
            let events = self.list_events(told_by, &fact)?;
            let details = fact.details().iter();
            let details =
                details.map(|detail| Ok((self.redact_text(&detail.name)?, detail.handle)));
            let is_retracted = events
                .iter()
                .any(|event| event.kind == EntryKind::Retraction);
            Ok(FactHistory {
                fact_id,
                state: match is_retracted {
                    true => FactState::Retracted,
                    false => FactState::Told,
                },
                body: self.redact(fact.canonical().value())?,
                details: details.collect::<Result<_>>()?,
                events,
                compactions: self.list_compactions_of(fact_id)?,
                pointed_by: self.list_names_of(&fact)?,
            })
        })
    }

    fn redact_text(&self, text: &str) -> Result<String> {
        let text = self.redact(&Value::from(text))?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Reads a fact, and the entry that told it.
    fn read_fact(&self, fact: Handle) -> Result<(u64, Fact)> {
        let seq: u64 = self
            .conn
            .prepare_cached("SELECT seq FROM fact WHERE fact = ?1")
            .and_then(|mut find| find.query_row([fact], |row| row.get(0)))
            .map_err(self.read_error())?;
        let body = read_fact_body(&self.conn, fact, seq)
            .map_err(|error| error.into_memory_error(self.read_error()))?;
        Ok((seq, Fact::from_body(body)?))
    }

    /// Lists the entries that told the fact and retracted it.
    fn list_events(&self, told_by: u64, fact: &Fact) -> Result<Vec<FactEvent>> {
        let (mut place, mut events) = (StoryPlace::default(), Vec::new());
        self.for_each_entry(&mut |entry| {
            place.take(&entry);
            let (provenance, reason) = match entry.kind {
                EntryKind::Fact if entry.seq == told_by => (fact.body.provenance.clone(), None),
                EntryKind::Retraction => {
                    let body: RetractionBody = read_document(entry.kind.as_str(), &entry.body)?;
                    if body.fact_id != fact.id() {
                        return Ok(());
                    }
                    (body.provenance, Some(body.reason.0))
                }
                _ => return Ok(()),
            };
            let refs = provenance.refs.iter();
            events.push(FactEvent {
                kind: entry.kind,
                seq: entry.seq,
                campaign_id: place.campaign.clone(),
                session_id: place.session.clone(),
                scene_id: place.scene.clone(),
                source: self.redact_text(&provenance.source)?,
                refs: refs
                    .map(|text| self.redact_text(text))
                    .collect::<Result<_>>()?,
                reason: reason.map(|text| self.redact_text(&text)).transpose()?,
            });
            Ok(())
        })?;
        Ok(events)
    }

    fn list_compactions_of(&self, fact: Handle) -> Result<Vec<CompactionOfFact>> {
        let read = || {
            let mut all = self.conn.prepare(
                "SELECT compaction, purpose, seq FROM compaction ORDER BY purpose, compaction",
            )?;
            let mut rows = all.query(params![])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                if read_inputs(&self.conn, row.get(2)?)?.contains(&fact) {
                    found.push(CompactionOfFact {
                        compaction_id: row.get(0)?,
                        purpose: row.get(1)?,
                    });
                }
            }
            Ok(found)
        };
        let mut found: Vec<CompactionOfFact> = read().map_err(self.read_error())?;
        for compaction in &mut found {
            compaction.purpose = self.redact_text(&compaction.purpose)?;
        }
        Ok(found)
    }

    /// Lists the scene that is on and the threads that point to the fact.
    fn list_names_of(&self, fact: &Fact) -> Result<Vec<String>> {
        let state = self.story_state()?;
        let threads = state.others.iter().filter(|(name, _)| name == "threads");
        let threads = threads.filter_map(|(_, names)| names.as_array()).flatten();
        let scene = state.scene.iter().map(|scene| &*scene.id);
        let names = scene.chain(threads.filter_map(Value::as_str));
        let tags = fact.body.tags.as_deref().unwrap_or_default();
        let points = |name: &&str| {
            *name == &*fact.body.stable_key
                || Handle::parse(name) == Some(fact.id())
                || tags.iter().any(|tag| &**tag == *name)
        };
        names
            .filter(points)
            .map(|name| self.redact_text(name))
            .collect()
    }
}
