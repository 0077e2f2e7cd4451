//! The Oracle memory: what a long game knows, kept outside any chat, and given out in bytes that
//! depend on it alone (the Oracle memo; design in `docs/memory.md`).
//!
//! A [`Store`] appends to a log; everything else is derived from it. A [`Lens`] reads, and makes
//! working sets, prompts and image briefs. What reaches a model has no way back.
//!
//! | file | what it holds |
//! |---|---|
//! | `canonical.rs` | the canonical JSON profile, and handles |
//! | `id.rs`, `fields.rs` | the ids of the log, and the parts of their bodies |
//! | `fact.rs`, `mask.rs` | facts with their exact strings; who may see what |
//! | `schema.rs`, `log.rs` | the tables of the database, and the hash chain |
//! | `store.rs`, `apply.rs` | appending, and deriving the tables |
//! | `state.rs` | where the story stands, pins, unlocks |
//! | `recall.rs`, `notebook.rs` | the two ways to an unlock |
//! | `fold.rs`, `guard.rs`, `wording.rs` | finding exact strings, and keeping them out |
//! | `lens.rs`, `working_set.rs`, `slices.rs`, `policy.rs` | reading, and what is read |
//! | `prompt.rs`, `pvib.rs`, `compaction.rs`, `asset.rs` | what is made of it |
//! | `gate/` | the gates G1 to G7 |

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
mod asset;
mod canonical;
mod compaction;
mod error;
mod fact;
mod fields;
mod fold;
pub mod gate;
mod guard;
mod id;
mod lens;
mod log;
mod mask;
mod notebook;
mod policy;
mod prompt;
mod pvib;
mod recall;
mod schema;
mod slices;
mod state;
mod store;
mod wording;
mod working_set;

pub use asset::STAGES;
pub use canonical::{Canonical, HASH, Handle, PROFILE};
pub use compaction::{body as compaction_body, compaction_id};
pub use error::{MemoryError, Result};
pub use fact::{Detail, Fact, detail_handle};
pub use fold::{Folded, MAX_TOKEN, MIN_TOKEN, contains};
pub use id::Id;
pub use lens::{Audience, Lens};
pub use log::{Entry, Head};
pub use mask::{MASKS, Mask, MaskMatrix, OutputClass};
pub use notebook::CONSENT;
pub use policy::BYTES_PER_TOKEN;
pub use prompt::{Narration, Prompt};
pub use pvib::Pvib;
pub use recall::{Recall, RecallScope, Recalled, Request, Roll};
pub use schema::{TABLES, VERSION};
pub use state::{Pointer, Scope, StoryState};
pub use store::{Appended, Opening, Store};
pub use wording::LOCKED;
pub use working_set::{Query, WorkingSet};
