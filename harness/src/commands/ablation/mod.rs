//! `axilog ablation`: the experiment of `axilog_ablation` as commands.

mod calibrate;
mod compare;
mod comparison_table;
mod declared_primary;
mod environment;
mod environment_option;
mod experiment_directory;
mod oracle_options;
mod preflight;
mod replay;
mod replay_comparison;
mod run;
mod run_cost;
mod run_directory;
mod run_files;
mod run_report;
mod sealed_runs;

use crate::Failure;
use crate::output::Report;

/// Test whether a model chooses otherwise when it is shown its own last justification.
///
/// The model acts step by step in an environment and justifies each choice. Its last justification that was accepted, the
/// precedent, stands in the next prompt. Runs with and without this memory have prompts of the same number of tokens, and
/// are compared by what was chosen and done. Begin with `calibrate`, then `run`. Agents that need no model ship, as
/// `--oracle agent:precedent`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Preflight(preflight::Args),
    Calibrate(calibrate::Args),
    Run(run::Args),
    Replay(replay::Args),
    Compare(compare::Args),
    Environment(environment::Args),
}

impl Args {
    /// Whether the command writes to a ledger, whatever becomes of its result.
    pub(crate) fn records(&self) -> bool {
        matches!(self.command, Command::Calibrate(_) | Command::Run(_))
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Preflight(args) => preflight::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Run(args) => run::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Environment(args) => environment::run(args),
    }
}
