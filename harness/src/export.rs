//! `axilog export`: the observations of a ledger with their decisions, for other tools.

use std::io::{self, IsTerminal, Read, Seek, Write};
use std::path::{Path, PathBuf};

use axilog::ledger_line;
use axilog::replay::{Replay, Verdict};
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::lines::{LedgerLine, LineReader};
use axilog_ledger::input_file::open_input;
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};
use clap::ValueEnum;
use serde_json::{Value, json};

use super::export_row::{CsvRows, ExportRow, JsonRows, RowWriter};
use super::output::Report;
use super::output_stream::{OutputStream, stdout_name};
#[cfg(feature = "parquet")]
use super::parquet::ParquetRows;
use super::record_contents::RecordContents;
use super::{Failure, output_file};
use crate::error::CommandError;

/// Export the observations of a ledger, a row each, with what was decided on them.
///
/// A ledger that does not verify is refused, unless --unverified is given: then every observation
/// that can be read is exported, and the column `verified` says of which the ledger can be trusted.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// What to write.
    #[arg(long, value_enum)]
    format: Format,
    /// Write it here instead of to standard output.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Export a ledger that does not verify too.
    #[arg(long)]
    unverified: bool,
    /// Put an apostrophe before text that a spreadsheet would take for a formula (CSV only).
    #[arg(long)]
    guard_formulas: bool,
    /// With --output, one JSON object on standard output; errors are an object in any case.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// RFC 4180, with a header.
    Csv,
    /// One canonical JSON object per line.
    Jsonl,
    /// Apache Parquet, in a build with the feature `parquet`.
    Parquet,
}

/// How many rows an export has, and how many of them are not to be trusted.
#[derive(Default)]
struct ExportCounts {
    rows: u64,
    unverified: u64,
    /// Lines that no record can be read from.
    unreadable: u64,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    if args.format == Format::Parquet {
        if !cfg!(feature = "parquet") {
            return Err(CommandError::NotBuilt("parquet").into());
        }
        if args.output.is_none() && io::stdout().is_terminal() {
            return Err(CommandError::ToTerminal("Parquet").into());
        }
    }
    let path = &args.file;
    let mut file = open_input(path, "open the ledger")?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(FileError::NotARegularFile(path.clone()).into());
    }
    let mut length = u64::MAX;
    if !args.unverified {
        let reading = || FileError::from_io(path, "read the ledger");
        // What is added meanwhile has not been verified, and is left out.
        length = file.metadata().map_err(reading())?.len();
        let source = (&mut file).take(length);
        let checked = verify_ledger(source, None, &LedgerExpectations::default(), &mut |_| {})
            .map_err(reading())?;
        if let Some(fault) = checked.fault {
            let path = path.clone();
            return Err(LedgerError::Damaged { path, fault }.into());
        }
        file.rewind().map_err(reading())?;
    }
    let source = file.take(length);
    let counts = match &args.output {
        None => export(source, args, io::stdout(), stdout_name())?,
        Some(output) => {
            output_file::write_whole(path, output, |out, name| export(source, args, out, name))?
        }
    };
    Ok(report(args, &counts))
}

fn export(
    source: impl Read,
    args: &Args,
    out: impl Write + Send + 'static,
    name: &Path,
) -> Result<ExportCounts, CommandError> {
    let out = OutputStream::new(out);
    let mut out: Box<dyn RowWriter> = match args.format {
        Format::Csv => Box::new(CsvRows::begin(out, args.guard_formulas)),
        Format::Jsonl => Box::new(JsonRows(out)),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(ParquetRows::begin(out, name)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(CommandError::NotBuilt("parquet")),
    };
    let mut counts = ExportCounts::default();
    let mut replay = Replay::new();
    let mut pending: Option<ExportRow> = None;
    let mut lines = LineReader::new(source);
    while let Some((_, line)) = lines
        .next_line()
        .map_err(FileError::from_io(&args.file, "read the ledger"))?
    {
        let last = !matches!(line, LedgerLine::Whole(_));
        let entry = match line {
            LedgerLine::Whole(line) => ledger_line::parse(line).ok(),
            LedgerLine::Torn(_) | LedgerLine::TooLong => None,
        };
        let good = entry
            .as_ref()
            .is_some_and(|entry| replay.feed(entry, None) == Verdict::Ok);
        if !good {
            replay.refuse(Verdict::NonCanonical);
            if let Some(row) = &mut pending {
                row.mark_unverified();
            }
        }
        let sequence = entry.as_ref().map_or(0, |entry| entry.sequence);
        let contents = entry.as_ref().and_then(RecordContents::read_entry);
        match (contents, &mut pending) {
            (Some(RecordContents::Observation(view)), _) => {
                let row = ExportRow::new(sequence, &view, good);
                counts.put(pending.replace(row), &mut *out);
            }
            (Some(RecordContents::Policy(record)), Some(row)) => row.policy(&record),
            (Some(RecordContents::Transition(record)), Some(row)) => row.transition(&record),
            (None, _) => counts.unreadable += 1,
            _ => {}
        }
        if last {
            break;
        }
    }
    counts.put(pending, &mut *out);
    out.finish(name)?;
    Ok(counts)
}

impl ExportCounts {
    fn put(&mut self, row: Option<ExportRow>, out: &mut dyn RowWriter) {
        if let Some(row) = row {
            self.rows += 1;
            self.unverified += u64::from(!row.is_verified());
            out.put(row);
        }
    }
}

fn report(args: &Args, counts: &ExportCounts) -> Report {
    let path = args.file.display();
    let mut notes = Vec::new();
    if counts.unverified > 0 || counts.unreadable > 0 {
        notes.push(format!(
            "{path}: does not verify: {} of {} rows are unverified, {} lines could not be read",
            counts.unverified, counts.rows, counts.unreadable
        ));
    }
    let json = match &args.output {
        None => Value::Null,
        Some(output) => json!({
            "ledger": args.file.to_string_lossy(),
            "output": output.to_string_lossy(),
            "rows": counts.rows,
            "unverified": counts.unverified,
            "unreadable": counts.unreadable,
        }),
    };
    Report {
        passed: true,
        text: String::new(),
        json,
        notes,
    }
}
