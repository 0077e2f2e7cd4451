//! `axilog x0l`: the live harness for language models, a file for each of its commands.

mod attempts;
mod calibrate;
mod canonicalize;
mod examples;
mod expected_heads;
mod judgements;
mod live_run;
mod plan;
mod preflight;
mod progress;
mod replay;
mod report;
mod review;
mod run;
mod session_args;
mod show;
mod shown_cycle_result;

use axilog_oracle::OracleKind;
use axilog_x0l::log::SessionMetadata;

use crate::Failure;
use crate::output::Report;

/// Let a language model propose actions, let a fixed kernel decide on them, and record everything
/// so that it replays without the model.
///
/// Start with `axilog x0l examples DIR`, which writes the files to try a session without a model.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Plan(plan::Args),
    Preflight(preflight::Args),
    Calibrate(calibrate::Args),
    Run(run::Args),
    Attempts(attempts::Args),
    Examples(examples::Args),
    Canonicalize(canonicalize::Args),
    Replay(replay::Args),
    Report(report::Args),
    Review(review::Args),
    Show(show::Args),
}

impl Args {
    /// Whether the command writes to a ledger or a run's directory, whatever becomes of its result.
    pub(crate) fn records(&self) -> bool {
        match &self.command {
            Command::Plan(_) | Command::Calibrate(_) | Command::Run(_) | Command::Report(_) => true,
            Command::Review(args) => args.records(),
            _ => false,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Plan(args) => plan::run(args),
        Command::Preflight(args) => preflight::run(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Attempts(args) => attempts::run(args),
        Command::Run(args) => run::run(args),
        Command::Examples(args) => examples::run(args),
        Command::Canonicalize(args) => canonicalize::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Report(args) => report::run(args),
        Command::Review(args) => review::run(args),
        Command::Show(args) => show::run(args),
    }
}

/// Parses the value of `--oracle`. The document wants an OpenAI-compatible chat completion API (B1, Q6), with its
/// key in `OPENAI_API_KEY` (Q52a).
fn parse_oracle(text: &str) -> Result<OracleKind, String> {
    const EXPECTED: &str = "expected openai, scripted:FILE or recorded:LEDGER";
    match text.parse() {
        Ok(OracleKind::Anthropic) => Err(format!(
            "X-0L asks an OpenAI-compatible chat completion API (B1); {EXPECTED}"
        )),
        Ok(kind) => Ok(kind),
        Err(_) => Err(format!("there is no oracle {text:?}; {EXPECTED}")),
    }
}

/// Names how a run ended.
fn name_outcome(metadata: Option<&SessionMetadata>) -> &'static str {
    match metadata.map(|metadata| &metadata.outcome) {
        None => "unknown",
        Some(None) => "not at all: killed, or still going on",
        Some(Some(outcome)) => outcome.status.as_str(),
    }
}
