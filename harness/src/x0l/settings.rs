//! What `preflight` and `run` are told alike.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axilog_oracle::{DEFAULT_BASE_URL, Kind};
use axilog_x0l::condition::Condition;
use axilog_x0l::live::{B2, CYCLES, Plan, Ruler, Settings};

use super::super::now;
use crate::error::CommandError;

#[derive(clap::Args)]
pub(super) struct Chosen {
    /// The model, exactly as its server names it.
    #[arg(long, value_name = "ID")]
    model: String,
    /// Who answers: openai, scripted:FILE or recorded:LEDGER.
    #[arg(long, value_name = "KIND", default_value = "openai")]
    pub(super) oracle: Kind,
    /// What stands before /chat/completions, for the kind openai.
    #[arg(long, value_name = "URL", default_value = DEFAULT_BASE_URL)]
    pub(super) base_url: String,
    /// The model's advertised context length in tokens; recorded, never probed.
    #[arg(long, value_name = "TOKENS")]
    context_window: u64,
    /// The conditions to run, with commas between them; they run in the order of their letters.
    #[arg(
        long,
        value_name = "LETTERS",
        default_value = "A,B,C,D,E",
        value_delimiter = ','
    )]
    conditions: Vec<Condition>,
    /// Cycles per condition.
    #[arg(long, value_name = "N", default_value_t = CYCLES)]
    cycles: u64,
    /// Tokens per session, over all conditions.
    #[arg(long, value_name = "TOKENS", default_value_t = B2)]
    b2: u64,
    /// Begin also where B2 may end the session early.
    #[arg(long)]
    accept_partial: bool,
    /// Count tokens on this machine instead of taking the server's `usage`; in builds with the
    /// feature `tokens`.
    #[arg(long)]
    count_tokens: bool,
    /// The tokenizer to count with, where the model's is not known by its id.
    #[arg(long, value_name = "NAME", requires = "count_tokens")]
    tokenizer: Option<String>,
    /// The constitution; the example where absent.
    #[arg(long, value_name = "FILE")]
    constitution: Option<PathBuf>,
    /// The tasks of a condition, as in A=FILE; may be given for each. The examples where absent.
    #[arg(long, value_name = "LETTER=FILE", value_parser = tasks_of)]
    tasks: Vec<(Condition, PathBuf)>,
    /// A syntax erratum (X.E2): the base template with other field names, quoting or layout. It holds
    /// for all conditions, and the session begins with L-A's first cycle.
    #[arg(long, value_name = "FILE")]
    erratum: Option<PathBuf>,
    /// What the orders of tasks are drawn from.
    #[arg(long, value_name = "N", default_value_t = 0)]
    order_seed: u32,
    /// When the session begins, in seconds since 1970; now where absent. Equal times and settings ask
    /// equal prompts, which is what recorded:LEDGER needs.
    #[arg(long, value_name = "SECONDS")]
    started: Option<u64>,
    /// The directory of the run, which must be new or empty.
    #[arg(long, value_name = "DIR", default_value = "axilog-x0l-run")]
    pub(super) out: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

fn tasks_of(text: &str) -> Result<(Condition, PathBuf), String> {
    let (condition, path) = text
        .split_once('=')
        .filter(|(_, path)| !path.is_empty())
        .ok_or_else(|| format!("{text:?}: expected a condition and a file, as in A=tasks.toml"))?;
    Ok((condition.parse()?, Path::new(path).to_owned()))
}

impl Chosen {
    /// Reads every file that is named.
    ///
    /// # Errors
    /// As [`Plan::read`]; [`CommandError::NotBuilt`].
    pub(super) fn plan(&self) -> Result<Plan, CommandError> {
        let mut tasks = BTreeMap::new();
        for (condition, path) in &self.tasks {
            if tasks.insert(*condition, path.clone()).is_some() {
                let reason = format!("tasks are named twice for the condition {condition}");
                return Err(axilog_x0l::live::LiveError::Settings(reason).into());
            }
        }
        Ok(Plan::read(Settings {
            model: self.model.clone(),
            oracle: self.oracle.clone(),
            base_url: self.base_url.clone(),
            context_window: self.context_window,
            b2: self.b2,
            ruler: self.ruler()?,
            cycles: self.cycles,
            conditions: self.conditions.clone(),
            order_seed: self.order_seed,
            constitution: self.constitution.clone(),
            tasks,
            erratum: self.erratum.clone(),
            accept_partial: self.accept_partial,
            started: self.started.unwrap_or_else(now),
        })?)
    }

    fn ruler(&self) -> Result<Ruler, CommandError> {
        if self.count_tokens {
            Ok(Ruler::local(self.tokenizer.as_deref(), &self.model)?)
        } else {
            Ok(Ruler::Api)
        }
    }
}
