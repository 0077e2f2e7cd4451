//! One observation with its decision, as a row of an export.

use std::io::Write;
use std::path::Path;

use axilog::agent::state::Violation;
use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::json::extract::NO_VALUE;
use axilog_ledger::encoding::ByteBuffer;
use axilog_ledger::encoding::hex;
use axilog_ledger::encoding::unescape;
use axilog_ledger::jcs::canonicalize;
use axilog_ledger::visible_text::{escape_deceptive_json, escape_deceptive_text};
use serde::Serialize;
use serde_json::Value;

use crate::error::CommandError;
use crate::output::record_contents::{input_class, policy_id};
use crate::output::stream::OutputStream;
use crate::output::to_json;

/// The columns, in order; those of [`ExportRow::fields`].
const COLUMNS: [&str; 16] = [
    "sequence",
    "oracle_id",
    "model_id",
    "completion_state",
    "failure_type",
    "input_hash",
    "obs_hash",
    "output",
    "output_size",
    "params",
    "policies",
    "input_class",
    "prev_state",
    "next_state",
    "violation",
    "verified",
];

/// One observation with the decision on it, as far as that has been read.
pub(crate) struct ExportRow {
    /// The sequence of the record in the ledger, and the one in the record itself.
    sequence: u64,
    ledger_seq: u64,
    observation: [Value; 8],
    params: Value,
    policies: Vec<RowEvaluation>,
    transition: [Value; 4],
    /// Whether the ledger was good up to the row's last record.
    verified: bool,
}

/// What a policy said of the observation; the numbers are raw Q16.16.
#[derive(Serialize)]
struct RowEvaluation {
    actual: Option<i32>,
    policy_id: String,
    result: &'static str,
    threshold: i32,
}

impl ExportRow {
    pub(crate) fn new(sequence: u64, view: &ObservationView<'_>, verified: bool) -> ExportRow {
        let mut params = ByteBuffer::default();
        view.params.write(&mut params);
        ExportRow {
            sequence,
            ledger_seq: view.ledger_seq,
            observation: [
                unescape(view.oracle_id).into(),
                unescape(view.model_id).into(),
                view.completion.as_str().into(),
                view.failure.map(|f| f.as_str()).into(),
                hex(&view.input_hash).into(),
                hex(&view.obs_hash).into(),
                unescape(view.output).into(),
                view.output_size.into(),
            ],
            params: serde_json::from_slice(&params.0).unwrap_or_default(),
            policies: Vec::new(),
            transition: [const { Value::Null }; 4],
            verified,
        }
    }

    /// Marks the row as unverified where its decision is not complete yet: a bad line may have been a
    /// part of it.
    pub(crate) fn mark_unverified(&mut self) {
        let complete = self.transition.iter().any(|field| !field.is_null());
        self.verified &= complete;
    }

    /// Adds the result of a policy, where it concerns this observation.
    pub(crate) fn policy(&mut self, record: &PolicyRecord<'_>) {
        if record.obs_ledger_seq == self.ledger_seq {
            self.policies.push(RowEvaluation {
                actual: (record.actual != NO_VALUE).then_some(record.actual),
                policy_id: policy_id(record),
                result: record.result.as_str(),
                threshold: record.threshold,
            });
        }
    }

    /// Adds the transition of the agent, where it followed from this observation.
    pub(crate) fn transition(&mut self, record: &TransitionRecord) {
        if record.ledger_seq == self.ledger_seq {
            self.transition = [
                input_class(record).into(),
                record.prev_state.as_str().into(),
                record.next_state.as_str().into(),
                record.violation.map(Violation::as_str).into(),
            ];
        }
    }

    pub(crate) fn is_verified(&self) -> bool {
        self.verified
    }

    fn fields(self) -> impl Iterator<Item = Value> {
        [self.sequence.into()]
            .into_iter()
            .chain(self.observation)
            .chain([self.params, to_json(&self.policies)])
            .chain(self.transition)
            .chain([self.verified.into()])
    }

    /// The row as an object of its columns.
    pub(crate) fn into_object(self) -> Value {
        let names = COLUMNS.map(str::to_owned);
        names.into_iter().zip(self.fields()).collect()
    }
}

/// A writer of rows in one format.
pub(crate) trait RowWriter {
    fn put(&mut self, row: ExportRow);

    /// Ends the output and gives the first failure; `name` is what the rows went to.
    fn finish(self: Box<Self>, name: &Path) -> Result<(), CommandError>;
}

/// One canonical JSON object per line, in which deceptive characters are escapes.
pub(crate) struct JsonRows<W: Write>(pub(crate) OutputStream<W>);

impl<W: Write> RowWriter for JsonRows<W> {
    fn put(&mut self, row: ExportRow) {
        let bytes = canonical_bytes(&row.into_object());
        let text = String::from_utf8_lossy(&bytes);
        self.0.put(escape_deceptive_json(&text).as_bytes());
        self.0.put(b"\n");
    }

    fn finish(self: Box<Self>, name: &Path) -> Result<(), CommandError> {
        self.0.finish(name)
    }
}

/// CSV with a header: text in which deceptive characters are escapes, nothing for null, objects and arrays as canonical JSON.
pub(crate) struct CsvRows<W: Write> {
    out: OutputStream<W>,
    guard: bool,
}

impl<W: Write> CsvRows<W> {
    /// With `guard` text that a spreadsheet would take for a formula begins with an apostrophe.
    pub(crate) fn begin(mut out: OutputStream<W>, guard: bool) -> CsvRows<W> {
        let names = COLUMNS.into_iter().map(|name| name.as_bytes().to_vec());
        write_record(names, &mut out);
        CsvRows { out, guard }
    }
}

impl<W: Write> RowWriter for CsvRows<W> {
    fn put(&mut self, row: ExportRow) {
        let guard = self.guard;
        let cells = row.fields().map(|field| match field {
            Value::Null => Vec::new(),
            Value::String(text) => {
                let mark = if guard && begins_as_formula(&text) {
                    "'"
                } else {
                    ""
                };
                format!("{mark}{}", escape_deceptive_text(&text)).into_bytes()
            }
            other => canonical_bytes(&other),
        });
        write_record(cells, &mut self.out);
    }

    fn finish(self: Box<Self>, name: &Path) -> Result<(), CommandError> {
        self.out.finish(name)
    }
}

/// The signs that a spreadsheet takes for the beginning of a formula, in full width too, as East Asian spreadsheets
/// have them.
const FORMULA_SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Tells whether a spreadsheet may take text for a formula. It skips white space before a sign, that of typography
/// such as U+00A0 too; a tab or a line end may begin a cell of its own.
fn begins_as_formula(text: &str) -> bool {
    text.starts_with(['\t', '\r', '\n']) || text.trim_start().starts_with(FORMULA_SIGNS)
}

fn write_record(cells: impl Iterator<Item = Vec<u8>>, out: &mut OutputStream<impl Write>) {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Into memory it cannot fail.
    if writer.write_record(cells).is_ok()
        && let Ok(line) = writer.into_inner()
    {
        out.put(&line);
    }
}

fn canonical_bytes(value: &Value) -> Vec<u8> {
    // Integers, texts and literals always have a form.
    canonicalize(value.to_string().as_bytes()).unwrap_or_default()
}
