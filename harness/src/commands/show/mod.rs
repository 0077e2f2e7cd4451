//! `axilog show`: what the records of a ledger say.

mod graph;
mod questions;
mod selection;
mod shown_record;
pub(crate) mod tail;

use std::io;
use std::path::PathBuf;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::ledger_input::open_ledger_input;
use axilog_ledger::record_contents::RecordContents;
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

use crate::Failure;
use crate::output::Report;
use crate::output::stream::{OutputStream, stdout_name};
use crate::output::table;
use questions::QuestionReader;
use selection::{FilterArgs, Selection};
use shown_record::{ShownRecord, follow_breaches, format_header};

/// Show what the records of a ledger say, one by one.
///
/// The ledger is verified on the way: a damaged one is shown up to the damage, which is then
/// reported. Filters choose what is shown, never what is verified; a record is shown where all of
/// them hold. Exits 1 where the ledger has nothing of what --seq, --oracle, --grep or --since ask for. Reads one line
/// at a time. JSON: an object per record, or per derived question.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    #[command(flatten)]
    filters: FilterArgs,
    /// Show with each answer what the oracle was asked, from the blobs beside the ledger.
    #[arg(long)]
    question: bool,
    /// Which answers fed which questions, in place of the records: a derived question's observation and
    /// those of the answers. Exits 1 where one of them is no earlier observation.
    #[arg(long, conflicts_with_all = ["seq", "tag", "oracle", "grep", "since", "breaches", "question"])]
    graph: bool,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Report, Failure> {
    let path = &args.file;
    if args.graph {
        return graph::run(path, json);
    }
    let file = open_ledger_input(path)?;
    let single = args.filters.seq.is_some_and(|range| range.single);
    let mut out = OutputStream::new(io::stdout().lock());
    let mut selection = Selection::by(&args.filters);
    let mut questions = QuestionReader::of_ledger(path);
    let mut breached = Vec::new();
    let mut has_header = json || single;
    let checked = verify_ledger(file, None, &LedgerExpectations::default(), &mut |record| {
        let Some(contents) = RecordContents::read(record) else {
            return;
        };
        follow_breaches(&contents, &mut breached);
        let question = match &contents {
            RecordContents::Observation(view)
                if args.question || selection.needs_question(view) =>
            {
                Some(questions.read(&view.input_hash))
            }
            _ => None,
        };
        if !selection.take(record, &contents, question.as_ref()) {
            return;
        }
        if !has_header {
            has_header = true;
            out.put(format_header().as_bytes());
        }
        let shown = ShownRecord {
            record,
            contents: &contents,
            breached: &breached,
            question: question.as_ref().filter(|_| args.question),
        };
        let text = match single {
            true => shown.format_fully(json),
            false => shown.format(json),
        };
        out.put(text.as_bytes());
    });
    out.finish(stdout_name())?;
    let checked = checked.map_err(FileError::from_io(path, "read the ledger"))?;
    if let Some(fault) = checked.fault {
        let path = path.clone();
        return Err(LedgerError::Damaged { path, fault }.into());
    }
    let missing = selection.describe_missing(checked.replay.entries());
    let passed = missing.is_empty();
    let unread = questions.unread();
    let unread = (unread > 0).then(|| {
        let count = table::count_of(unread, "question");
        format!("{count} could not be read from the blobs: missing, damaged, or longer than 64 MiB")
    });
    let notes = missing.into_iter().chain(unread);
    let notes = notes.map(|note| format!("{}: {note}", path.display()));
    Ok(Report::without_result(passed).with_notes(notes))
}
