//! `axilog memory rebuild`: derives the tables from the log again.

use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_memory::{MemoryStore, Rebuilt, ShownDifference};
use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, table};
use super::options::{ExpectedHead, Pin, pin_pairs};

/// Derive every table from the log again, assert the pins, and make again what a model's side was shown.
///
/// The command checks the hash chain of the log on the way. It exits 1, and leaves the tables as they
/// were, where the log differs from what was appended, or a pin has another value than in the log. Each output that was
/// shown is made from the entries before its own. It exits 1 too where one has other bytes than its entry says; the
/// tables are derived then.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// The value of a pin on this machine; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pin: Vec<Pin>,
    #[command(flatten)]
    expected: ExpectedHead,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let mut store = MemoryStore::open_to_rebuild(&args.db)?;
    args.expected.assert(store.reader())?;
    let Rebuilt { head, shown } = store.rebuild_asserting(&pin_pairs(&args.pin))?;
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
    for difference in shown.differences.iter().take(MAX_DIFFERENCES) {
        rows.push(("differs", difference.to_string()));
    }
    if shown.differences.len() > MAX_DIFFERENCES {
        let more = shown.differences.len() - MAX_DIFFERENCES;
        rows.push(("", format!("and {more} more")));
    }
    Ok(Report {
        passed,
        text: table::format_pairs(&rows),
        json: json!({
            "ok": passed,
            "entries": head.seq,
            "head": chain,
            "shown": {
                "same": shown.same,
                "refused_narrations": shown.refused_narrations,
                "other_pins": shown.other_pins,
                "differences": shown.differences.iter().map(to_object).collect::<Vec<Value>>(),
            },
        }),
        notes: Vec::new(),
    })
}

/// How many differences are printed; every one is counted, and stands in the JSON.
const MAX_DIFFERENCES: usize = 20;

fn to_object(difference: &ShownDifference) -> Value {
    json!({
        "seq": difference.seq,
        "kind": difference.kind,
        "expected": difference.expected,
        "found": difference.found,
        "reason": difference.reason,
    })
}
