//! `axilog ablation`: whether precedent memory matters to an oracle's choices.

mod calibrate;
mod compare;
mod folder;
mod oracle;
mod preflight;
mod replay;
mod run;

use super::CommandOutcome;

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

pub(crate) fn run(args: &Args) -> CommandOutcome {
    match &args.command {
        Command::Preflight(args) => (args.json, preflight::run(args)),
        Command::Calibrate(args) => (args.json, calibrate::run(args)),
        Command::Run(args) => (args.json, run::run(args)),
        Command::Replay(args) => (args.json, replay::run(args)),
        Command::Compare(args) => (args.json, compare::run(args)),
    }
}
