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

use super::Done;
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

pub(crate) fn run(args: &Args) -> Done {
    match &args.command {
        #[cfg(feature = "oracle")]
        Command::Preflight(args) => (args.chosen.json, preflight::run(args)),
        #[cfg(feature = "oracle")]
        Command::Calibrate(args) => (args.json, calibrate::run(args)),
        #[cfg(feature = "oracle")]
        Command::Run(args) => (args.chosen.json, run::run(args)),
        #[cfg(feature = "oracle")]
        Command::Examples(args) => (args.json, examples::run(args)),
        Command::Canonicalize(args) => (false, canonicalize::run(args)),
        Command::Replay(args) => (args.json, replay::run(args)),
        Command::Report(args) => (args.json, report::run(args)),
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
