//! The Oracle memory: what a long game knows, kept outside of any chat with a model.
//!
//! A game that lasts longer than a model's context window keeps its facts and events here, in one SQLite
//! file: an append-only log, and tables derived from it. A model reads a *working set*: the facts that its
//! audience may see, in canonical bytes that depend on the state, the query and the budget alone. Exact
//! strings that the players have not earned (codes, coordinates, verbatim clues) never stand in it, and
//! nothing that the model writes comes back out of the memory. The page `docs/memory.md` has the design.
//!
//! ```
//! use axilog_memory::*;
//! use serde_json::json;
//!
//! # fn main() -> Result<()> {
//! let directory = tempfile::tempdir().expect("a temporary directory");
//! let initial = InitialState::new("arden", "campaign-1", "session-1")?;
//! let mut store = MemoryStore::init(&directory.path().join("game.db"), &initial)?;
//! store.append(EntryKind::Fact, json!({
//!     "kind": "CLUE", "stable_key": "a1", "visibility_mask": "PUBLIC",
//!     "payload": { "text": "The door code is 4711." }, "gist": "There is a code to the cellar door.",
//!     "details": [{ "name": "door-code", "exact": "4711" }],
//!     "provenance": { "source": "generator", "refs": [] },
//! }))?;
//! let query = WorkingSetQuery::new(Audience::new(OutputClass::Prompt, &["ana"])?, 8000);
//! let prompt = store.build_prompt(&query, "Is it 47 11?")?;
//! assert!(prompt.text().contains("There is a code to the cellar door."));
//! assert!(prompt.text().ends_with("\"Is it [locked]?\"\n"));
//! # Ok(())
//! # }
//! ```
//!
//! | files, lowest first | what they hold |
//! |---|---|
//! | `error`, `words`, `identifier`, `handle`, `canonical`, `document` | errors, the parts of documents, canonical JSON, reading documents |
//! | `mask`, `audience`, `budget_tokenizer`, `query` | who may see what; what counts a budget; what a working set is asked for |
//! | `guarding`, `rule_ref`, `bodies`, `event_bodies`, `earlier_bodies`, `shown_body`, `entry` | the kinds of the log's entries, and their bodies |
//! | `characters`, `folded_text`, `literal_text`, `escaped_text`, `encoded_part`, `spelt_numbers`, `encoded_text`, `fixed_words` | text as it is searched |
//! | `schema`, `table_digests`, `log`, `log_head`, `head_file`, `exact_strings` | the tables of the database and their digests, the hash chain, its head; finding exact strings |
//! | `fact`, `policy`, `pinned_texts` | facts with their exact strings; policies; the texts that a model reads, under their pins |
//! | `used_names`, `pins`, `event_contract`, `story_state`, `retractions`, `unlocks`, `opened_rules`, `consent`, `guesses`, `compaction`, `asset` | the derived tables, a subject each |
//! | `apply`, `table_changes` | from an entry to the tables; where a table is not what the log gives |
//! | `output_guard`, `reader`, `pinned`, `recorded_heads` | keeping locked exact strings out; read access; what the pins say, and what an axilog ledger says of the log |
//! | `output_view`, `budget`, `slices`, `quotas`, `working_set` | what an output may hold; what fits a budget; working sets |
//! | `prompt`, `image_brief` | what is made of working sets |
//! | `fact_history` | what became of a fact |
//! | `remaking`, `deriving` | what a model's side was shown, made again; deriving every table from the log |
//! | `writer`, `store` | appending; read and write access |
//! | `recall`, `notebook` | the two ways to an unlock |
//! | `showing`, `checked_text` | outputs that are logged before they are given; prompts and narrations, whose guesses are counted |
//! | [`gate`] | the gates G1 to G7 |

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

mod apply;
mod apply_error;
mod asset;
mod audience;
mod bodies;
mod budget;
mod budget_tokenizer;
mod candidates;
mod canonical;
mod characters;
mod checked_text;
mod compaction;
mod consent;
mod deriving;
mod document;
mod earlier_bodies;
mod encoded_part;
mod encoded_text;
mod entry;
mod error;
mod escaped_text;
mod event_bodies;
mod event_contract;
mod exact_strings;
mod fact;
mod fact_history;
mod fact_order;
mod fact_source;
mod fixed_words;
mod folded_text;
pub mod gate;
mod guarding;
mod guesses;
mod handle;
mod head_file;
mod identifier;
mod image_brief;
mod literal_text;
mod log;
mod log_head;
mod mask;
mod matching;
mod notebook;
mod opened_rules;
mod output_guard;
mod output_view;
mod pinned;
mod pinned_texts;
mod pins;
mod policy;
mod prompt;
mod query;
mod quotas;
mod reader;
mod recall;
mod recorded_heads;
mod remaking;
mod retractions;
mod rule_ref;
mod schema;
mod search_index;
mod search_terms;
mod selection;
mod showing;
mod shown_body;
mod slices;
mod spelt_numbers;
mod store;
mod story_state;
mod table_changes;
mod table_digests;
mod told_fact;
mod unlocks;
mod used_names;
mod words;
mod working_set;
mod writer;

pub use audience::Audience;

pub use bodies::{AttemptOutcome, ConsentScope, RecallScope, ResultOutcome};
pub use budget_tokenizer::BudgetTokenizer;
pub use canonical::CanonicalJson;
pub use compaction::compaction_body;
pub use deriving::Rebuilt;
pub use entry::EntryKind;
pub use error::{MemoryError, Result};
pub use event_bodies::Mode;
pub use fact::{Fact, FactDetail, MAX_FACT_BYTES, detail_handle};
pub use fact_history::{CompactionOfFact, FactEvent, FactHistory, FactState};
pub use fact_order::FactOrder;
pub use fixed_words::PLACEHOLDER;
pub use folded_text::FoldedText;
pub use guarding::Guarding;
pub use handle::Handle;
pub use identifier::Identifier;
pub use image_brief::ImageBrief;
pub use log::{LogEntry, LogHead};
pub use mask::{MaskKind, MaskMatrix, OutputClass};
pub use notebook::{CONSENT_WORD, NotebookRequest};
pub use opened_rules::OpenedRule;
pub use pinned::MachinePins;
pub use prompt::{Narration, Prompt};
pub use query::WorkingSetQuery;
pub use reader::MemoryReader;
pub use recall::{DiceRoll, Recall, RecallAnswer, RecallRequest};
pub use recorded_heads::{read_recorded_heads, record_head};
pub use remaking::{RemadeOutputs, ShownDifference};
pub use retractions::retraction_body;
pub use rule_ref::MemoryRule;
pub use shown_body::ShownKind;
pub use store::{InitialState, MemoryStore};
pub use story_state::{CurrentScene, StoryState};
pub use unlocks::{Unlock, UnlockScope};
pub use working_set::WorkingSet;
pub use writer::AppendReceipt;
