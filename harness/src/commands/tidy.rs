//! `axilog tidy`: moves aside what interrupted writers left of a ledger.

use std::borrow::Cow;
use std::path::PathBuf;

use axilog_ledger::session::tidy::tidy_ledger;
use serde::Serialize;

use crate::Failure;
use crate::output::Report;
use crate::output::recovery::LedgerRecovery;
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
}

/// What was put in order of a ledger.
#[derive(Serialize)]
struct TidyResult<'a> {
    ledger: Cow<'a, str>,
    #[serde(flatten)]
    recovery: LedgerRecovery,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let policies = read_named_policies(args.policies.as_deref())?;
    let tidied = tidy_ledger(&args.ledger, policies.as_ref())?;
    let torn = tidied.torn_line.as_ref();
    let torn = torn.map_or("none".to_owned(), |torn| {
        format!("{} bytes moved to {}", torn.bytes, torn.path.display())
    });
    let left = tidied.left_behind.as_ref();
    let left = left.map_or("none".to_owned(), |left| {
        let files = table::count_of(left.files, "file");
        format!("{files} moved to {}", left.directory.display())
    });
    let completed = table::count_of(tidied.completed_records, "record");
    let text = table::format_pairs(&[
        ("TIDY", args.ledger.display().to_string()),
        ("torn line", torn),
        ("completed", format!("{completed} added")),
        ("left behind", left),
    ]);
    let result = TidyResult {
        ledger: args.ledger.to_string_lossy(),
        recovery: LedgerRecovery::of_tidied(&tidied),
    };
    Ok(Report::new(true, text, &result))
}
