//! `axilog tail`: the last records of a ledger, and those that follow.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use axilog_ledger::error::LedgerError;
use axilog_ledger::ledger_input::is_compressed;
use axilog_ledger::reader::{LedgerReader, ReadRecord, RecordFilter};
use axilog_ledger::record_contents::RecordContents;

use super::shown_record::{ShownRecord, follow_breaches, format_header};
use crate::Failure;
use crate::output::Report;
use crate::output::stream::{OutputStream, stdout_name};

/// Show the last records of a ledger, and those that follow while something writes to it.
///
/// Each record is verified with all before it. The command ends with the seal, at the first bad record (exit code 1), or
/// by Ctrl-C; on a compressed ledger, at its end. It takes no lock, so that the writer goes on. JSON: an object per
/// record.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// Begin with so many of the records that are there.
    #[arg(long, value_name = "N", default_value_t = 10)]
    last: usize,
    /// Answers of this oracle and the decisions on them only.
    #[arg(long, value_name = "ID")]
    oracle: Option<String>,
}

/// How long the command waits before it looks again.
const WAIT: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &Args, json: bool) -> Result<Report, Failure> {
    let mut filter = RecordFilter {
        oracle: args.oracle.clone(),
        ..RecordFilter::default()
    };
    filter.first = find_first(args, filter.clone())?;
    let mut reader = LedgerReader::open(&args.file, filter)?;
    let mut out = OutputStream::new(io::stdout().lock());
    if !json {
        out.put(format_header().as_bytes());
    }
    let may_grow = !is_compressed(&args.file);
    let followed = follow(&mut reader, may_grow, json, &mut out);
    out.finish(stdout_name())?;
    followed?;
    Ok(Report::without_result(true))
}

/// The sequence of the first record to show. The records are not formatted for that, which takes most of the time.
fn find_first(args: &Args, filter: RecordFilter) -> Result<u64, LedgerError> {
    let mut reader = LedgerReader::open(&args.file, filter)?;
    let mut last = VecDeque::new();
    loop {
        match reader.read_next(|read| read.verified.entry.sequence) {
            Ok(Some(sequence)) => {
                last.push_back(sequence);
                if last.len() > args.last {
                    last.pop_front();
                }
            }
            // Damage shows again where the records are shown.
            Ok(None) | Err(LedgerError::Damaged { .. }) => break,
            Err(error) => return Err(error),
        }
    }
    let entries = reader.verification().replay.entries();
    Ok(last.front().copied().unwrap_or(entries))
}

/// Writes records until the seal, or until nobody reads them; those that are there where the ledger may not grow.
fn follow(
    reader: &mut LedgerReader,
    may_grow: bool,
    json: bool,
    out: &mut OutputStream<impl Write>,
) -> Result<(), LedgerError> {
    let mut breached = Vec::new();
    loop {
        match reader.read_next(|read| format_record(read, json, &mut breached))? {
            Some(text) => out.put(text.as_bytes()),
            None if !out.flush() || !may_grow => return Ok(()),
            None if reader.verification().replay.ledger().sealed => return Ok(()),
            None => thread::sleep(WAIT),
        }
    }
}

fn format_record(read: &ReadRecord<'_>, json: bool, breached: &mut Vec<String>) -> String {
    let contents: &RecordContents<'_> = &read.contents;
    follow_breaches(contents, breached);
    let shown = ShownRecord {
        record: &read.verified,
        contents,
        breached,
        question: None,
    };
    shown.format(json)
}
