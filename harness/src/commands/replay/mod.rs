//! `axilog replay`: decides everything again and compares.

mod what_if;

use std::path::PathBuf;

use axilog_ledger::rules::ExpectedRules;

use crate::options::expectations;
use crate::output::write_results;
use crate::replay_ledger::{replay_file, replay_report};

/// Replay ledgers: run policies and agent afresh on the recorded observations and compare every
/// record, byte for byte. No oracle is called.
///
/// The rules are those of the ledger's configuration, which is kept beside it. Where that is missing, --policies must name
/// them, unless they are the built-in ones. With --what-if the policies named are other ones, and every decision is listed
/// that they would have changed. JSON: an object for each FILE.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    expected: expectations::ExpectedArgs,
    #[command(flatten)]
    rules: expectations::RulesArgs,
    /// Take the policies of --policies for other ones than the ledger's, and list every decision that
    /// they would have changed.
    #[arg(long, requires = "policies")]
    what_if: bool,
}

/// Replays every file and gives the exit code.
pub(crate) fn run(args: &Args, json: bool) -> u8 {
    let given = args.expected.for_files(&args.files).and_then(|expected| {
        let policies = args.rules.read_policies()?;
        Ok((expected, policies))
    });
    write_results(
        json,
        &args.files,
        given,
        |path, (expected, policies)| match policies {
            Some(policies) if args.what_if => {
                let own_rules = ExpectedRules {
                    policies: None,
                    switches: args.rules.named_switches(),
                };
                what_if::run(path, policies, own_rules, expected, json)
            }
            policies => {
                let rules = args.rules.expect(policies.as_ref());
                let replayed = replay_file(path, rules, expected)?;
                Ok(replay_report(path, &replayed))
            }
        },
    )
}
