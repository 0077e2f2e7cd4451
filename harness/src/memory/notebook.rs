//! `axilog memory notebook`: entries in a player's notebook, with the player's consent.

use std::path::PathBuf;

use axilog_memory::{CONSENT_WORD, MemoryStore};
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, table};
use super::options::{HandleArgument, to_handles};

/// Write in a player's notebook, which takes the player's consent and unlocks for the campaign.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Ask(Ask),
    Answer(Answer),
    Write(Write),
}

/// Ask whether something may be written (EV-010).
#[derive(clap::Args)]
struct Ask {
    /// The database.
    db: PathBuf,
    /// A new id for the request.
    request: String,
    /// The facts and details to be written.
    #[arg(required = true)]
    handle: Vec<HandleArgument>,
    /// Who asks.
    #[arg(long, value_name = "ID")]
    requester: String,
    /// Whose notebook it is.
    #[arg(long, value_name = "ID")]
    player: String,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Record the player's answer: EV-011 for `grant`, EV-012 for anything else.
///
/// Exits 0 where the player consents, else 1.
#[derive(clap::Args)]
struct Answer {
    /// The database.
    db: PathBuf,
    /// The request.
    request: String,
    /// The player's answer.
    answer: String,
    /// Whose notebook it is.
    #[arg(long, value_name = "ID")]
    player: String,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

/// Record that the content was written (EV-013). It must be exactly what the player consented to.
#[derive(clap::Args)]
struct Write {
    /// The database.
    db: PathBuf,
    /// The request.
    request: String,
    /// The facts and details that were written.
    #[arg(required = true)]
    handle: Vec<HandleArgument>,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            Command::Ask(args) => args.json,
            Command::Answer(args) => args.json,
            Command::Write(args) => args.json,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let (request, fine, message) = match &args.command {
        Command::Ask(args) => {
            let mut store = MemoryStore::open(&args.db)?;
            let content = to_handles(&args.handle);
            store.request_notebook_entry(&args.request, &args.requester, &args.player, &content)?;
            (
                &args.request,
                true,
                format!("asked; {} answers", args.player),
            )
        }
        Command::Answer(args) => {
            let mut store = MemoryStore::open(&args.db)?;
            let granted =
                store.answer_notebook_request(&args.request, &args.player, &args.answer)?;
            let message = match granted {
                true => "granted (EV-011)".to_owned(),
                false => format!("denied (EV-012): only {CONSENT_WORD:?} consents"),
            };
            (&args.request, granted, message)
        }
        Command::Write(args) => {
            let mut store = MemoryStore::open(&args.db)?;
            store.record_notebook_entry(&args.request, &to_handles(&args.handle))?;
            (
                &args.request,
                true,
                "written; unlocked for the campaign".to_owned(),
            )
        }
    };
    Ok(Report {
        passed: fine,
        text: table::format_pairs(&[("request", request.clone()), ("notebook", message.clone())]),
        json: json!({ "ok": fine, "request_id": request, "notebook": message }),
        notes: Vec::new(),
    })
}
