//! `axilog memory`: the Oracle memory.

mod event;
mod fact;
mod gate;
mod history;
mod init;
mod ledger;
mod notebook;
mod options;
mod pvib;
mod rebuild;
mod recall;
mod retract;
mod show;
mod shown;
mod unlock;
mod working_set;

use std::path::{Path, PathBuf};

use crate::Failure;
use crate::output::Report;

/// Keep the facts of a long game outside any chat with a model, and print what a model may read.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// An axilog ledger that has where the log ends: the command refuses a log that lacks a head of the ledger, and records
    /// the head of what it appended. A ledger that is not there is begun.
    #[arg(long, global = true, value_name = "FILE")]
    ledger: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Init(init::Args),
    Event(event::Args),
    Fact(fact::Args),
    Retract(retract::Args),
    History(history::Args),
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
            | Command::Retract(_)
            | Command::Recall(_)
            | Command::Notebook(_)
            | Command::Rebuild(_) => true,
            Command::WorkingSet(args) => args.records(),
            Command::Pvib(args) => args.records(),
            Command::History(_)
            | Command::Unlock(_)
            | Command::Gate(_)
            | Command::Show(_)
            | Command::Shown(_) => false,
        }
    }
}

impl Command {
    /// The database.
    fn db(&self) -> &Path {
        match self {
            Command::Init(args) => &args.db,
            Command::Event(args) => &args.db,
            Command::Fact(args) => &args.db,
            Command::Retract(args) => &args.db,
            Command::History(args) => &args.db,
            Command::Unlock(args) => &args.db,
            Command::Recall(args) => &args.db,
            Command::Notebook(args) => args.db(),
            Command::WorkingSet(args) => &args.db,
            Command::Pvib(args) => &args.db,
            Command::Rebuild(args) => &args.db,
            Command::Gate(args) => &args.db,
            Command::Show(args) => &args.db,
            Command::Shown(args) => &args.db,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let Some(ledger) = &args.ledger else {
        return run_command(&args.command);
    };
    let db = args.command.db();
    match &args.command {
        Command::Init(_) => ledger::refuse_used(ledger)?,
        _ => ledger::compare(db, ledger, args.records())?,
    }
    let result = run_command(&args.command);
    // A command that refuses may have logged something all the same, as a guess; an `init` has not.
    let is_begun = result.is_ok() || !matches!(args.command, Command::Init(_));
    match args.records() && is_begun && db.exists() {
        false => result,
        true => ledger::record(db, ledger).and(result),
    }
}

fn run_command(command: &Command) -> Result<Report, Failure> {
    match command {
        Command::Init(args) => init::run(args),
        Command::Event(args) => event::run(args),
        Command::Fact(args) => fact::run(args),
        Command::Retract(args) => retract::run(args),
        Command::History(args) => history::run(args),
        Command::Unlock(args) => unlock::run(args),
        Command::Recall(args) => recall::run(args),
        Command::Notebook(args) => notebook::run(args),
        Command::WorkingSet(args) => working_set::run(args),
        Command::Pvib(args) => pvib::run(args),
        Command::Rebuild(args) => rebuild::run(args),
        Command::Gate(args) => gate::run(args),
        Command::Show(args) => show::run(args),
        Command::Shown(args) => shown::run(args),
    }
}
