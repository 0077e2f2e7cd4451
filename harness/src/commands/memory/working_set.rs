//! `axilog memory working-set`: prints a working set or a prompt, or checks a model's text.

use std::path::PathBuf;

use axilog_memory::{
    Audience, BudgetTokenizer, FactOrder, Handle, MemoryReader, MemoryStore, OutputClass,
    WorkingSetQuery,
};
use serde::Serialize;
use serde_json::Value;

use super::options::{ExpectedHead, HandleArgument, Recording, read_input, to_handles};
use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;

/// Print a working set: the part of the memory that a model may read, as canonical JSON.
///
/// The same state, query and budget give the same bytes. A working set holds the facts that all viewers
/// may see, and no locked string. --prompt prints the prompt for a model; --narration checks whether a
/// model's text may be said. What may guess at a locked string in these two is logged, and more guesses
/// than a scene allows (the pin guesses_per_scene) are refused with their text. A budget that is too
/// small for the parts that are never cut is refused. What is printed is recorded in the log first, by its hash
/// (`axilog memory shown`).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    /// The class of the output, which decides which masks it may hold.
    #[arg(long, default_value = "working-set")]
    class: Class,
    /// Print the prompt for this request of the table instead, with a working set of class prompt.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["narration", "unrecorded"])]
    prompt: Option<String>,
    /// Check the model's text in this file instead; `-` is standard input. Exits 1 where a locked exact
    /// string stands in it, and for a guess too many.
    #[arg(long, value_name = "FILE", conflicts_with = "unrecorded")]
    narration: Option<PathBuf>,
    #[command(flatten)]
    recording: Recording,
    #[command(flatten)]
    expected: ExpectedHead,
}

/// What a working set is asked for, whatever its class.
#[derive(clap::Args)]
pub(super) struct QueryArgs {
    /// A player who will see the output; may be given several times. Without any the output holds public
    /// facts only.
    #[arg(long, value_name = "ID")]
    viewer: Vec<String>,
    /// Facts of this kind only; may be given several times.
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Compactions of this purpose too; may be given several times.
    #[arg(long, value_name = "PURPOSE")]
    compaction: Vec<String>,
    /// How many tokens the working set may have.
    #[arg(long, value_name = "N", default_value_t = 8000)]
    budget: u64,
    /// In which order facts are considered until the budget is full: `plan` takes what the scene and its threads point to,
    /// then what matches the search, then the newest; `matching` only what matches.
    #[arg(long, value_name = "ORDER", default_value = "plan")]
    order: Order,
    /// Facts that have words of this text come first. A prompt searches for the words of its request without it.
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Facts with this tag only; may be given several times.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Facts only whose stable key begins so.
    #[arg(long, value_name = "PREFIX")]
    key_prefix: Option<String>,
    /// These facts only, by their handles; may be given several times.
    #[arg(long = "fact", value_name = "HANDLE")]
    facts: Vec<HandleArgument>,
    /// At most N facts of this kind; may be given several times.
    #[arg(long, value_name = "KIND=N")]
    at_most: Vec<KindLimit>,
    /// Count the tokens with this vocabulary, like o200k_base. Without it a byte counts as a token: no model's tokenizer
    /// that splits bytes counts more.
    #[arg(long, value_name = "NAME")]
    tokenizer: Option<String>,
}

/// In which order facts are considered.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Order {
    /// What the scene and its threads point to, then what matches the search, then the newest.
    Plan,
    /// What matches the search, and nothing else.
    Matching,
    /// The newest first.
    Newest,
    /// By stable key.
    Key,
}

impl From<Order> for FactOrder {
    fn from(order: Order) -> FactOrder {
        match order {
            Order::Plan => FactOrder::Plan,
            Order::Matching => FactOrder::Matching,
            Order::Newest => FactOrder::Newest,
            Order::Key => FactOrder::Key,
        }
    }
}

/// The most facts of a kind.
#[derive(Clone, Debug)]
struct KindLimit {
    kind: String,
    limit: u64,
}

impl std::str::FromStr for KindLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<KindLimit, &'static str> {
        let parts = text.rsplit_once('=');
        let limit = parts.and_then(|(kind, limit)| {
            Some(KindLimit {
                kind: kind.to_owned(),
                limit: limit.parse().ok()?,
            })
        });
        limit.ok_or("expected KIND=N, as CLUE=5")
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Class {
    WorkingSet,
    Prompt,
    Narration,
    Recap,
    Pvib,
}

impl QueryArgs {
    pub(super) fn to_query(&self, class: OutputClass) -> Result<WorkingSetQuery, Failure> {
        let mut query = WorkingSetQuery::new(Audience::new(class, &self.viewer)?, self.budget);
        let tokenizer = self.tokenizer.as_deref().map(BudgetTokenizer::new);
        query.tokenizer = tokenizer.transpose()?;
        query.kinds.clone_from(&self.kind);
        query.purposes.clone_from(&self.compaction);
        query.order = self.order.into();
        query.search.clone_from(&self.search);
        query.tags.clone_from(&self.tag);
        query.key_prefix.clone_from(&self.key_prefix);
        query.handles = to_handles(&self.facts);
        let limits = self.at_most.iter();
        let limits = limits.map(|KindLimit { kind, limit }| (kind.clone(), *limit));
        query.kind_limits = limits.collect();
        Ok(query)
    }
}

impl Args {
    /// Whether the command records what it prints.
    pub(super) fn records(&self) -> bool {
        self.recording.records()
    }
}

/// A working set, or the prompt that has it.
#[derive(Serialize)]
struct WorkingSetResult<'a> {
    ok: bool,
    working_set_id: Handle,
    tokens: u64,
    /// Whether the budget left nothing out.
    complete: bool,
    /// The document.
    working_set: &'a Value,
    prompt: Option<&'a str>,
    /// The hash of what was printed.
    bytes_hash: Handle,
    /// Whether the log says that it was shown.
    recorded: bool,
}

/// A text of a model's that passed.
#[derive(Serialize)]
struct NarrationResult<'a> {
    ok: bool,
    narration: &'a str,
    /// The hash of the text.
    bytes_hash: Handle,
    /// Whether the log has the check.
    recorded: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    if let Some(path) = &args.narration {
        let text = String::from_utf8(read_input(path)?).map_err(|error| CommandError::NotText {
            what: "the narration",
            at: error.utf8_error().valid_up_to(),
        })?;
        let mut store = MemoryStore::open(&args.db)?;
        args.expected.assert(store.reader())?;
        let narration = store.check_narration(&args.query.viewer, &text)?;
        let result = NarrationResult {
            ok: true,
            narration: narration.text(),
            bytes_hash: Handle::of(narration.text().as_bytes()),
            recorded: true,
        };
        return Ok(Report::new(true, narration.text().to_owned(), &result));
    }
    let class = match args.class {
        Class::WorkingSet => OutputClass::WorkingSet,
        Class::Prompt => OutputClass::Prompt,
        Class::Narration => OutputClass::Narration,
        Class::Recap => OutputClass::Recap,
        Class::Pvib => OutputClass::Pvib,
    };
    let query = args.query.to_query(class)?;
    let (set, prompt) = if args.records() {
        let mut store = MemoryStore::open(&args.db)?;
        args.expected.assert(store.reader())?;
        match &args.prompt {
            None => (store.build_working_set(&query)?, None),
            Some(request) => {
                let prompt = store.build_prompt(&query, request)?;
                (prompt.working_set().clone(), Some(prompt.text().to_owned()))
            }
        }
    } else {
        let reader = MemoryReader::open(&args.db)?;
        args.expected.assert(&reader)?;
        (reader.inspect_working_set(&query)?, None)
    };
    let shown = prompt.as_deref().unwrap_or(set.text());
    let result = WorkingSetResult {
        ok: true,
        working_set_id: set.id(),
        tokens: set.tokens(),
        complete: set.is_complete(),
        working_set: set.value(),
        prompt: prompt.as_deref(),
        bytes_hash: Handle::of(shown.as_bytes()),
        recorded: args.records(),
    };
    let text = match &prompt {
        Some(prompt) => prompt.clone(),
        None => args.recording.mark(format!("{}\n", set.text())),
    };
    Ok(Report::new(true, text, &result))
}
