//! `axilog diff`: where two ledgers differ.

use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog_ledger::error::LedgerError;
use axilog_ledger::reader::{LedgerReader, ReadRecord, RecordFilter};
use serde::Serialize;

use crate::Failure;
use crate::output::Report;
use crate::output::record_contents::{DescribeRecord, tag_name};
use crate::output::record_result::RecordResult;
use crate::output::table;

/// Compare two ledgers, and show the first record in which they differ.
///
/// SAME: they have the same records. GROWN: one is the beginning of the other. DIFFERENT: they differ from a record on.
/// The chain value of a record depends on all records before it, so all that follow differ too. Exits 0 for SAME only.
/// Both ledgers are verified on the way.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A ledger file.
    first: PathBuf,
    /// The ledger file to compare it with.
    second: PathBuf,
}

/// How two ledgers compare.
#[derive(Serialize)]
struct DiffResult {
    relation: &'static str,
    /// The number of records that both begin with.
    same: u64,
    ledgers: Vec<ComparedLedger>,
}

/// One of the ledgers.
#[derive(Serialize)]
struct ComparedLedger {
    ledger: String,
    entries: u64,
    /// The first record that the other has not.
    record: Option<RecordResult>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let paths = [args.first.as_path(), args.second.as_path()];
    let mut readers = [open(paths[0])?, open(paths[1])?];
    let mut same = 0_u64;
    let relation = loop {
        let [first, second] = &mut readers;
        match (read_chain(first)?, read_chain(second)?) {
            (None, None) => break "SAME",
            (Some(one), Some(other)) if one == other => same = same.saturating_add(1),
            (Some(_), Some(_)) => break "DIFFERENT",
            _ => break "GROWN",
        }
    };
    let entries = [count_rest(&mut readers[0])?, count_rest(&mut readers[1])?];
    let [first, second] = paths.map(|path| read_record(path, same));
    let records = [first?, second?];
    let mut rows = vec![
        (relation, "the two ledgers".to_owned()),
        ("same", table::count_of(same, "record")),
    ];
    for ((path, entries), record) in paths.iter().zip(entries).zip(&records) {
        let count = table::count_of(entries, "record");
        rows.push(("ledger", format!("{}, {count}", path.display())));
        if let Some((text, _)) = record {
            rows.push(("first other", text.clone()));
        }
    }
    let sides = paths.iter().zip(entries).zip(records);
    let ledgers = sides.map(|((path, entries), record)| ComparedLedger {
        ledger: path.display().to_string(),
        entries,
        record: record.map(|(_, record)| record),
    });
    let result = DiffResult {
        relation,
        same,
        ledgers: ledgers.collect(),
    };
    let text = table::format_pairs(&rows);
    Ok(Report::new(relation == "SAME", text, &result))
}

fn open(path: &Path) -> Result<LedgerReader, LedgerError> {
    LedgerReader::open(path, RecordFilter::default())
}

fn read_chain(reader: &mut LedgerReader) -> Result<Option<Hash>, LedgerError> {
    reader.read_next(|read| read.verified.entry.chain)
}

/// Reads to the end, and gives the number of all records. A line that is being written is no record yet.
fn count_rest(reader: &mut LedgerReader) -> Result<u64, LedgerError> {
    while read_chain(reader)?.is_some() {}
    Ok(reader.verification().replay.entries())
}

/// What record `sequence` says, as text and as an object; `None` where the ledger has no such record.
fn read_record(path: &Path, sequence: u64) -> Result<Option<(String, RecordResult)>, LedgerError> {
    let filter = RecordFilter {
        first: sequence,
        last: Some(sequence),
        ..RecordFilter::default()
    };
    LedgerReader::open(path, filter)?.read_next(describe)
}

fn describe(read: &ReadRecord<'_>) -> (String, RecordResult) {
    let entry = &read.verified.entry;
    let [subject, content, detail] = read.contents.summarize(&[]);
    let parts = [tag_name(entry.tag).to_owned(), subject, content, detail];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    (
        format!("record {}: {}", entry.sequence, parts.join("; ")),
        RecordResult::new(entry, &read.contents),
    )
}
