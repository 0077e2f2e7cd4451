//! `axilog x0l`: the live harness for language models.

mod canonicalize;

use super::Failure;
use super::output::Report;

/// The live harness: from a language model's raw answer to a decision.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Canonicalize(canonicalize::Args),
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Canonicalize(args) => canonicalize::run(args),
    }
}
