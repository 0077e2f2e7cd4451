//! `axilog memory`: the Oracle memory.

mod event;
mod fact;
mod gate;
mod init;
mod notebook;
mod options;
mod pvib;
mod rebuild;
mod recall;
mod show;
mod unlock;
mod working_set;

use super::Failure;
use super::output::Report;

/// What a long game knows, kept outside any chat: a log, and what is derived from it.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Init(init::Args),
    Event(event::Args),
    Fact(fact::Args),
    Unlock(unlock::Args),
    Recall(recall::Args),
    Notebook(notebook::Args),
    WorkingSet(working_set::Args),
    Pvib(pvib::Args),
    Rebuild(rebuild::Args),
    Gate(gate::Args),
    Show(show::Args),
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            Command::Init(args) => args.json,
            Command::Event(args) => args.json,
            Command::Fact(args) => args.json,
            Command::Unlock(args) => args.json,
            Command::Recall(args) => args.json,
            Command::Notebook(args) => args.json(),
            Command::WorkingSet(args) => args.json,
            Command::Pvib(args) => args.json,
            Command::Rebuild(args) => args.json,
            Command::Gate(args) => args.json,
            Command::Show(args) => args.json,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Init(args) => init::run(args),
        Command::Event(args) => event::run(args),
        Command::Fact(args) => fact::run(args),
        Command::Unlock(args) => unlock::run(args),
        Command::Recall(args) => recall::run(args),
        Command::Notebook(args) => notebook::run(args),
        Command::WorkingSet(args) => working_set::run(args),
        Command::Pvib(args) => pvib::run(args),
        Command::Rebuild(args) => rebuild::run(args),
        Command::Gate(args) => gate::run(args),
        Command::Show(args) => show::run(args),
    }
}
