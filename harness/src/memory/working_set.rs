//! `axilog memory working-set`: what goes to the lens and the model.

use std::path::PathBuf;

use axilog_memory::{Audience, Lens, OutputClass, Query};
use serde_json::json;

use super::super::Failure;
use super::super::output::{Report, escape_controls};
use super::options::contents;
use crate::error::CommandError;

/// Print a working set: canonical JSON, the same for the same state, query and budget.
///
/// It holds what all viewers may see, and nothing that is locked. With --prompt what a model is to
/// read, with --narration whether a model's text may be said. A budget too small for the parts that are
/// never cut is refused.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    db: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    /// What it is for; decides which masks it may hold.
    #[arg(long, default_value = "working-set")]
    class: Class,
    /// Print the prompt for this request of the table instead; the class is prompt then.
    #[arg(long, value_name = "TEXT", conflicts_with = "narration")]
    prompt: Option<String>,
    /// Check a text of the model's instead; `-` is standard input. Exits 1 where a locked exact string
    /// stands in it.
    #[arg(long, value_name = "FILE")]
    narration: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a working set is asked for, whatever its class.
#[derive(clap::Args)]
pub(super) struct QueryArgs {
    /// A player who looks on; may be given several times. Without any only what is public is in it.
    #[arg(long, value_name = "ID")]
    viewer: Vec<String>,
    /// Facts of this kind only; may be given several times.
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Compactions of this purpose too; may be given several times.
    #[arg(long, value_name = "PURPOSE")]
    compaction: Vec<String>,
    /// How many tokens it may be, 4 bytes each.
    #[arg(long, value_name = "N", default_value_t = 8000)]
    budget: u64,
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
    pub(super) fn query(&self, class: OutputClass) -> Result<Query, Failure> {
        Ok(Query {
            audience: Audience::new(class, &self.viewer)?,
            kinds: self.kind.clone(),
            purposes: self.compaction.clone(),
            budget: self.budget,
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let lens = Lens::open(&args.db)?;
    if let Some(path) = &args.narration {
        let text = String::from_utf8(contents(path)?).map_err(|error| CommandError::NotText {
            what: "the narration",
            at: error.utf8_error().valid_up_to(),
        })?;
        let narration = lens.narration(&args.query.viewer, &text)?;
        return Ok(Report {
            passed: true,
            text: escape_controls(narration.text()),
            json: json!({ "ok": true, "narration": narration.text() }),
            notes: Vec::new(),
        });
    }
    let class = match args.class {
        Class::WorkingSet => OutputClass::WorkingSet,
        Class::Prompt => OutputClass::Prompt,
        Class::Narration => OutputClass::Narration,
        Class::Recap => OutputClass::Recap,
        Class::Pvib => OutputClass::Pvib,
    };
    let query = args.query.query(class)?;
    let (set, prompt) = match &args.prompt {
        None => (lens.working_set(&query)?, None),
        Some(request) => {
            let prompt = lens.prompt(&query, request)?;
            (prompt.working_set().clone(), Some(prompt.text().to_owned()))
        }
    };
    let json = json!({
        "ok": true,
        "working_set_id": set.id().to_string(),
        "tokens": set.tokens(),
        "complete": set.is_complete(),
        "working_set": set.value(),
        "prompt": prompt,
    });
    Ok(Report {
        passed: true,
        text: prompt.unwrap_or_else(|| format!("{}\n", set.text())),
        json,
        notes: Vec::new(),
    })
}
