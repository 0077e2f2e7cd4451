//! `axilog show`: what the records of a ledger say.

use std::io;
use std::path::PathBuf;

use axilog::hash::Tag;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::input_file::open_input;
use axilog_ledger::record_contents::{OracleSteps, RecordContents};
use axilog_ledger::verify::{LedgerExpectations, VerifiedRecord, verify_ledger};
use axilog_ledger::visible_text::escape_deceptive_text;
use clap::ValueEnum;
use serde_json::{Value, json};

use super::output::{Report, print_json};
use super::output_stream::{OutputStream, stdout_name};
use super::record_contents::{DescribeRecord, policy_id, tag_name};
use super::{Failure, show_graph, table};

/// Show what the records of a ledger say, one by one.
///
/// The ledger is verified on the way: a damaged one is shown up to the damage, which is then
/// reported. Filters choose what is shown, never what is verified; a record is shown where all of
/// them hold. Reads one line at a time.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// One record, with its exact bytes, commit and chain value; or A..B, both included.
    #[arg(long, value_name = "N|A..B", value_parser = parse_range)]
    seq: Option<Range>,
    /// Records with this tag only.
    #[arg(long, value_enum)]
    tag: Option<TagName>,
    /// Answers of this oracle and the decisions on them only.
    #[arg(long, value_name = "ID")]
    oracle: Option<String>,
    /// Policies that breached and transitions with a violation only.
    #[arg(long)]
    breaches: bool,
    /// Which answers fed which questions, in place of the records: a derived question's observation and
    /// those of the answers. Exits 1 where one of them is no earlier observation.
    #[arg(long, conflicts_with_all = ["seq", "tag", "oracle", "breaches"])]
    graph: bool,
    /// One JSON object per record, or per derived question, a line each.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TagName {
    Obs,
    Policy,
    Trans,
    State,
    Proof,
}

impl TagName {
    fn tag(self) -> Tag {
        match self {
            TagName::Obs => Tag::Obs,
            TagName::Policy => Tag::Policy,
            TagName::Trans => Tag::Trans,
            TagName::State => Tag::State,
            TagName::Proof => Tag::Proof,
        }
    }
}

/// Sequence numbers, the last included.
#[derive(Clone, Copy)]
struct Range {
    first: u64,
    last: u64,
    single: bool,
}

fn parse_range(given: &str) -> Result<Range, String> {
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| "expected N or A..B, numbers of records".to_owned())
    };
    let range = match given.split_once("..") {
        None => Range {
            first: number(given)?,
            last: number(given)?,
            single: true,
        },
        Some((first, last)) => Range {
            first: number(first)?,
            last: number(last)?,
            single: false,
        },
    };
    if range.first > range.last {
        return Err("the first number exceeds the last".to_owned());
    }
    Ok(range)
}

/// Widths of the columns.
const WIDTHS: [u16; 5] = [9, 7, 21, 20, 19];

/// How many breached policies are named with a transition; there are rarely more than one.
const MAX_NAMED: usize = 8;

/// What the filters and the reasons need of the records before.
struct Context {
    oracle: Option<OracleSteps>,
    breached: Vec<String>,
}

impl Context {
    /// Takes the next record; whether the filters select it.
    fn take(
        &mut self,
        record: &VerifiedRecord<'_>,
        contents: &RecordContents<'_>,
        args: &Args,
    ) -> bool {
        match contents {
            RecordContents::Observation(_) => self.breached.clear(),
            RecordContents::Policy(record)
                if contents.is_breach() && self.breached.len() < MAX_NAMED =>
            {
                self.breached.push(policy_id(record));
            }
            _ => {}
        }
        let is_of_oracle = self.oracle.as_mut().is_none_or(|o| o.take(contents));
        let sequence = record.entry.sequence;
        args.seq
            .is_none_or(|range| (range.first..=range.last).contains(&sequence))
            && args.tag.is_none_or(|tag| tag.tag() == record.entry.tag)
            && is_of_oracle
            && (!args.breaches || contents.is_breach())
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    if args.graph {
        return show_graph::run(path, args.json);
    }
    let file = open_input(path, "open the ledger")?;
    let single = args.seq.is_some_and(|range| range.single);
    let mut out = OutputStream::new(io::stdout().lock());
    let mut context = Context {
        oracle: args.oracle.as_deref().map(OracleSteps::of),
        breached: Vec::new(),
    };
    let mut has_header = args.json || single;
    let checked = verify_ledger(file, None, &LedgerExpectations::default(), &mut |record| {
        let Some(contents) = RecordContents::read(record) else {
            return;
        };
        if !context.take(record, &contents, args) {
            return;
        }
        if !has_header {
            has_header = true;
            let header = ["record", "tag", "of", "says", "why"];
            out.put(table::format_grid(header, WIDTHS, &[]).as_bytes());
        }
        let shown = match (args.json, single) {
            (true, _) => print_json(&record_json(record, &contents, single)),
            (false, true) => describe_fully(record, &contents, &context),
            (false, false) => describe_in_row(record, &contents, &context),
        };
        out.put(shown.as_bytes());
    });
    out.finish(stdout_name())?;
    let checked = checked.map_err(FileError::from_io(path, "read the ledger"))?;
    if let Some(fault) = checked.fault {
        let path = path.clone();
        return Err(LedgerError::Damaged { path, fault }.into());
    }
    let entries = checked.replay.entries();
    let beyond = args.seq.filter(|range| range.first >= entries);
    let note = |range: Range| {
        let (path, asked) = (path.display(), range.first);
        format!(
            "{path}: has no record {asked}; the last is {}",
            entries.saturating_sub(1)
        )
    };
    Ok(Report {
        passed: beyond.is_none(),
        text: String::new(),
        json: Value::Null,
        notes: beyond.map(note).into_iter().collect(),
    })
}

fn describe_in_row(
    record: &VerifiedRecord<'_>,
    contents: &RecordContents<'_>,
    context: &Context,
) -> String {
    let [whom, what, why] = contents.summarize(&context.breached);
    let entry = &record.entry;
    let tag = tag_name(entry.tag).to_owned();
    table::format_row(WIDTHS, [entry.sequence.to_string(), tag, whom, what, why])
}

/// Describes one record with all its fields; its bytes are on a line of their own, however long.
fn describe_fully(
    record: &VerifiedRecord<'_>,
    contents: &RecordContents<'_>,
    context: &Context,
) -> String {
    let entry = &record.entry;
    let [whom, what, why] = contents.summarize(&context.breached);
    let mut rows = vec![
        ("record", entry.sequence.to_string()),
        ("tag", entry.tag.as_str().to_owned()),
    ];
    let described = [("of", whom), ("says", what), ("why", why)];
    rows.extend(described.into_iter().filter(|(_, value)| !value.is_empty()));
    rows.extend([
        ("offset", record.offset.to_string()),
        ("commit", hex(&entry.commit)),
        ("chain", hex(&entry.chain)),
    ]);
    let bytes = String::from_utf8_lossy(entry.payload);
    format!(
        "{}{}\n",
        table::format_pairs(&rows),
        escape_deceptive_text(&bytes)
    )
}

fn record_json(record: &VerifiedRecord<'_>, contents: &RecordContents<'_>, single: bool) -> Value {
    let entry = &record.entry;
    let mut object = json!({ "seq": entry.sequence, "tag": entry.tag.as_str() });
    if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), contents.json()) {
        object.extend(fields);
        if single {
            let bytes = String::from_utf8_lossy(entry.payload);
            object.insert("offset".to_owned(), record.offset.into());
            object.insert("commit".to_owned(), hex(&entry.commit).into());
            object.insert("chain".to_owned(), hex(&entry.chain).into());
            object.insert("record".to_owned(), bytes.into());
        }
    }
    object
}
