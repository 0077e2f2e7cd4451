//! `axilog memory shown`: lists what a model's side was shown.

use std::collections::VecDeque;
use std::path::PathBuf;

use axilog_ledger::visible_text::escape_deceptive_line;
use axilog_memory::{EntryKind, MemoryReader, ShownKind};
use serde::Serialize;
use serde_json::{Map, Value};

use super::options::ExpectedHead;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// List what a model's side was shown: each working set, prompt, checked narration and image brief, by its hash.
///
/// The list is for whoever leads the game. It has requests and narrations that passed, with every string in them that
/// is locked now as [locked]; of a narration that was refused it has the hash alone. `rebuild` and gate G1 make each output again
/// and compare.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// Outputs of this kind only; may be given several times.
    #[arg(long, value_name = "KIND")]
    kind: Vec<Kind>,
    /// How many outputs to list at most, the last ones.
    #[arg(long, value_name = "N", default_value_t = 50)]
    last: usize,
    #[command(flatten)]
    expected: ExpectedHead,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// A working set.
    WorkingSet,
    /// A prompt.
    Prompt,
    /// A narration that was checked.
    Narration,
    /// An image brief that the memory made.
    Pvib,
    /// An image brief that was made elsewhere.
    Brief,
}

impl From<Kind> for ShownKind {
    fn from(kind: Kind) -> ShownKind {
        match kind {
            Kind::WorkingSet => ShownKind::WorkingSet,
            Kind::Prompt => ShownKind::Prompt,
            Kind::Narration => ShownKind::Narration,
            Kind::Pvib => ShownKind::Pvib,
            Kind::Brief => ShownKind::Brief,
        }
    }
}

/// What a model's side was shown.
#[derive(Serialize)]
struct ShownResult {
    ok: bool,
    /// How many outputs of the kinds that were asked for there are, also where fewer are listed.
    count: u64,
    /// The members of the entries SHOWN, and the number of each as `seq`. Locked strings are `[locked]`.
    shown: Vec<Value>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let reader = MemoryReader::open(&args.db)?;
    args.expected.assert(&reader)?;
    let wanted: Vec<&str> = args
        .kind
        .iter()
        .map(|kind| ShownKind::from(*kind).as_str())
        .collect();
    let (mut all, mut found, mut last) = (0_u64, 0_u64, VecDeque::new());
    reader.for_each_entry(&mut |entry| {
        if entry.kind == EntryKind::Shown {
            all += 1;
            if wanted.is_empty() || wanted.contains(&text_of(&entry.body, "kind")) {
                found += 1;
                last.push_back(entry);
                if last.len() > args.last {
                    last.pop_front();
                }
            }
        }
        Ok(())
    })?;
    let mut text = match (all, found) {
        (0, _) => "nothing was shown to a model's side yet: `working-set` and `pvib` record what they print\n".to_owned(),
        (_, 0) => format!("none of {all} outputs that were shown is of such a kind\n"),
        _ => String::new(),
    };
    let mut objects = Vec::new();
    for entry in last {
        let mut members = match reader.redact(&entry.body)? {
            Value::Object(members) => members,
            // A locked string reaches over several members. The hashes are none.
            _ => keep_hashes(&entry.body),
        };
        members.insert("seq".to_owned(), entry.seq.into());
        let object = Value::Object(members);
        text.push_str(&format_output(entry.seq, has_text(&entry.body), &object));
        objects.push(object);
    }
    let listed = objects.len() as u64;
    if listed < found {
        text.push_str(&format!(
            "the last {listed} of {found}; --last N lists more\n"
        ));
    }
    let result = ShownResult {
        ok: true,
        count: found,
        shown: objects,
    };
    Ok(Report::new(true, text, &result))
}

/// The members of an entry that are the memory's own words.
fn keep_hashes(body: &Value) -> Map<String, Value> {
    let names = ["kind", "bytes_hash", "working_set_id"];
    let kept = names.map(|name| (name.to_owned(), body.get(name).cloned().unwrap_or_default()));
    kept.into_iter().collect()
}

fn format_output(seq: u64, has_text: bool, body: &Value) -> String {
    let kind = text_of(body, "kind");
    let audience = body.get("audience").unwrap_or(&Value::Null);
    let class = text_of(audience, "class");
    let viewers = audience.get("viewers").and_then(Value::as_array);
    let viewers = viewers.into_iter().flatten().filter_map(Value::as_str);
    let viewers: Vec<&str> = viewers.collect();
    let mut what = format!("{seq} {kind}");
    if class != kind && (kind, class) != ("BRIEF", "PVIB") {
        what.push_str(&format!(" of class {class}"));
    }
    if kind == "NARRATION" {
        what.push_str(if has_text { ", passed" } else { ", refused" });
    }
    let whom = match viewers.is_empty() {
        true => "anybody".to_owned(),
        false => viewers.join(", "),
    };
    let mut rows = vec![
        ("entry", what),
        ("for", whom),
        ("bytes_hash", text_of(body, "bytes_hash").to_owned()),
    ];
    if let Some(set) = body.get("working_set_id").and_then(Value::as_str) {
        rows.push(("working_set_id", set.to_owned()));
    }
    if let Some(text) = body.get("text").and_then(Value::as_str) {
        // On a line of its own a text would pass for an entry.
        rows.push(("text", escape_deceptive_line(text).into_owned()));
    }
    format!("{}\n", table::format_pairs(&rows))
}

/// Whether an entry has a text: of a narration, whether it passed.
fn has_text(body: &Value) -> bool {
    body.get("text").is_some() || body.get("text_base64").is_some()
}

fn text_of<'a>(body: &'a Value, member: &str) -> &'a str {
    body.get(member).and_then(Value::as_str).unwrap_or_default()
}
