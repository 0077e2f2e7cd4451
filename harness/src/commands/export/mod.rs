//! `axilog export`: the observations of a ledger with their decisions, for other tools.

#[cfg(feature = "parquet")]
mod parquet;
mod row;

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use axilog::ledger_line;
use axilog::replay::{Replay, Verdict};
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::lines::{LedgerLine, LineReader};
use axilog_ledger::ledger_input::open_ledger_input;
use axilog_ledger::record_contents::RecordContents;
use axilog_ledger::rules::RuleSet;
use clap::ValueEnum;
use serde::Serialize;

use crate::Failure;
use crate::error::CommandError;
use crate::options::expectations;
use crate::output::Report;
use crate::output::stream::OutputStream;
use crate::output::target::OutputTarget;
use crate::replay_ledger::{lacks_rules, replay_decisions_of};
#[cfg(feature = "parquet")]
use parquet::ParquetRows;
use row::{CsvRows, ExportRow, JsonRows, RowWriter};

/// Export the observations of a ledger as rows, each with the decision on it.
///
/// A ledger that does not replay is refused. With --unverified every observation that can be read is exported all the
/// same. The column `verified` says which rows were replayed: bytes, chain and every decision. A ledger without
/// decisions has nothing to replay, and no row of it is verified. --json prints an object where the rows go to a file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// The format to write.
    #[arg(long, value_enum)]
    format: Format,
    /// Write it here instead of to standard output, for which - stands.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    rules: expectations::RulesArgs,
    /// Export a ledger that does not replay too.
    #[arg(long)]
    unverified: bool,
    /// Put an apostrophe before text that a spreadsheet would take for a formula (CSV only).
    #[arg(long)]
    guard_formulas: bool,
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

/// An export that was written into a file.
#[derive(Serialize)]
struct ExportResult<'a> {
    ledger: Cow<'a, str>,
    output: Cow<'a, str>,
    #[serde(flatten)]
    counts: &'a ExportCounts,
}

/// How many rows an export has, and how many of them are not to be trusted.
#[derive(Default, Serialize)]
struct ExportCounts {
    rows: u64,
    unverified: u64,
    /// Lines that no record can be read from.
    unreadable: u64,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    if args.format == Format::Parquet && !cfg!(feature = "parquet") {
        return Err(CommandError::NotBuilt("parquet").into());
    }
    let path = &args.file;
    let inputs = args.rules.inputs_with(path);
    let target = OutputTarget::open(args.output.as_deref(), &inputs)?;
    if args.format == Format::Parquet && target.is_terminal() {
        return Err(CommandError::ToTerminal("Parquet").into());
    }
    let policies = args.rules.read_policies()?;
    let expected_rules = args.rules.expect(policies.as_ref());
    let replayed = match replay_decisions_of(path, expected_rules, &mut |_| {}) {
        Ok(replayed) => match replayed.verification.fault {
            Some(fault) if !args.unverified => {
                let path = path.clone();
                return Err(LedgerError::Damaged { path, fault }.into());
            }
            _ => Some(replayed),
        },
        // Rules that cannot be had verify no row.
        Err(failure) if args.unverified && lacks_rules(&failure.error) => None,
        Err(failure) => return Err(failure),
    };
    let source = ExportSource {
        // What was added meanwhile has not been replayed, and is left out.
        entries: match args.unverified {
            true => u64::MAX,
            false => (replayed.as_ref()).map_or(0, |r| r.verification.replay.entries()),
        },
        rules: replayed.and_then(|r| r.rules).map(|(rules, _)| rules),
    };
    let output = target.path().map(Path::to_owned);
    let counts = target.write(|out, name| export(&source, args, out, name))?;
    Ok(report(args, output.as_deref(), &counts))
}

/// What is exported, and how far it can be trusted.
struct ExportSource {
    /// The number of records to read.
    entries: u64,
    /// The rules that decide whether a row is verified; `None` where there is nothing to replay.
    rules: Option<RuleSet>,
}

fn export(
    source: &ExportSource,
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
    let file = open_ledger_input(&args.file)?;
    let rules = source.rules.as_ref().map(RuleSet::rules);
    let mut counts = ExportCounts::default();
    let mut records = 0;
    let mut replay = Replay::new();
    let mut pending: Option<ExportRow> = None;
    let mut lines = LineReader::new(file);
    while records < source.entries
        && let Some((_, line)) = lines
            .next_line()
            .map_err(FileError::from_io(&args.file, "read the ledger"))?
    {
        records += 1;
        let last = !matches!(line, LedgerLine::Whole(_));
        let entry = match line {
            LedgerLine::Whole(line) => ledger_line::parse(line).ok(),
            LedgerLine::Torn(_) | LedgerLine::TooLong => None,
        };
        let good = entry
            .as_ref()
            .is_some_and(|entry| replay.feed(entry, rules.as_ref()) == Verdict::Ok);
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
                let row = ExportRow::new(sequence, &view, good && rules.is_some());
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
    // An interrupted step has no decision that could have been replayed.
    if let Some(row) = &mut pending
        && replay
            .resume()
            .is_ok_and(|(_, interrupted)| interrupted.is_some())
    {
        row.mark_unverified();
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

fn report(args: &Args, output: Option<&Path>, counts: &ExportCounts) -> Report {
    let path = args.file.display();
    let mut notes = Vec::new();
    if counts.unverified > 0 || counts.unreadable > 0 {
        notes.push(format!(
            "{path}: {} of {} rows are unverified, {} lines could not be read",
            counts.unverified, counts.rows, counts.unreadable
        ));
    }
    let report = match output {
        None => Report::without_result(true),
        Some(output) => {
            let result = ExportResult {
                ledger: args.file.to_string_lossy(),
                output: output.to_string_lossy(),
                counts,
            };
            Report::new(true, String::new(), &result)
        }
    };
    report.with_notes(notes)
}
