//! `axilog head`: how long a ledger is and where it ends.

use std::path::{Path, PathBuf};

use axilog_ledger::encoding::hex;
use axilog_ledger::json_report::head::LedgerHead;
use axilog_ledger::manifest::{FoundManifest, Predecessor};

use crate::Failure;
use crate::options::expectations;
use crate::output::Report;
use crate::output::table;
use crate::output::verification::report_verification;
use crate::replay_ledger::{describe_decisions, open_regular_file};

/// Print a ledger's number of records, its head, its agent's state, and whether it is sealed.
///
/// The ledger is replayed on the way. Where it is damaged, or its decisions are not those of its rules, the command
/// prints the verdict and no head. A ledger without decisions is only verified, and the output says so.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    #[command(flatten)]
    rules: expectations::RulesArgs,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let policies = args.rules.read_policies()?;
    let rules = args.rules.expect(policies.as_ref());
    let head = LedgerHead::read(open_regular_file(path)?, path, rules)?;
    let text = describe(path, &head);
    Ok(Report::new(head.is_good(), text, &head.to_json(path)))
}

fn describe(path: &Path, head: &LedgerHead) -> String {
    let verified = &head.replayed.verification;
    if verified.fault.is_some() {
        return report_verification(path, verified).text;
    }
    let (ledger, entries) = (verified.replay.ledger(), verified.replay.entries());
    let sealed = if ledger.sealed { ", sealed" } else { "" };
    let mut rows = vec![
        ("records", format!("{entries}{sealed}")),
        ("head", hex(&ledger.head)),
    ];
    if ledger.sealed {
        let expected = head.expected_entries();
        rows.push((
            "expect",
            format!("--expect-entries {expected} --extends {entries}:HEAD"),
        ));
    }
    rows.extend([
        ("state", head.state.as_str().to_owned()),
        ("decisions", describe_decisions(&head.replayed).to_owned()),
    ]);
    match &head.manifest {
        Some((_, FoundManifest::Good(manifest))) => {
            let name = manifest.name().map(|name| ("name", name.to_owned()));
            rows.extend(name);
            rows.extend(manifest.note().map(|note| ("note", note.to_owned())));
            if let Some(oracles) = manifest.oracles() {
                let named: Vec<&str> = oracles.iter().map(String::as_str).collect();
                rows.push(("oracles", named.join(" ")));
            }
            if manifest.requires_policy() {
                rows.push(("policy", "required for every answer".to_owned()));
            }
            rows.extend(manifest.predecessor().map(|before| {
                let Predecessor { entries, head } = before;
                ("follows", format!("{entries} records, head {head}"))
            }));
        }
        Some((_, FoundManifest::Missing)) => {
            rows.push(("manifest", "its blob is missing".to_owned()));
        }
        Some((_, FoundManifest::Bad(reason))) => {
            rows.push(("manifest", format!("is not the one named: {reason}")));
        }
        None => {}
    }
    table::format_pairs(&rows)
}
