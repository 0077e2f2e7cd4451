//! `axilog seal`: ends a ledger.

use std::borrow::Cow;
use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_ledger::session::Session;
use serde::Serialize;

use crate::Failure;
use crate::output::Report;
use crate::output::decision;
use crate::output::recovery::LedgerRecovery;
use crate::output::table;
use crate::read_named_policies;

/// End a ledger with a seal, after which nothing can be appended.
///
/// A sealed ledger is whole to its end. Whoever cuts off the end can cut off the seal with it, though: so keep the
/// head and the number of records elsewhere, for --expect-head and --expect-entries.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// The ledger's policies, where its configuration is not beside it.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
}

/// A ledger that was sealed.
#[derive(Serialize)]
struct SealResult<'a> {
    ledger: Cow<'a, str>,
    sealed: bool,
    /// The number of records, the seal included.
    entries: u64,
    /// The number of records before the seal.
    expect_entries: u64,
    head: String,
    #[serde(flatten)]
    recovery: LedgerRecovery,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let policies = read_named_policies(args.policies.as_deref())?;
    let mut session = Session::open(&args.file, policies.as_ref())?;
    session.seal()?;
    let ledger = &session.agent().ledger;
    let (before, head) = (ledger.sequence, hex(&ledger.head));
    let text = table::format_pairs(&[
        ("SEALED", args.file.display().to_string()),
        ("records", format!("{before}, and the seal")),
        ("head", head.clone()),
    ]);
    let result = SealResult {
        ledger: args.file.to_string_lossy(),
        sealed: true,
        entries: before.saturating_add(1),
        expect_entries: before,
        head,
        recovery: LedgerRecovery::of_session(&session),
    };
    let notes = decision::opening_notes(&session, false);
    Ok(Report::new(true, text, &result).with_notes(notes))
}
