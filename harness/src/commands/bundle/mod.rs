//! `axilog bundle`: what a model gets to see of a pipeline step.

mod ask;
mod build;
mod check;
mod consult;
mod inputs;
mod match_file;
mod render;

use axilog_bundle::SCHEMA;

use crate::Failure;
use crate::output::Report;

/// Describe a pipeline step to a model (Step Awareness Bundles), and ask it about the step.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Build(build::Args),
    Render(render::Args),
    Check(check::Args),
    Match(match_file::Args),
    Ask(ask::Args),
    /// Print the JSON Schema of a bundle (draft 2020-12).
    Schema,
}

impl Args {
    /// Whether the command writes to a ledger, whatever becomes of its result.
    pub(crate) fn records(&self) -> bool {
        matches!(self.command, Command::Ask(_))
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Build(args) => build::run(args),
        Command::Render(args) => render::run(args),
        Command::Check(args) => check::run(args),
        Command::Match(args) => match_file::run(args),
        Command::Ask(args) => ask::run(args),
        Command::Schema => Ok(Report {
            text: SCHEMA.to_owned(),
            ..Report::without_result(true)
        }),
    }
}
