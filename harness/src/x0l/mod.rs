//! `axilog x0l`: the live harness for language models.

mod calibrate;
mod canonicalize;
mod examples;
mod preflight;
mod replay;
mod report;
mod run;
mod settings;
mod watching;

use axilog_x0l::log::SessionMetadata;

use super::Done;

/// The live harness: from a language model's raw answer to a decision.
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
    Examples(examples::Args),
    Canonicalize(canonicalize::Args),
    Replay(replay::Args),
    Report(report::Args),
}

pub(crate) fn run(args: &Args) -> Done {
    match &args.command {
        Command::Preflight(args) => (args.chosen.json, preflight::run(args)),
        Command::Calibrate(args) => (args.json, calibrate::run(args)),
        Command::Run(args) => (args.chosen.json, run::run(args)),
        Command::Examples(args) => (args.json, examples::run(args)),
        Command::Canonicalize(args) => (false, canonicalize::run(args)),
        Command::Replay(args) => (args.json, replay::run(args)),
        Command::Report(args) => (args.json, report::run(args)),
    }
}

/// How a run ended, in a word.
fn outcome(metadata: Option<&SessionMetadata>) -> &'static str {
    match metadata.map(|metadata| &metadata.outcome) {
        None => "unknown",
        Some(None) => "not at all: killed, or still going on",
        Some(Some(outcome)) => outcome.status.as_str(),
    }
}
