//! `axilog memory show`: shows a memory, without locked strings.

use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_memory::{LogEntry, MemoryReader};
use serde_json::{Value, json};

use super::options::ExpectedHead;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

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
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
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
    let story = redact(json!({
        "world_id": state.world_id,
        "campaign_id": state.campaign_id,
        "session_id": state.session_id,
        "scene_id": state.scene.as_ref().map(|scene| &scene.id),
        "mode": state.mode,
        "others": state.others.iter().cloned().collect::<serde_json::Map<_, _>>(),
    }))?;
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
    let pins: serde_json::Map<String, Value> = reader
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
            entries.push(json!({ "seq": entry.seq, "id": entry.kind, "body": body }));
        }
        text.push('\n');
        text.push_str(&table::format_grid(
            ["entry", "id", "body"],
            [8, 11, 61],
            &lines,
        ));
    }
    Ok(Report {
        passed: true,
        text,
        json: json!({
            "ok": true,
            "memory": args.db.to_string_lossy(),
            "entries": head.seq,
            "head": head.chain.as_ref().map(hex),
            "story": story,
            "pins": pins,
            "log": args.log.then_some(entries),
        }),
        notes: Vec::new(),
    })
}

/// The text of a value, without quotes.
fn to_plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}
