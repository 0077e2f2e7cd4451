//! `axilog bundle`: what a model gets to see of a pipeline step.

#[cfg(feature = "oracle")]
mod ask;
mod build;
mod check;
mod inputs;
mod render;

use super::Done;
use super::output::Report;
use crate::bundle::SCHEMA;

/// Step Awareness Bundles: what a model gets to see of a pipeline step.
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
    #[cfg(feature = "oracle")]
    Ask(ask::Args),
    /// Print the JSON Schema of a bundle (draft 2020-12).
    Schema,
}

pub(crate) fn run(args: &Args) -> Done {
    match &args.command {
        Command::Build(args) => (args.json, build::run(args)),
        Command::Render(args) => (args.json, render::run(args)),
        Command::Check(args) => (args.json, check::run(args)),
        #[cfg(feature = "oracle")]
        Command::Ask(args) => (args.json, ask::run(args)),
        Command::Schema => {
            let schema = Report {
                fine: true,
                text: SCHEMA.to_owned(),
                json: serde_json::Value::Null,
                notes: Vec::new(),
            };
            (false, Ok(schema))
        }
    }
}
