//! `axilog x0l`: the live harness for language models.

#[cfg(feature = "oracle")]
mod calibrate;
mod canonicalize;
#[cfg(feature = "oracle")]
mod examples;
#[cfg(feature = "oracle")]
mod preflight;
#[cfg(feature = "oracle")]
mod run;
#[cfg(feature = "oracle")]
mod settings;
#[cfg(feature = "oracle")]
mod watching;

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
    Preflight(preflight::Args),
    #[cfg(feature = "oracle")]
    Calibrate(calibrate::Args),
    #[cfg(feature = "oracle")]
    Run(run::Args),
    #[cfg(feature = "oracle")]
    Examples(examples::Args),
    Canonicalize(canonicalize::Args),
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            #[cfg(feature = "oracle")]
            Command::Preflight(args) => args.json(),
            #[cfg(feature = "oracle")]
            Command::Calibrate(args) => args.json,
            #[cfg(feature = "oracle")]
            Command::Run(args) => args.json(),
            #[cfg(feature = "oracle")]
            Command::Examples(args) => args.json,
            Command::Canonicalize(_) => false,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        #[cfg(feature = "oracle")]
        Command::Preflight(args) => preflight::run(args),
        #[cfg(feature = "oracle")]
        Command::Calibrate(args) => calibrate::run(args),
        #[cfg(feature = "oracle")]
        Command::Run(args) => run::run(args),
        #[cfg(feature = "oracle")]
        Command::Examples(args) => examples::run(args),
        Command::Canonicalize(args) => canonicalize::run(args),
    }
}
