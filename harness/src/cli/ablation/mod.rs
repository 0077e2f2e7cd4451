//! `axilog ablation`: whether precedent memory matters to an oracle's choices.

mod calibrate;
mod compare;
mod folder;
mod oracle;
mod preflight;
mod replay;
mod run;

use super::Failure;
use super::output::Report;

/// Whether precedent memory matters to an oracle's choices, under a constant prompt length.
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
    Replay(replay::Args),
    Compare(compare::Args),
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            Command::Preflight(args) => args.json,
            Command::Calibrate(args) => args.json,
            Command::Run(args) => args.json,
            Command::Replay(args) => args.json,
            Command::Compare(args) => args.json,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Preflight(args) => preflight::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Run(args) => run::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Compare(args) => compare::run(args),
    }
}
