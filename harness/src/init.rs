//! `axilog init`: begins a ledger.

use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_ledger::rules::{RuleSet, load_builtin_policies};
use axilog_ledger::session::Session;

use super::output::Report;
use super::{Failure, decision, now, read_named_policies, table};

/// Begin a ledger: keep the configuration, record a reset and the time.
///
/// The file must be absent, empty, or hold the genesis only; a ledger is never overwritten. The
/// agent is ENABLED afterwards. JSON: the fields of the time's decision, and `configuration`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// Policy file in canonical form; the built-in policies where absent.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    /// Stop the agent on an inadmissible answer instead of alarming it.
    #[arg(long)]
    stop_on_invalid: bool,
    /// Judge an answer that was cut like a whole one.
    #[arg(long)]
    permit_truncated: bool,
    /// The present time, in the unit of later `axilog time`s; seconds since 1970 where absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let policies = match read_named_policies(args.policies.as_deref())? {
        Some(policies) => policies,
        None => load_builtin_policies()?,
    };
    let rules = RuleSet::new(policies, args.permit_truncated, args.stop_on_invalid);
    let configuration = hex(&rules.hash());
    let time = args.time.unwrap_or_else(now);
    let (session, [_, decision]) = Session::create(&args.file, rules, time)?;

    let mut report = decision::report(&session, &decision, true);
    report.notes = decision::opening_notes(&session, false);
    if let Some(object) = report.json.as_object_mut() {
        object.insert("configuration".to_owned(), configuration.clone().into());
    }
    report.text = table::format_pairs(&[
        (
            "ledger",
            format!("{}, {} records", args.file.display(), decision.entries),
        ),
        ("state", decision::describe_states(&decision)),
        ("time", time.to_string()),
        ("rules", configuration),
        ("head", hex(&decision.head)),
    ]);
    Ok(report)
}
