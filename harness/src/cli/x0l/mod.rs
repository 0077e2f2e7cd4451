//! `axilog x0l`: the live harness for language models.

#[cfg(feature = "oracle")]
mod calibrate;
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
    #[cfg(feature = "oracle")]
    Calibrate(calibrate::Args),
    Canonicalize(canonicalize::Args),
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            #[cfg(feature = "oracle")]
            Command::Calibrate(args) => args.json,
            Command::Canonicalize(_) => false,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        #[cfg(feature = "oracle")]
        Command::Calibrate(args) => calibrate::run(args),
        Command::Canonicalize(args) => canonicalize::run(args),
    }
}
