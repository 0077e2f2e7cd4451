//! One record as `axilog show` and `axilog tail` print it.

use std::borrow::Cow;

use axilog_ledger::encoding::hex;
use axilog_ledger::record_contents::RecordContents;
use axilog_ledger::verify::VerifiedRecord;
use axilog_ledger::visible_text::escape_deceptive_text;
use serde::Serialize;

use crate::output::color;
use crate::output::print_json;
use crate::output::record_contents::{DescribeRecord, policy_id, shorten_text, tag_name};
use crate::output::record_result::RecordResult;
use crate::output::table;

use super::questions::ShownQuestion;

/// Widths of the columns.
const WIDTHS: [u16; 5] = [9, 7, 21, 20, 19];

/// How many breached policies are named with a transition; there are rarely more than one.
const MAX_NAMED: usize = 8;

/// A record that is shown, and what stands around it in the ledger.
pub(super) struct ShownRecord<'a> {
    pub(super) record: &'a VerifiedRecord<'a>,
    pub(super) contents: &'a RecordContents<'a>,
    /// The policies that breached since the last observation.
    pub(super) breached: &'a [String],
    /// The question of an observation, where questions are to be shown.
    pub(super) question: Option<&'a ShownQuestion>,
}

/// A shown record for programs.
#[derive(Serialize)]
struct ShownRecordResult<'a> {
    #[serde(flatten)]
    record: RecordResult,
    /// The question where questions are shown; the inner `None` where it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Option<&'a str>>,
    #[serde(flatten)]
    line: Option<LineResult<'a>>,
}

/// The line of a record that is shown alone.
#[derive(Serialize)]
struct LineResult<'a> {
    offset: u64,
    commit: String,
    chain: String,
    /// The record's exact text.
    record: Cow<'a, str>,
}

/// Takes the next record into the list of policies that breached since the last observation.
pub(super) fn follow_breaches(contents: &RecordContents<'_>, breached: &mut Vec<String>) {
    match contents {
        RecordContents::Observation(_) => breached.clear(),
        RecordContents::Policy(record) if contents.is_breach() && breached.len() < MAX_NAMED => {
            breached.push(policy_id(record));
        }
        _ => {}
    }
}

/// The titles of the columns.
pub(super) fn format_header() -> String {
    let titles = ["record", "kind", "subject", "content", "detail"];
    table::format_grid(titles, WIDTHS, &[])
}

impl ShownRecord<'_> {
    /// In rows, or with `json` as one object in a line.
    pub(super) fn format(&self, json: bool) -> String {
        match json {
            true => print_json(&self.to_result(false)),
            false if self.contents.is_breach() && color::is_wanted() => {
                color::paint_breach(&self.describe_in_rows())
            }
            false => self.describe_in_rows(),
        }
    }

    /// With its exact bytes.
    pub(super) fn format_fully(&self, json: bool) -> String {
        match json {
            true => print_json(&self.to_result(true)),
            false => self.describe_fully(),
        }
    }

    /// A row, and after it one for the question.
    fn describe_in_rows(&self) -> String {
        let [whom, what, why] = self.contents.summarize(self.breached);
        let entry = &self.record.entry;
        let kind = tag_name(entry.tag).to_owned();
        let mut rows =
            table::format_row(WIDTHS, [entry.sequence.to_string(), kind, whom, what, why]);
        if let Some(question) = self.question {
            let (size, text) = match question.text() {
                Some(question) => (format!("{} bytes", question.len()), shorten_text(question)),
                None => ("cannot be read".to_owned(), String::new()),
            };
            let row = [
                String::new(),
                String::new(),
                "was asked".to_owned(),
                size,
                text,
            ];
            rows.push_str(&table::format_row(WIDTHS, row));
        }
        rows
    }

    /// All fields; the record's bytes are on a line of their own, however long, and so are those of the question.
    fn describe_fully(&self) -> String {
        let entry = &self.record.entry;
        let [whom, what, why] = self.contents.summarize(self.breached);
        let mut rows = vec![
            ("record", entry.sequence.to_string()),
            ("tag", entry.tag.as_str().to_owned()),
        ];
        let described = [("subject", whom), ("content", what), ("detail", why)];
        rows.extend(described.into_iter().filter(|(_, value)| !value.is_empty()));
        rows.extend([
            ("offset", self.record.offset.to_string()),
            ("commit", hex(&entry.commit)),
            ("chain", hex(&entry.chain)),
        ]);
        let bytes = String::from_utf8_lossy(entry.payload);
        let mut text = format!(
            "{}{}\n",
            table::format_pairs(&rows),
            escape_deceptive_text(&bytes)
        );
        if let Some(question) = self.question {
            let question = question.text().unwrap_or("(cannot be read)");
            text.push_str(&format!("question:\n{}\n", escape_deceptive_text(question)));
        }
        text
    }

    fn to_result(&self, single: bool) -> ShownRecordResult<'_> {
        let entry = &self.record.entry;
        ShownRecordResult {
            record: RecordResult::new(entry, self.contents),
            question: self.question.map(ShownQuestion::text),
            line: single.then(|| LineResult {
                offset: self.record.offset,
                commit: hex(&entry.commit),
                chain: hex(&entry.chain),
                record: String::from_utf8_lossy(entry.payload),
            }),
        }
    }
}
