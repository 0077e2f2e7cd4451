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
mod shown;
mod unlock;
mod working_set;

use super::CommandOutcome;

/// Keep what a long game knows outside of any chat with a model, and print what a model may read.
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
    Shown(shown::Args),
}

impl Args {
    /// Whether the command writes to the database, whatever becomes of its result.
    pub(crate) fn records(&self) -> bool {
        match &self.command {
            Command::Init(_)
            | Command::Event(_)
            | Command::Fact(_)
            | Command::Recall(_)
            | Command::Notebook(_)
            | Command::Rebuild(_) => true,
            Command::WorkingSet(args) => args.records(),
            Command::Pvib(args) => args.records(),
            Command::Unlock(_) | Command::Gate(_) | Command::Show(_) | Command::Shown(_) => false,
        }
    }
}

pub(crate) fn run(args: &Args) -> CommandOutcome {
    match &args.command {
        Command::Init(args) => (args.json, init::run(args)),
        Command::Event(args) => (args.json, event::run(args)),
        Command::Fact(args) => (args.json, fact::run(args)),
        Command::Unlock(args) => (args.json, unlock::run(args)),
        Command::Recall(args) => (args.json, recall::run(args)),
        Command::Notebook(args) => (args.json(), notebook::run(args)),
        Command::WorkingSet(args) => (args.json, working_set::run(args)),
        Command::Pvib(args) => (args.json, pvib::run(args)),
        Command::Rebuild(args) => (args.json, rebuild::run(args)),
        Command::Gate(args) => (args.json, gate::run(args)),
        Command::Show(args) => (args.json, show::run(args)),
        Command::Shown(args) => (args.json, shown::run(args)),
    }
}
