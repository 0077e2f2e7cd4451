//! `axilog replay`: decides everything again and compares.

use std::fs::File;
use std::path::PathBuf;

use serde_json::Value;

use super::output::Report;
use super::{Failure, named_policies, table, verify};
use crate::error::Error;
use crate::ledger_file::hex;
use crate::ledger_file::replay::replay;
use crate::ledger_file::verify::Expected;

/// Replay a ledger: run policies and agent afresh on the recorded observations and compare every
/// record, byte for byte. No oracle is called.
///
/// The rules are the ledger's own configuration, kept beside it; where it is missing, the built-in
/// policies serve if they are the ledger's, else --policies must name them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    #[command(flatten)]
    expected: verify::ExpectedArgs,
    /// Policy file in canonical form, which must be the ledger's.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    /// The model that an oracle must have; may be given for several oracles.
    #[arg(long, value_name = "ORACLE=MODEL", value_parser = pair)]
    expect_model: Vec<(String, String)>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((oracle, model)) if !oracle.is_empty() && !model.is_empty() => {
            Ok((oracle.to_owned(), model.to_owned()))
        }
        _ => Err("expected ORACLE=MODEL".to_owned()),
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let policies = named_policies(args.policies.as_deref())?;
    let expected = Expected {
        models: args.expect_model.clone(),
        ..args.expected.expected()
    };
    let path = &args.file;
    let opening = Error::io(path, "open the ledger");
    let file = File::open(path).map_err(opening)?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(Error::NotAFile(path.clone()).into());
    }
    let replayed = replay(file, path, policies.as_ref(), &expected, &mut |_| {})?;
    let mut report = verify::report(path, &replayed.checked);
    let (Some((rules, source)), true) = (&replayed.rules, report.fine) else {
        return Ok(report);
    };
    // A ledger of which nothing was decided has no agent yet.
    let Ok((agent, step)) = replayed.checked.replay.resume() else {
        return Ok(report);
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
    Ok(report)
}
