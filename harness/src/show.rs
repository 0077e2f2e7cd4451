//! `axilog show`: what the records of a ledger say.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use axilog::hash::Tag;
use axilog_ledger::decision::text;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::hex;
use axilog_ledger::file::verify::{Expected, Record, check};
use clap::ValueEnum;
use serde_json::{Value, json};

use super::output::{Report, shown};
use super::records::{Said, policy_id, tag_name};
use super::stream::{Stream, stdout_name};
use super::{Failure, table};

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
    #[arg(long, value_name = "N|A..B", value_parser = range)]
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
    /// One JSON object per record, a line each.
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

fn range(given: &str) -> Result<Range, String> {
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

/// What a record is judged by besides itself: the observation that it belongs to.
#[derive(Default)]
struct Context {
    of_oracle: bool,
    breached: Vec<String>,
}

impl Context {
    fn take(&mut self, said: &Said<'_>, args: &Args) {
        match said {
            Said::Observation(view) => {
                self.breached.clear();
                self.of_oracle = args
                    .oracle
                    .as_ref()
                    .is_some_and(|id| *id == text(view.oracle_id));
            }
            Said::Policy(record) if said.breaches() && self.breached.len() < MAX_NAMED => {
                self.breached.push(policy_id(record));
            }
            Said::Genesis | Said::Seal(_) => self.of_oracle = false,
            Said::Policy(_) | Said::Transition(_) => {}
        }
    }

    fn wants(&self, record: &Record<'_>, said: &Said<'_>, args: &Args) -> bool {
        let sequence = record.entry.sequence;
        args.seq
            .is_none_or(|range| (range.first..=range.last).contains(&sequence))
            && args.tag.is_none_or(|tag| tag.tag() == record.entry.tag)
            && (args.oracle.is_none() || self.of_oracle)
            && (!args.breaches || said.breaches())
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let file = File::open(path).map_err(FileError::at(path, "open the ledger"))?;
    let single = args.seq.is_some_and(|range| range.single);
    let mut out = Stream::new(io::stdout().lock());
    let mut context = Context::default();
    let mut headed = args.json || single;
    let checked = check(file, None, &Expected::default(), &mut |record| {
        let Some(said) = Said::read(record) else {
            return;
        };
        context.take(&said, args);
        if !context.wants(record, &said, args) {
            return;
        }
        if !headed {
            headed = true;
            let header = ["record", "tag", "of", "says", "why"];
            out.put(table::grid(header, WIDTHS, &[]).as_bytes());
        }
        let shown = match (args.json, single) {
            (true, _) => format!("{}\n", object(record, &said, single)),
            (false, true) => whole(record, &said, &context),
            (false, false) => row(record, &said, &context),
        };
        out.put(shown.as_bytes());
    });
    out.finish(stdout_name())?;
    let checked = checked.map_err(FileError::at(path, "read the ledger"))?;
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
        fine: beyond.is_none(),
        text: String::new(),
        json: Value::Null,
        notes: beyond.map(note).into_iter().collect(),
    })
}

fn row(record: &Record<'_>, said: &Said<'_>, context: &Context) -> String {
    let [whom, what, why] = said.told(&context.breached);
    let entry = &record.entry;
    let tag = tag_name(entry.tag).to_owned();
    table::row(WIDTHS, [entry.sequence.to_string(), tag, whom, what, why])
}

/// One record with everything; its bytes are on a line of their own, however long.
fn whole(record: &Record<'_>, said: &Said<'_>, context: &Context) -> String {
    let entry = &record.entry;
    let [whom, what, why] = said.told(&context.breached);
    let mut rows = vec![
        ("record", entry.sequence.to_string()),
        ("tag", entry.tag.as_str().to_owned()),
    ];
    let told = [("of", whom), ("says", what), ("why", why)];
    rows.extend(told.into_iter().filter(|(_, value)| !value.is_empty()));
    rows.extend([
        ("offset", record.offset.to_string()),
        ("commit", hex(&entry.commit)),
        ("chain", hex(&entry.chain)),
    ]);
    let bytes = String::from_utf8_lossy(entry.payload);
    format!("{}{}\n", table::pairs(&rows), shown(&bytes))
}

fn object(record: &Record<'_>, said: &Said<'_>, single: bool) -> Value {
    let entry = &record.entry;
    let mut object = json!({ "seq": entry.sequence, "tag": entry.tag.as_str() });
    if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), said.json()) {
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
