//! The subcommands of `axilog`, one file or folder each, named as it is typed.

#[cfg(feature = "ablation")]
mod ablation;
mod audit;
#[cfg(feature = "bundle")]
mod bundle;
#[cfg(feature = "heads")]
mod check;
#[cfg(feature = "heads")]
mod checkpoint;
mod completions;
mod control;
mod demo;
mod diff;
mod export;
#[cfg(feature = "gateway")]
mod gateway;
mod head;
mod init;
#[cfg(feature = "heads")]
mod key;
mod lint;
mod mcp;
#[cfg(feature = "memory")]
mod memory;
mod observe;
mod policy;
#[cfg(feature = "heads")]
mod prove;
mod replay;
mod report;
mod seal;
mod show;
mod stats;
mod tidy;
mod time;
mod verify;
#[cfg(feature = "witness")]
mod witness;
#[cfg(feature = "x0l")]
mod x0l;

use std::process::ExitCode;

use clap::Subcommand;

use crate::output;

#[derive(Subcommand)]
pub(crate) enum Command {
    Demo(demo::Args),
    Init(init::Args),
    Observe(observe::Args),
    Time(time::Args),
    Control(control::Args),
    Seal(seal::Args),
    Tidy(tidy::Args),
    Verify(verify::Args),
    Replay(replay::Args),
    Audit(audit::Args),
    Head(head::Args),
    Show(show::Args),
    Tail(show::tail::Args),
    Diff(diff::Args),
    Stats(stats::Args),
    Lint(lint::Args),
    Export(export::Args),
    Report(report::Args),
    Policy(policy::Args),
    Completions(completions::Args),
    Mcp(mcp::Args),
    #[cfg(feature = "heads")]
    Key(key::Args),
    #[cfg(feature = "heads")]
    Checkpoint(checkpoint::Args),
    #[cfg(feature = "heads")]
    Prove(prove::Args),
    #[cfg(feature = "heads")]
    Check(check::Args),
    #[cfg(feature = "ablation")]
    Ablation(ablation::Args),
    #[cfg(feature = "bundle")]
    Bundle(bundle::Args),
    #[cfg(feature = "gateway")]
    Gateway(gateway::Args),
    #[cfg(feature = "memory")]
    Memory(memory::Args),
    #[cfg(feature = "witness")]
    Witness(witness::Args),
    #[cfg(feature = "x0l")]
    X0l(x0l::Args),
}

impl Command {
    /// Whether the command records something, which stays recorded where its result cannot be shown.
    fn records(&self) -> bool {
        match self {
            Command::Demo(_)
            | Command::Init(_)
            | Command::Observe(_)
            | Command::Time(_)
            | Command::Control(_)
            | Command::Seal(_)
            | Command::Tidy(_) => true,
            #[cfg(feature = "heads")]
            Command::Key(args) => args.makes_key(),
            #[cfg(feature = "heads")]
            Command::Checkpoint(args) => args.keeps_checkpoint(),
            #[cfg(feature = "ablation")]
            Command::Ablation(args) => args.records(),
            #[cfg(feature = "bundle")]
            Command::Bundle(args) => args.records(),
            #[cfg(feature = "gateway")]
            Command::Gateway(args) => args.records(),
            #[cfg(feature = "memory")]
            Command::Memory(args) => args.records(),
            #[cfg(feature = "witness")]
            Command::Witness(_) => true,
            #[cfg(feature = "x0l")]
            Command::X0l(args) => args.records(),
            _ => false,
        }
    }

    /// Runs the command, prints its result as text or `json`, and gives its exit code.
    pub(crate) fn run(self, json: bool) -> ExitCode {
        let records = self.records();
        let result = match self {
            Command::Demo(args) => demo::run(&args),
            Command::Init(args) => init::run(&args),
            Command::Observe(args) => observe::run(&args),
            Command::Time(args) => time::run(&args),
            Command::Control(args) => control::run(&args),
            Command::Seal(args) => seal::run(&args),
            Command::Tidy(args) => tidy::run(&args),
            Command::Verify(args) => return ExitCode::from(verify::run(&args, json)),
            Command::Replay(args) => return ExitCode::from(replay::run(&args, json)),
            Command::Audit(args) => return ExitCode::from(audit::run(&args, json)),
            Command::Head(args) => head::run(&args),
            Command::Show(args) => show::run(&args, json),
            Command::Tail(args) => show::tail::run(&args, json),
            Command::Diff(args) => diff::run(&args),
            Command::Stats(args) => stats::run(&args),
            Command::Lint(args) => lint::run(&args),
            Command::Export(args) => export::run(&args),
            Command::Report(args) => report::run(&args),
            Command::Policy(args) => policy::run(&args),
            Command::Completions(args) => Ok(completions::run(&args)),
            Command::Mcp(args) => return ExitCode::from(mcp::run(&args)),
            #[cfg(feature = "heads")]
            Command::Key(args) => key::run(&args),
            #[cfg(feature = "heads")]
            Command::Checkpoint(args) => checkpoint::run(&args),
            #[cfg(feature = "heads")]
            Command::Prove(args) => prove::run(&args),
            #[cfg(feature = "heads")]
            Command::Check(args) => check::run(&args),
            #[cfg(feature = "ablation")]
            Command::Ablation(args) => ablation::run(&args),
            #[cfg(feature = "bundle")]
            Command::Bundle(args) => bundle::run(&args),
            #[cfg(feature = "gateway")]
            Command::Gateway(args) => gateway::run(&args, json),
            #[cfg(feature = "memory")]
            Command::Memory(args) => memory::run(&args),
            #[cfg(feature = "witness")]
            Command::Witness(args) => witness::run(&args, json),
            #[cfg(feature = "x0l")]
            Command::X0l(args) => x0l::run(&args),
        };
        ExitCode::from(if records {
            output::write_recorded_result(json, result)
        } else {
            output::write_result(json, result)
        })
    }
}
