//! `axilog init`: begins a ledger.

use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_ledger::manifest::Manifest;
use axilog_ledger::rules::{RuleSet, load_builtin_policies};
use axilog_ledger::session::Session;

use super::output::Report;
use super::{Failure, decision, now, read_named_policies, table};
use crate::error::CommandError;

/// Begin a ledger: keep the configuration, record a reset and the time.
///
/// The file must be absent, empty, or hold the genesis only; a ledger is never overwritten. The
/// agent is ENABLED afterwards. With --name or --note a manifest with them is kept too, and every reset
/// binds the ledger to it. JSON: the fields of the time's decision, and `configuration`.
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
    /// The ledger's name, 1 to 256 visible ASCII characters without `+`, to which it is bound.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A text for people, at most 4096 bytes, to which the ledger is bound.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
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
    let time = args.time.unwrap_or_else(now);
    let begun = match (&args.name, &args.note) {
        (None, None) => Session::create(&args.file, rules, time)?,
        (name, note) => {
            let manifest = Manifest::new(name.as_deref(), note.as_deref())
                .map_err(CommandError::InvalidManifest)?;
            Session::create_with_manifest(&args.file, &rules, &manifest, time)?
        }
    };
    let (session, [_, decision]) = begun;
    let configuration = hex(&session.rules().hash());

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
