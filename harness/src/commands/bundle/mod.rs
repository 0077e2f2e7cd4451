//! `axilog bundle`: what a model gets to see of a pipeline step.

mod ask;
mod build;
mod check;
mod consult;
mod inputs;
mod match_file;
mod render;

use axilog_bundle::SCHEMA;

use crate::CommandOutcome;
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

pub(crate) fn run(args: &Args) -> CommandOutcome {
    match &args.command {
        Command::Build(args) => (args.json, build::run(args)),
        Command::Render(args) => (args.json, render::run(args)),
        Command::Check(args) => (args.json, check::run(args)),
        Command::Match(args) => (args.json, match_file::run(args)),
        Command::Ask(args) => (args.json, ask::run(args)),
        Command::Schema => {
            let schema = Report {
                passed: true,
                text: SCHEMA.to_owned(),
                json: serde_json::Value::Null,
                notes: Vec::new(),
            };
            (false, Ok(schema))
        }
    }
}
