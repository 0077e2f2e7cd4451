//! Step Awareness Bundles: the one structured context that a model gets to see of a pipeline step.
//!
//! Addendum A, A1 to A8. A controller builds a bundle from a step's results and the files it names,
//! renders the prompt from it within a token budget, and asks; the model chooses nothing of what it
//! sees. Building reads files and has no other effect. Equal inputs give equal contexts, prompts and
//! hashes; only `generated_at` and a `run_id` that nobody gave differ. Determinism: D1, given the files
//! and the time.
//!
//! | file | what it holds |
//! |---|---|
//! | `model.rs` | the bundle and its parts, which cannot be changed (A1) |
//! | `budget.rs` | how many tokens each part may have (A2) |
//! | `value.rs` | JSON that keeps the order of its members |
//! | `catalogue.rs` | the steps: missions, schemas, grammars, guardrails, metrics (A7) |
//! | `builder.rs` | from a request to a bundle (A4, A5, A8.1, A8.3) |
//! | `provenance.rs` | which files went in (A6) |
//! | `retrieve/` | recent outcomes, trends and open incidents (A3.2) |
//! | `render.rs` | from a bundle to a prompt (A8.2) |
//! | `fit.rs` | cutting a text to its budget (A2.2) |
//! | `count.rs` | how many tokens a text is (A2.2) |
//! | `gbnf/` | grammars, and whether an answer fits one |
//! | `consult.rs` | asking with a bundle; with the feature `oracle` |
//! | `error.rs` | why there is no bundle or prompt |

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

pub mod budget;
pub mod builder;
pub mod catalogue;
pub mod consult;
pub mod count;
mod error;
mod fit;
pub mod gbnf;
pub mod model;
pub mod provenance;
pub mod render;
pub mod retrieve;
pub mod value;

pub use builder::{LlmContext, Request, build_llm_context, build_step_awareness_bundle};
pub use error::BundleError;
pub use model::StepAwarenessBundle;
pub use render::{Rendered, render_prompt_from_bundle, render_with};

/// The JSON Schema (draft 2020-12) of a bundle.
pub const SCHEMA: &str = include_str!("../data/schema.json");
