//! What the command says of one record of a ledger: summarized for people, in fields for machines.

use axilog::agent::state::{InputClass, Violation};
use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::hash::Tag;
use axilog::json::extract::NO_VALUE;
use axilog::ledger::Entry;
use axilog_ledger::encoding::hex;
use axilog_ledger::encoding::unescape;
use axilog_ledger::record_contents::RecordContents;
use axilog_ledger::visible_text::escape_identity;
use axilog_policyc::{decimal, shortest_decimal};
use serde_json::{Map, Value, json};

/// What the command says of the contents of a record.
pub(crate) trait DescribeRecord {
    /// Whom the record is about, what it says, and why, in a few words each. `breached` are the
    /// policies that breached since the last observation.
    fn summarize(&self, breached: &[String]) -> [String; 3];

    /// The fields of the record that matter to machines.
    fn json(&self) -> Value;
}

impl DescribeRecord for RecordContents<'_> {
    fn summarize(&self, breached: &[String]) -> [String; 3] {
        match self {
            RecordContents::Genesis => ["genesis".into(), String::new(), String::new()],
            RecordContents::Observation(view) => summarize_observation(view),
            RecordContents::Policy(record) => {
                let limit = shortest_decimal(record.threshold);
                let why = match record.actual {
                    NO_VALUE => "no value".to_owned(),
                    actual => shortest_decimal(actual),
                };
                [
                    policy_id(record),
                    record.result.as_str().to_owned(),
                    format!("{why}, limit {limit}"),
                ]
            }
            RecordContents::Transition(record) => {
                let why = match (record.violation, breached) {
                    (None, _) => String::new(),
                    (Some(violation), []) => violation.as_str().to_owned(),
                    (Some(violation), policies) => {
                        format!("{}: {}", violation.as_str(), policies.join(", "))
                    }
                };
                [
                    input_class(record).to_owned(),
                    format!(
                        "{} to {}",
                        record.prev_state.as_str(),
                        record.next_state.as_str()
                    ),
                    why,
                ]
            }
            RecordContents::RawAnswer(raw) => [
                "raw answer".to_owned(),
                format!("{} bytes", raw.bytes),
                format!("sha256 {}", hex(&raw.sha256)),
            ],
            RecordContents::Seal(seal) => [
                "seal".to_owned(),
                format!("{} records", seal.entries),
                String::new(),
            ],
        }
    }

    fn json(&self) -> Value {
        match self {
            RecordContents::Genesis => json!({}),
            RecordContents::Observation(view) => json!({
                "ledger_seq": view.ledger_seq,
                "oracle_id": unescape(view.oracle_id),
                "model_id": unescape(view.model_id),
                "completion_state": view.completion.as_str(),
                "failure_type": view.failure.map(|f| f.as_str()),
                "input_hash": hex(&view.input_hash),
                "obs_hash": hex(&view.obs_hash),
                "output": unescape(view.output),
                "output_size": view.output_size,
            }),
            RecordContents::Policy(record) => json!({
                "ledger_seq": record.ledger_seq,
                "policy_id": policy_id(record),
                "result": record.result.as_str(),
                "threshold": record.threshold,
                "threshold_decimal": decimal(record.threshold),
                "actual": (record.actual != NO_VALUE).then_some(record.actual),
                "actual_decimal": actual_decimal(record),
            }),
            RecordContents::Transition(record) => json!({
                "ledger_seq": record.ledger_seq,
                "input_class": input_class(record),
                "prev_state": record.prev_state.as_str(),
                "next_state": record.next_state.as_str(),
                "violation": record.violation.map(Violation::as_str),
                "fault_count": record.fault_count,
            }),
            RecordContents::RawAnswer(raw) => json!({
                "ledger_seq": raw.ledger_seq,
                "kind": "RAW",
                "bytes": raw.bytes,
                "sha256": hex(&raw.sha256),
            }),
            RecordContents::Seal(seal) => {
                json!({ "entries": seal.entries, "head": hex(&seal.head) })
            }
        }
    }
}

/// The object of a record: its sequence, its tag, and the fields that matter to machines.
pub(crate) fn record_json(entry: &Entry<'_>, contents: &RecordContents<'_>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("seq".to_owned(), entry.sequence.into());
    object.insert("tag".to_owned(), entry.tag.as_str().into());
    if let Value::Object(fields) = contents.json() {
        object.extend(fields);
    }
    object
}

/// Names an oracle and its model for people, the model only where it has another name.
pub(crate) fn name_oracle(oracle: &str, model: &str) -> String {
    let (shown, shown_model) = (escape_identity(oracle), escape_identity(model));
    if oracle == model {
        shown.into_owned()
    } else {
        format!("{shown} / {shown_model}")
    }
}

/// Short names of the tags, as options and tables have them.
pub(crate) fn tag_name(tag: Tag) -> &'static str {
    match tag {
        Tag::Obs => "obs",
        Tag::Policy => "policy",
        Tag::Trans => "trans",
        Tag::State => "state",
        Tag::Proof => "proof",
    }
}

/// The policy's name; its characters are ASCII.
pub(crate) fn policy_id(record: &PolicyRecord<'_>) -> String {
    String::from_utf8_lossy(record.policy_id).into_owned()
}

pub(crate) fn input_class(record: &TransitionRecord) -> &'static str {
    record.input_class.map_or("UNKNOWN", InputClass::as_str)
}

/// The value that was judged, in decimal; `None` where there was none.
fn actual_decimal(record: &PolicyRecord<'_>) -> Option<String> {
    (record.actual != NO_VALUE).then(|| decimal(record.actual))
}

/// Writes white space that begins a text as escapes such as `\u{a0}`, but for what ASCII has: in a cell it would look
/// like the cell's own, and what is after it like the beginning.
fn show_leading_space(text: &str) -> String {
    let rest = text.trim_start();
    let space = text.strip_suffix(rest).unwrap_or_default();
    let mut shown = String::new();
    for c in space.chars() {
        match c.is_ascii() {
            true => shown.push(c),
            false => shown.extend(c.escape_unicode()),
        }
    }
    shown + rest
}

/// How many characters of a text an excerpt has.
const EXCERPT: usize = 60;

/// The beginning of a text, in one line.
pub(crate) fn shorten_text(text: &str) -> String {
    let line = show_leading_space(text).replace('\n', "\\n");
    let mut excerpt: String = line.chars().take(EXCERPT).collect();
    if excerpt.len() < line.len() {
        excerpt.push_str("...");
    }
    excerpt
}

fn summarize_observation(view: &ObservationView<'_>) -> [String; 3] {
    let (oracle, model) = (unescape(view.oracle_id), unescape(view.model_id));
    let whom = name_oracle(&oracle, &model);
    let excerpt = shorten_text(&unescape(view.output));
    let state = view.completion.as_str();
    let what = match view.failure {
        Some(_) => state.to_owned(),
        None => format!("{state}, {} bytes", view.output_size),
    };
    let why = view.failure.map_or(excerpt, |f| f.as_str().to_owned());
    [whom, what, why]
}
