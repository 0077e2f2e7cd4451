//! `axilog memory history`: what became of a fact.

use std::path::PathBuf;

use axilog_memory::{
    CompactionOfFact, EntryKind, FactEvent, FactHistory, FactState, Handle, MemoryReader,
};
use serde::Serialize;
use serde_json::Value;

use super::options::{ExpectedHead, HandleArgument};
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Show what became of a fact: who told it and when, who retracted it and why, and what points to it.
///
/// It is for who leads the game: it shows masked facts, and facts that were retracted, but no locked string.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// The fact, or one of its details.
    handle: HandleArgument,
    #[command(flatten)]
    expected: ExpectedHead,
}

/// What became of a fact.
#[derive(Serialize)]
struct HistoryResult {
    ok: bool,
    fact_id: Handle,
    state: FactState,
    /// The fact as it was told, with `[locked]` for locked strings.
    fact: Value,
    details: Vec<DetailName>,
    /// The entries that changed what is told of it, in order.
    history: Vec<HistoryEntry>,
    compactions: Vec<NamedCompaction>,
    pointed_by: Vec<String>,
}

/// A detail of the fact.
#[derive(Serialize)]
struct DetailName {
    name: String,
    detail_handle: Handle,
}

/// An entry that changed what is told of the fact.
#[derive(Serialize)]
struct HistoryEntry {
    seq: u64,
    id: EntryKind,
    campaign_id: String,
    session_id: String,
    scene_id: Option<String>,
    source: String,
    refs: Vec<String>,
    reason: Option<String>,
}

/// A compaction that is made of the fact.
#[derive(Serialize)]
pub(super) struct NamedCompaction {
    compaction_id: Handle,
    purpose: String,
}

pub(super) fn name_compactions(compactions: &[CompactionOfFact]) -> Vec<NamedCompaction> {
    let named = compactions.iter().map(|compaction| NamedCompaction {
        compaction_id: compaction.compaction_id,
        purpose: compaction.purpose.clone(),
    });
    named.collect()
}

/// The rows that say what points to a fact.
pub(super) fn list_pointers(history: &FactHistory) -> Vec<(&'static str, String)> {
    let note = match history.state {
        FactState::Told => "",
        FactState::Retracted => ", shown to nobody any more",
    };
    let mut rows = Vec::new();
    for CompactionOfFact {
        compaction_id,
        purpose,
    } in &history.compactions
    {
        rows.push(("compaction", compaction_id.to_string()));
        rows.push(("", format!("{purpose}{note}")));
    }
    if !history.pointed_by.is_empty() {
        rows.push(("pointed to by", history.pointed_by.join(", ")));
    }
    rows
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let reader = MemoryReader::open(&args.db)?;
    args.expected.assert(&reader)?;
    let history = reader.fact_history(args.handle.0)?;
    let member = |name: &str| history.body.get(name).unwrap_or(&Value::Null);
    let mut rows = vec![
        ("fact", history.fact_id.to_string()),
        ("state", history.state.to_string()),
    ];
    for (label, name) in [
        ("kind", "kind"),
        ("stable_key", "stable_key"),
        ("gist", "gist"),
        ("payload", "payload"),
    ] {
        match member(name) {
            Value::Null => {}
            Value::String(text) => rows.push((label, text.clone())),
            other => rows.push((label, other.to_string())),
        }
    }
    // A locked string that reaches over several members takes the whole body with it.
    if let Value::String(text) = &history.body {
        rows.push(("body", text.clone()));
    }
    for (name, handle) in &history.details {
        rows.push(("  detail", handle.to_string()));
        rows.push(("", name.clone()));
    }
    for event in &history.events {
        rows.extend(describe_event(event));
    }
    rows.extend(list_pointers(&history));
    let text = table::format_pairs(&rows);
    let details = history.details.iter();
    let result = HistoryResult {
        ok: true,
        fact_id: history.fact_id,
        state: history.state,
        fact: history.body.clone(),
        details: details
            .map(|(name, handle)| DetailName {
                name: name.clone(),
                detail_handle: *handle,
            })
            .collect(),
        compactions: name_compactions(&history.compactions),
        pointed_by: history.pointed_by,
        history: history.events.into_iter().map(to_entry).collect(),
    };
    Ok(Report::new(true, text, &result))
}

fn to_entry(event: FactEvent) -> HistoryEntry {
    HistoryEntry {
        seq: event.seq,
        id: event.kind,
        campaign_id: event.campaign_id,
        session_id: event.session_id,
        scene_id: event.scene_id,
        source: event.source,
        refs: event.refs,
        reason: event.reason,
    }
}

/// The rows of an entry: what happened when, who said so, and why.
fn describe_event(event: &FactEvent) -> Vec<(&'static str, String)> {
    let scene = match &event.scene_id {
        Some(scene) => format!("scene {scene}"),
        None => "no scene".to_owned(),
    };
    let (campaign, session) = (&event.campaign_id, &event.session_id);
    let when = format!(
        "entry {}, campaign {campaign}, session {session}, {scene}",
        event.seq
    );
    let said = match event.refs.is_empty() {
        true => event.source.clone(),
        false => format!("{} ({})", event.source, event.refs.join(", ")),
    };
    let what = match event.kind {
        EntryKind::Retraction => "retracted",
        _ => "told",
    };
    let mut rows = vec![(what, when), ("  by", said)];
    if let Some(reason) = &event.reason {
        rows.push(("  why", reason.clone()));
    }
    rows
}
