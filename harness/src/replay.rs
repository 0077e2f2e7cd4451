//! `axilog replay`: decides everything again and compares.

use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;
use axilog_ledger::file::hex;
use axilog_ledger::file::replay::{Replayed, replay};
use axilog_ledger::file::verify::Expected;
use axilog_policyc::PolicySet;
use serde_json::Value;

use super::output::{Report, finish_each};
use super::{Failure, expected, named_policies, progress, table, verify, what_if};

/// Replay ledgers: run policies and agent afresh on the recorded observations and compare every
/// record, byte for byte. No oracle is called.
///
/// The rules are the ledger's own configuration, kept beside it; where it is missing, the built-in
/// policies serve if they are the ledger's, else --policies must name them. With --what-if the
/// policies named are others, and every decision is listed that they would have changed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    expected: expected::ExpectedArgs,
    /// Policy file in canonical form, which must be the ledger's unless --what-if is given.
    #[arg(long, value_name = "POLICIES")]
    policies: Option<PathBuf>,
    /// List every decision that the policies named by --policies would have changed.
    #[arg(long, requires = "policies")]
    what_if: bool,
    /// One JSON object for each FILE, a line each, on standard output.
    #[arg(long)]
    json: bool,
}

/// Replays every file and gives the exit code.
pub(crate) fn run(args: &Args) -> u8 {
    let given = args.expected.of(&args.files).and_then(|expected| {
        let policies = named_policies(args.policies.as_deref())?;
        Ok((expected, policies))
    });
    finish_each(
        args.json,
        &args.files,
        given,
        |path, (expected, policies)| match policies {
            Some(policies) if args.what_if => what_if::run(path, policies, expected, args.json),
            policies => {
                let replayed = replayed(path, policies.as_ref(), expected)?;
                Ok(report(path, &replayed))
            }
        },
    )
}

/// Replays the ledger at `path`, which must be a regular file: it is read twice.
pub(crate) fn replayed(
    path: &Path,
    policies: Option<&PolicySet>,
    expected: &Expected,
) -> Result<Replayed, Failure> {
    let ledger = progress::open(path)?;
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(FileError::NotAFile(path.to_owned()).into());
    }
    Ok(replay(ledger, path, policies, expected, &mut |_| {})?)
}

/// The report on a replayed ledger.
pub(crate) fn report(path: &Path, replayed: &Replayed) -> Report {
    let mut report = verify::report(path, &replayed.checked);
    let (Some((rules, source)), true) = (&replayed.rules, report.fine) else {
        return report;
    };
    // A ledger of which nothing was decided has no agent yet.
    let Ok((agent, step)) = replayed.checked.replay.resume() else {
        return report;
    };
    let configuration = hex(&rules.hash());
    report.text.push_str(&table::pairs(&[
        (
            "state",
            format!("{}, {} faults", agent.health.as_str(), agent.fault_count),
        ),
        ("time", agent.last_timestamp.to_string()),
        ("rules", format!("{configuration} ({})", source.as_str())),
    ]));
    if step.is_some() {
        report.notes.push(format!(
            "{}: the last step was interrupted; the next observation completes it",
            path.display()
        ));
    }
    let fields: [(&str, Value); 6] = [
        ("health", agent.health.as_str().into()),
        ("fault_count", agent.fault_count.into()),
        ("last_timestamp", agent.last_timestamp.into()),
        ("configuration", configuration.into()),
        ("configuration_source", source.as_str().into()),
        ("interrupted", step.is_some().into()),
    ];
    if let Some(object) = report.json.as_object_mut() {
        object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    }
    report
}
