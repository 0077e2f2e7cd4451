//! `axilog x0l`: the live harness for language models.

#[cfg(feature = "oracle")]
mod calibrate;
mod canonicalize;
#[cfg(feature = "oracle")]
mod examples;
#[cfg(feature = "oracle")]
mod preflight;
mod replay;
mod report;
#[cfg(feature = "oracle")]
mod run;
#[cfg(feature = "oracle")]
mod settings;
#[cfg(feature = "oracle")]
mod watching;

use super::Failure;
use super::output::Report;
use crate::x0l::log::Metadata;

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
    Replay(replay::Args),
    Report(report::Args),
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            #[cfg(feature = "oracle")]
            Command::Preflight(args) => args.chosen.json,
            #[cfg(feature = "oracle")]
            Command::Calibrate(args) => args.json,
            #[cfg(feature = "oracle")]
            Command::Run(args) => args.chosen.json,
            #[cfg(feature = "oracle")]
            Command::Examples(args) => args.json,
            Command::Canonicalize(_) => false,
            Command::Replay(args) => args.json,
            Command::Report(args) => args.json,
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
        Command::Replay(args) => replay::run(args),
        Command::Report(args) => report::run(args),
    }
}

/// How a run ended, in a word.
fn outcome(metadata: Option<&Metadata>) -> &'static str {
    match metadata.map(|metadata| &metadata.outcome) {
        None => "unknown",
        Some(None) => "not at all: killed, or still going on",
        Some(Some(outcome)) => outcome.status.as_str(),
    }
}
