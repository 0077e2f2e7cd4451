//! The command `axilog`.
//!
//! | folder | what it holds |
//! |---|---|
//! | `commands/` | the subcommands, one file or folder each, named as it is typed |
//! | `options/` | groups of options that several commands take |
//! | `output/` | tables, streams and files, and what is said of decisions and records |
//!
//! Only this crate formats for people. A subcommand gives a `Report` or a `Failure`; the exit code follows from it: 0
//! success, 1 the check failed, 2 wrong usage, 3 could not run.
//! `docs/cli.md` describes every command, its options and the fields of its JSON.

mod commands;
mod error;
mod exit_code;
#[cfg(any(
    feature = "ablation",
    feature = "gateway",
    feature = "witness",
    feature = "x0l"
))]
mod interrupt;
mod ledger_counts;
#[cfg(any(feature = "bundle", feature = "x0l"))]
mod ledger_without_policies;
mod left_out;
mod lookalikes;
mod options;
mod output;
mod replay_ledger;
mod tally;
mod without_json;

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use axilog_ledger::rules::read_policy_file;
use axilog_policyc::PolicySet;
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::error::CommandError;
use commands::Command;

/// Record what a model answers, decide whether a program may act on it, and prove both later.
///
/// Exit codes: 0 success; 1 a check failed, or the answer may not be acted on; 2 wrong usage; 3 the command could
/// not run.
#[derive(Parser)]
#[command(name = "axilog", version, max_term_width = 80)]
struct Cli {
    #[command(flatten)]
    color: colorchoice_clap::Color,
    /// Print JSON on standard output in place of text: one object on one line, or a line for each of several results.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

/// The error of a subcommand, and its exit code.
pub(crate) struct Failure {
    pub(crate) error: CommandError,
    pub(crate) code: u8,
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Failure {
        let code = error.exit_code();
        Failure { error, code }
    }
}

/// The definition of the command line, for manual pages and completions.
#[must_use]
pub fn command() -> clap::Command {
    without_json::hide_option(left_out::add_to(Cli::command()))
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let parsed = command().try_get_matches().and_then(|matches| {
        if let Some(code) = left_out::refuse(&matches) {
            return Ok(Err(code));
        }
        without_json::refuse(&matches)?;
        Cli::from_arg_matches(&matches).map(Ok)
    });
    let cli = match parsed {
        Ok(Ok(cli)) => cli,
        Ok(Err(code)) => return code,
        Err(error) => {
            if error.use_stderr() {
                output::write_usage_error(&error.render().to_string());
            } else {
                // Help and version are errors here too, with exit code 0. A closed pipe is no matter.
                let _ = error.print();
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    cli.color.write_global();
    cli.command.run(cli.json)
}

/// Reads the policies that an option names, if it is given: a file in canonical form, or one that ends in .toml in
/// source form, which is compiled.
fn read_named_policies(path: Option<&Path>) -> Result<Option<PolicySet>, CommandError> {
    Ok(path.map(read_policy_file).transpose()?)
}

/// Whole seconds since 1970.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
