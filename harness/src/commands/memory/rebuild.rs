//! `axilog memory rebuild`: derives the tables from the log again.

use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_memory::{Handle, MemoryStore, Rebuilt, RemadeOutputs, ShownDifference, ShownKind};
use serde::Serialize;

use super::options::{ExpectedHead, PinsHere};
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Derive every table from the log again, assert the pins, and make again what a model's side was shown.
///
/// The command checks the hash chain of the log on the way. It exits 1, and leaves the tables as they
/// were, where the log differs from what was appended, a pin has another value than in the log, or nothing says what it is
/// here. Each output that was
/// shown is made from the entries before its own. It exits 1 too where one has other bytes than its entry says; the
/// tables are derived then.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    #[command(flatten)]
    pins: PinsHere,
    #[command(flatten)]
    expected: ExpectedHead,
}

/// What was derived from the log again.
#[derive(Serialize)]
struct RebuildResult<'a> {
    /// Whether every output is the one that was shown.
    ok: bool,
    /// How many entries the log has.
    entries: u64,
    /// The chain value of the last one.
    head: &'a str,
    /// The pins of which this machine has nothing.
    absent_pins: &'a [String],
    shown: RemadeResult<'a>,
}

/// What became of the outputs that were shown.
#[derive(Serialize)]
struct RemadeResult<'a> {
    /// How many were made again, byte for byte.
    same: u64,
    /// How many narrations were refused, of which the log has the hash alone.
    refused_narrations: u64,
    /// The entries of outputs that this build does not make, since the pins were others.
    other_pins: &'a [u64],
    differences: Vec<DifferentOutput<'a>>,
}

/// An output that is another one now.
#[derive(Serialize)]
struct DifferentOutput<'a> {
    /// The number of its entry.
    seq: u64,
    kind: ShownKind,
    /// The hash of the bytes that were shown.
    expected: Handle,
    /// The hash of the bytes that are made now, where they can be made.
    found: Option<Handle>,
    reason: &'a str,
}

impl RemadeResult<'_> {
    fn new(shown: &RemadeOutputs) -> RemadeResult<'_> {
        RemadeResult {
            same: shown.same,
            refused_narrations: shown.refused_narrations,
            other_pins: &shown.other_pins,
            differences: shown.differences.iter().map(DifferentOutput::new).collect(),
        }
    }
}

impl DifferentOutput<'_> {
    fn new(difference: &ShownDifference) -> DifferentOutput<'_> {
        DifferentOutput {
            seq: difference.seq,
            kind: difference.kind,
            expected: difference.expected,
            found: difference.found,
            reason: &difference.reason,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let mut store = MemoryStore::open_to_rebuild(&args.db)?;
    args.expected.assert(store.reader())?;
    let pins = args.pins.to_machine_pins();
    let Rebuilt { head, shown } = store.rebuild_asserting(&pins)?;
    let chain = head.chain.as_ref().map(hex).unwrap_or_default();
    let passed = shown.differences.is_empty();
    let mut rows = vec![("entries", head.seq.to_string()), ("head", chain.clone())];
    let mut say = |line: String| {
        let label = if rows.len() == 2 { "shown" } else { "" };
        rows.push((label, line));
    };
    say(format!(
        "{} made again, byte for byte",
        table::count_of(shown.same, "output")
    ));
    if shown.refused_narrations > 0 {
        let refused = table::count_of(shown.refused_narrations, "refused narration");
        say(format!("{refused}, of which the log has the hash alone"));
    }
    if !shown.other_pins.is_empty() {
        let entries = shown.list_other_pins();
        say(format!(
            "not made again, as the pins were others than this build's: entries {entries}"
        ));
    }
    if !pins.absent.is_empty() {
        rows.push(("absent pins", pins.absent.join(", ")));
    }
    for difference in shown.differences.iter().take(MAX_DIFFERENCES) {
        rows.push(("differs", difference.to_string()));
    }
    if shown.differences.len() > MAX_DIFFERENCES {
        let more = shown.differences.len() - MAX_DIFFERENCES;
        rows.push(("", format!("and {more} more")));
    }
    let result = RebuildResult {
        ok: passed,
        entries: head.seq,
        head: &chain,
        absent_pins: &pins.absent,
        shown: RemadeResult::new(&shown),
    };
    Ok(Report::new(passed, table::format_pairs(&rows), &result))
}

/// How many differences are printed; every one is counted, and stands in the JSON.
const MAX_DIFFERENCES: usize = 20;
