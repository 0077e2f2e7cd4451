//! `axilog memory show`: shows a memory, without locked strings.

use std::borrow::Cow;
use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_memory::{EntryKind, LogEntry, MemoryReader, Mode, StoryState};
use serde::Serialize;
use serde_json::{Map, Value};

use super::options::ExpectedHead;
use crate::Failure;
use crate::output::table;
use crate::output::{Report, to_json};

/// Show a memory: where the story stands, the pins, and with --log the log.
///
/// The output is for whoever leads the game: it shows masked facts, but every locked exact string as
/// [locked].
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// Show the entries of the log too.
    #[arg(long)]
    log: bool,
    /// The first entry to show.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "log")]
    from: u64,
    /// How many entries to show at most.
    #[arg(long, value_name = "N", default_value_t = 50, requires = "log")]
    count: u64,
    #[command(flatten)]
    expected: ExpectedHead,
}

/// A memory. Its locked strings are `[locked]`.
#[derive(Serialize)]
struct ShowResult<'a> {
    ok: bool,
    /// The database, as it was given.
    memory: Cow<'a, str>,
    /// How many entries its log has.
    entries: u64,
    /// The chain value of the last one.
    head: Option<String>,
    /// A [`Story`].
    story: Value,
    /// The pins, by name.
    pins: Value,
    /// The entries, where they were asked for.
    log: Option<Vec<ShownEntry>>,
}

/// Where the story stands.
#[derive(Serialize)]
struct Story<'a> {
    world_id: &'a str,
    campaign_id: &'a str,
    session_id: &'a str,
    scene_id: Option<&'a str>,
    mode: Mode,
    /// The other pointers, by name.
    others: Map<String, Value>,
}

/// An entry of the log.
#[derive(Serialize)]
struct ShownEntry {
    seq: u64,
    id: EntryKind,
    body: Value,
}

impl Story<'_> {
    fn new(state: &StoryState) -> Story<'_> {
        Story {
            world_id: &state.world_id,
            campaign_id: &state.campaign_id,
            session_id: &state.session_id,
            scene_id: state.scene.as_ref().map(|scene| &*scene.id),
            mode: state.mode,
            others: state.others.iter().cloned().collect(),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let reader = MemoryReader::open(&args.db)?;
    args.expected.assert(&reader)?;
    let (state, head) = (reader.story_state()?, reader.head()?);
    let redact = |value: Value| reader.redact(&value);
    let mut rows = vec![
        ("memory", args.db.display().to_string()),
        ("entries", head.seq.to_string()),
        ("head", head.chain.as_ref().map(hex).unwrap_or_default()),
    ];
    let story = redact(to_json(&Story::new(&state)))?;
    for (label, name) in [
        ("world", "world_id"),
        ("campaign", "campaign_id"),
        ("session", "session_id"),
        ("scene", "scene_id"),
        ("mode", "mode"),
    ] {
        rows.push((
            label,
            to_plain_text(story.get(name).unwrap_or(&Value::Null)),
        ));
    }
    let pins: Map<String, Value> = reader
        .pins()?
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    let pins = redact(Value::Object(pins))?;
    for (name, value) in pins.as_object().into_iter().flatten() {
        rows.push(("pin", format!("{name} {}", to_plain_text(value))));
    }
    let mut text = table::format_pairs(&rows);
    let mut entries = Vec::new();
    if args.log {
        let mut selected: Vec<LogEntry> = Vec::new();
        reader.for_each_entry(&mut |entry| {
            if entry.seq >= args.from && entry.seq - args.from < args.count {
                selected.push(entry);
            }
            Ok(())
        })?;
        let mut lines = Vec::new();
        for entry in selected {
            let body = redact(entry.body)?;
            lines.push([
                entry.seq.to_string(),
                entry.kind.to_string(),
                body.to_string(),
            ]);
            entries.push(ShownEntry {
                seq: entry.seq,
                id: entry.kind,
                body,
            });
        }
        text.push('\n');
        text.push_str(&table::format_grid(
            ["entry", "id", "body"],
            [8, 11, 61],
            &lines,
        ));
    }
    let result = ShowResult {
        ok: true,
        memory: args.db.to_string_lossy(),
        entries: head.seq,
        head: head.chain.as_ref().map(hex),
        story,
        pins,
        log: args.log.then_some(entries),
    };
    Ok(Report::new(true, text, &result))
}

/// The text of a value, without quotes.
fn to_plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}
