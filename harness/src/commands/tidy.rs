//! `axilog tidy`: moves aside what interrupted writers left of a ledger.

use std::path::PathBuf;

use axilog_ledger::json_report::decision::{left_behind_json, torn_line_json};
use axilog_ledger::session::tidy::{TidiedLedger, tidy_ledger};
use serde_json::json;

use crate::Failure;
use crate::output::Report;
use crate::output::table;
use crate::read_named_policies;

/// Move aside what a killed or failed writer left of a ledger. Every command that writes does this too.
///
/// A torn last line is moved to LEDGER.torn-N, and blobs that no record names to LEDGER.left-behind. An interrupted
/// step is completed. Of a sealed ledger only the blobs are tidied.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    ledger: PathBuf,
    /// The ledger's policies, where its configuration is not beside it.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let policies = read_named_policies(args.policies.as_deref())?;
    let TidiedLedger {
        torn_line,
        completed_records,
        left_behind,
    } = tidy_ledger(&args.ledger, policies.as_ref())?;
    let torn = torn_line.as_ref().map_or("none".to_owned(), |torn| {
        format!("{} bytes moved to {}", torn.bytes, torn.path.display())
    });
    let left = left_behind.as_ref().map_or("none".to_owned(), |left| {
        let files = table::count_of(left.files, "file");
        format!("{files} moved to {}", left.directory.display())
    });
    Ok(Report {
        passed: true,
        text: table::format_pairs(&[
            ("TIDY", args.ledger.display().to_string()),
            ("torn line", torn),
            (
                "completed",
                format!("{} added", table::count_of(completed_records, "record")),
            ),
            ("left behind", left),
        ]),
        json: json!({
            "ledger": args.ledger.to_string_lossy(),
            "torn": torn_line_json(torn_line.as_ref()),
            "completed_records": completed_records,
            "left_behind": left_behind_json(left_behind.as_ref()),
        }),
        notes: Vec::new(),
    })
}
