//! `axilog memory notebook`: entries in a player's notebook, with the player's consent.

use std::path::{Path, PathBuf};

use axilog_memory::{CONSENT_WORD, ConsentScope, MemoryStore, NotebookRequest};
use serde::Serialize;

use super::options::{HandleArgument, to_handles};
use crate::Failure;
use crate::output::Report;
use crate::output::table;

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

/// Ask whether something may be written (EV-010). Somebody at the table must have learned it.
///
/// A recall that printed the exact string teaches it; so does the word of who leads the game, and what is not
/// locked needs neither. Nobody's notebook holds a DM_ONLY or SYSTEM fact. One request is open at a time: until it
/// is denied, until its content is written, or until its scope ends.
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
    /// Until when a consent holds.
    #[arg(long, default_value = "scene")]
    scope: Scope,
    /// Who leads the game has told the content at the table, without a recall.
    #[arg(long)]
    revealed_by_dm: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Scope {
    Scene,
    Session,
}

/// Record the player's answer: EV-011 for `grant`, EV-012 for anything else.
///
/// A denial also takes back a consent whose content is not written yet. Exits 0 where the player consents, else 1.
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
}

impl Args {
    pub(super) fn db(&self) -> &Path {
        match &self.command {
            Command::Ask(args) => &args.db,
            Command::Answer(args) => &args.db,
            Command::Write(args) => &args.db,
        }
    }
}

/// What became of a request.
#[derive(Serialize)]
struct NotebookResult<'a> {
    /// Whether it was asked, granted or written.
    ok: bool,
    request_id: &'a str,
    /// The same in words.
    notebook: &'a str,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let (request, fine, message) = match &args.command {
        Command::Ask(args) => {
            let mut store = MemoryStore::open(&args.db)?;
            store.request_notebook_entry(&NotebookRequest {
                id: args.request.clone(),
                requester: args.requester.clone(),
                player: args.player.clone(),
                content: to_handles(&args.handle),
                scope: match args.scope {
                    Scope::Scene => ConsentScope::Scene,
                    Scope::Session => ConsentScope::Session,
                },
                revealed_by_dm: args.revealed_by_dm,
            })?;
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
    let text = table::format_pairs(&[("request", request.clone()), ("notebook", message.clone())]);
    let result = NotebookResult {
        ok: fine,
        request_id: request,
        notebook: &message,
    };
    Ok(Report::new(fine, text, &result))
}
