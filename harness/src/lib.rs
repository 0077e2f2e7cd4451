//! The command `axilog`: one file per subcommand.
//!
//! Only this module formats for people. A subcommand gives a `Report` or a `Failure`;
//! the exit code follows from it: 0 success, 1 the check failed, 2 wrong usage, 3 could not run.
//! `docs/cli.md` describes every command, its options and the fields of its JSON.

#[cfg(feature = "ablation")]
mod ablation;
mod audit;
#[cfg(feature = "bundle")]
mod bundle;
mod control;
mod decision;
mod demo;
mod demo_script;
mod error;
mod expectations;
mod export;
mod export_row;
#[cfg(any(feature = "ablation", feature = "bundle"))]
mod free_server_args;
#[cfg(feature = "gateway")]
mod gateway;
mod head;
mod init;
#[cfg(any(feature = "ablation", feature = "gateway", feature = "x0l"))]
mod interrupt;
#[cfg(any(feature = "bundle", feature = "x0l"))]
mod ledger_without_policies;
mod left_out;
mod lint;
mod lookalikes;
mod mcp;
#[cfg(feature = "memory")]
mod memory;
mod observe;
mod output;
mod output_stream;
mod output_target;
#[cfg(feature = "parquet")]
mod parquet;
mod policy;
mod progress;
mod record_contents;
mod replay;
mod replay_ledger;
mod report;
mod sampling;
mod schema_files;
mod seal;
#[cfg(any(feature = "ablation", feature = "bundle", feature = "x0l"))]
mod server_args;
mod show;
mod show_graph;
mod stats;
mod table;
mod tally;
mod tidy;
mod time;
mod verify;
mod what_if;
#[cfg(feature = "x0l")]
mod x0l;

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use axilog_ledger::rules::read_policy_file;
use axilog_policyc::PolicySet;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::error::CommandError;
use output::Report;

/// Record what a model answers, decide whether a program may act on it, and prove both later.
///
/// Exit codes: 0 success; 1 a check failed, or the answer may not be acted on; 2 wrong usage; 3 the command could
/// not run.
#[derive(Parser)]
#[command(name = "axilog", version, max_term_width = 80)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Args),
    Init(init::Args),
    Observe(observe::Args),
    Time(time::Args),
    Control(control::Args),
    Seal(seal::Args),
    Tidy(tidy::Args),
    Verify(verify::Args),
    Replay(replay::Args),
    Audit(audit::Args),
    Head(head::Args),
    Show(show::Args),
    Stats(stats::Args),
    Lint(lint::Args),
    Export(export::Args),
    Report(report::Args),
    Policy(policy::Args),
    Mcp(mcp::Args),
    #[cfg(feature = "ablation")]
    Ablation(ablation::Args),
    #[cfg(feature = "bundle")]
    Bundle(bundle::Args),
    #[cfg(feature = "gateway")]
    Gateway(gateway::Args),
    #[cfg(feature = "memory")]
    Memory(memory::Args),
    #[cfg(feature = "x0l")]
    X0l(x0l::Args),
}

impl Command {
    /// Whether the command records something, which stays recorded where its result cannot be shown.
    fn records(&self) -> bool {
        match self {
            Command::Demo(_)
            | Command::Init(_)
            | Command::Observe(_)
            | Command::Time(_)
            | Command::Control(_)
            | Command::Seal(_)
            | Command::Tidy(_) => true,
            #[cfg(feature = "ablation")]
            Command::Ablation(args) => args.records(),
            #[cfg(feature = "bundle")]
            Command::Bundle(args) => args.records(),
            #[cfg(feature = "gateway")]
            Command::Gateway(args) => args.records(),
            #[cfg(feature = "memory")]
            Command::Memory(args) => args.records(),
            #[cfg(feature = "x0l")]
            Command::X0l(args) => args.records(),
            _ => false,
        }
    }
}

/// The error of a subcommand, and its exit code.
pub(crate) struct Failure {
    pub(crate) error: CommandError,
    pub(crate) code: u8,
}

/// Whether the result is wanted as JSON, and the result.
type CommandOutcome = (bool, Result<Report, Failure>);

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Failure {
        let code = error.exit_code();
        Failure { error, code }
    }
}

/// The definition of the command line, for manual pages and completions.
#[must_use]
pub fn command() -> clap::Command {
    left_out::add_to(Cli::command())
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let parsed = command().try_get_matches().and_then(|matches| {
        left_out::refuse(&matches).map_or_else(
            || Cli::from_arg_matches(&matches).map(Ok),
            |code| Ok(Err(code)),
        )
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
    let records = cli.command.records();
    let (json, result): CommandOutcome = match cli.command {
        Command::Demo(args) => (args.json, demo::run(&args)),
        Command::Init(args) => (args.json, init::run(&args)),
        Command::Observe(args) => (args.json, observe::run(&args)),
        Command::Time(args) => (args.json, time::run(&args)),
        Command::Control(args) => (args.json, control::run(&args)),
        Command::Seal(args) => (args.json, seal::run(&args)),
        Command::Tidy(args) => (args.json, tidy::run(&args)),
        Command::Verify(args) => return ExitCode::from(verify::run(&args)),
        Command::Replay(args) => return ExitCode::from(replay::run(&args)),
        Command::Audit(args) => return ExitCode::from(audit::run(&args)),
        Command::Head(args) => (args.json, head::run(&args)),
        Command::Show(args) => (args.json, show::run(&args)),
        Command::Stats(args) => (args.json, stats::run(&args)),
        Command::Lint(args) => (args.json, lint::run(&args)),
        Command::Export(args) => (args.json, export::run(&args)),
        Command::Report(args) => (args.json, report::run(&args)),
        Command::Policy(args) => (args.json(), policy::run(&args)),
        Command::Mcp(args) => return ExitCode::from(mcp::run(&args)),
        #[cfg(feature = "ablation")]
        Command::Ablation(args) => ablation::run(&args),
        #[cfg(feature = "bundle")]
        Command::Bundle(args) => bundle::run(&args),
        #[cfg(feature = "gateway")]
        Command::Gateway(args) => gateway::run(&args),
        #[cfg(feature = "memory")]
        Command::Memory(args) => memory::run(&args),
        #[cfg(feature = "x0l")]
        Command::X0l(args) => x0l::run(&args),
    };
    ExitCode::from(if records {
        output::write_recorded_result(json, result)
    } else {
        output::write_result(json, result)
    })
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
