//! `axilog bundle`: what a model gets to see of a pipeline step.

#[cfg(feature = "oracle")]
mod ask;
mod build;
mod check;
mod inputs;
mod render;

use super::Failure;
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

impl Args {
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            Command::Build(args) => args.json,
            Command::Render(args) => args.json,
            Command::Check(args) => args.json,
            #[cfg(feature = "oracle")]
            Command::Ask(args) => args.json,
            Command::Schema => false,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Build(args) => build::run(args),
        Command::Render(args) => render::run(args),
        Command::Check(args) => check::run(args),
        #[cfg(feature = "oracle")]
        Command::Ask(args) => ask::run(args),
        Command::Schema => Ok(Report {
            fine: true,
            text: SCHEMA.to_owned(),
            json: serde_json::Value::Null,
            notes: Vec::new(),
        }),
    }
}
