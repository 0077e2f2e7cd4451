//! What the command says of one record of a ledger to people.

use axilog::agent::state::InputClass;
use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::hash::Tag;
use axilog::json::extract::NO_VALUE;
use axilog_ledger::encoding::hex;
use axilog_ledger::encoding::unescape;
use axilog_ledger::record_contents::RecordContents;
use axilog_ledger::visible_text::escape_identity;
use axilog_policyc::shortest_decimal;

/// What the command says of the contents of a record.
pub(crate) trait DescribeRecord {
    /// Whom the record is about, what it says, and why, in a few words each. `breached` are the
    /// policies that breached since the last observation.
    fn summarize(&self, breached: &[String]) -> [String; 3];
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
