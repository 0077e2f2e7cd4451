//! What a bundle is made from, on the command line.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use axilog_bundle::budget::TokenBudget;
use axilog_bundle::builder::Results;
use axilog_bundle::catalogue::Catalogue;
use axilog_bundle::count::{PromptTokenCounter, WordEstimate};
use axilog_bundle::retrieve::{History, SkippedRecord};
use axilog_bundle::{BundleError, BundleRequest, StepAwarenessBundle, build_step_awareness_bundle};
use axilog_oracle::tokens::{Tiktoken, TokenError, Tokenizer};

use crate::error::CommandError;

/// The most records that are named as skipped; all are counted.
const MAX_NAMED: usize = 20;

#[derive(clap::Args)]
pub(super) struct Inputs {
    /// The step's id in the catalogue; 13 is Chapter 13.
    #[arg(long, value_name = "N")]
    step: u32,
    /// The step's output: a JSON object.
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// The agent's manifest; its hash goes into the bundle.
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Other files that the evaluation rests on; their hashes go into the bundle.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    state: Vec<PathBuf>,
    /// Which run; made up from the step and the time where absent.
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    run_id: String,
    /// The number of the run, from 1.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    run_number: u64,
    /// Chapter 13's content, whatever the step.
    #[arg(long)]
    chapter_13: bool,
    /// The steps; the built-in ones where absent.
    #[arg(long, value_name = "FILE")]
    catalogue: Option<PathBuf>,
    /// The answer is to fit the step's fallback grammar.
    #[arg(long)]
    fallback: bool,
    /// What earlier runs left behind: chapter13/summaries/*.json, run_history.jsonl,
    /// watcher_failures.jsonl.
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// The most outcomes of earlier runs, the newest.
    #[arg(long, value_name = "N", default_value_t = 20, requires = "history")]
    outcomes: usize,
    /// How many of a metric's last values are its trend.
    #[arg(long, value_name = "N", default_value = "10", requires = "history")]
    window: NonZeroUsize,
    #[command(flatten)]
    budget: Budget,
}

/// Tokens for each part of the prompt.
#[derive(clap::Args)]
struct Budget {
    /// The model's whole context window, in tokens.
    #[arg(long, value_name = "N", default_value_t = TokenBudget::default().ctx_max_tokens())]
    context: u64,
    /// Reserved for the mission, schema, grammar, guardrails and contracts, which may need more.
    #[arg(long, value_name = "N", default_value_t = TokenBudget::default().tier0_reserved())]
    tier0: u64,
    /// The most for the step's results.
    #[arg(long, value_name = "N", default_value_t = TokenBudget::default().tier1_cap())]
    tier1: u64,
    /// The most for outcomes of earlier runs.
    #[arg(long, value_name = "N", default_value_t = TokenBudget::default().history_cap())]
    history_cap: u64,
    /// The most for trends and incidents.
    #[arg(long, value_name = "N", default_value_t = TokenBudget::default().telemetry_cap())]
    telemetry_cap: u64,
    /// Reserved for the answer.
    #[arg(long, value_name = "N", default_value_t = TokenBudget::default().generation_reserve())]
    generation_reserve: u64,
}

impl Inputs {
    /// The catalogue they name.
    pub(super) fn catalogue(&self) -> Result<Catalogue, CommandError> {
        read_catalogue(self.catalogue.as_deref())
    }

    /// The bundle of these inputs, and remarks on what was not found or skipped.
    pub(super) fn bundle(
        &self,
        catalogue: &Catalogue,
    ) -> Result<(StepAwarenessBundle, Vec<String>), CommandError> {
        let mut request = BundleRequest::new(catalogue, self.step);
        request.run_id.clone_from(&self.run_id);
        request.run_number = self.run_number;
        request.results = self.results.as_deref().map(Results::read).transpose()?;
        request.manifest_path.clone_from(&self.manifest);
        request.state_paths.clone_from(&self.state);
        request.is_chapter_13 = self.chapter_13;
        request.fallback = self.fallback;
        request.budgets = TokenBudget::default()
            .with_ctx_max_tokens(self.budget.context)
            .with_tier0_reserved(self.budget.tier0)
            .with_tier1_cap(self.budget.tier1)
            .with_history_cap(self.budget.history_cap)
            .with_telemetry_cap(self.budget.telemetry_cap)
            .with_generation_reserve(self.budget.generation_reserve);
        request.history = self.history.as_ref().map(|directory| History {
            directory: directory.clone(),
            outcomes: self.outcomes,
            window: self.window.get(),
        });
        let named = self.manifest.iter().chain(&self.state).chain(&self.history);
        let mut notes: Vec<String> = named
            .filter(|path| !path.exists())
            .map(|path| format!("{}: not found, and recorded so", path.display()))
            .collect();
        let mut skipped = 0;
        let mut note = |record: SkippedRecord| {
            skipped += 1;
            if skipped <= MAX_NAMED {
                notes.push(record.to_string());
            }
        };
        let bundle = build_step_awareness_bundle(&request, &mut note)?;
        if skipped > MAX_NAMED {
            notes.push(format!("{} more records skipped", skipped - MAX_NAMED));
        }
        Ok((bundle, notes))
    }
}

pub(super) fn read_catalogue(path: Option<&Path>) -> Result<Catalogue, CommandError> {
    Ok(path.map_or_else(Catalogue::built_in, Catalogue::read)?)
}

/// What counts the tokens of a prompt.
#[derive(clap::Args)]
pub(super) struct Counter {
    /// Count tokens with this vocabulary, like o200k_base, instead of 1.3 per word.
    #[arg(long, value_name = "NAME")]
    tokenizer: Option<String>,
}

impl Counter {
    pub(super) fn open(&self) -> Result<Box<dyn PromptTokenCounter>, CommandError> {
        Ok(match &self.tokenizer {
            Some(name) => Box::new(Vocabulary(Tiktoken::for_name(name).map_err(cannot_count)?)),
            None => Box::new(WordEstimate),
        })
    }
}

/// The vocabulary of a model, as a counter of a prompt's tokens.
struct Vocabulary(Tiktoken);

impl PromptTokenCounter for Vocabulary {
    fn count(&self, text: &str) -> Result<u64, BundleError> {
        self.0.count(text).map_err(cannot_count)
    }

    fn name(&self) -> &str {
        self.0.id()
    }
}

fn cannot_count(error: TokenError) -> BundleError {
    BundleError::Tokens(Box::new(error))
}
