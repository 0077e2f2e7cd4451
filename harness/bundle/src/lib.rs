//! Step Awareness Bundles: the one structured context that a model gets to see of a pipeline step.
//!
//! A controller builds a bundle from a step's results and the files that it names, renders the prompt
//! from it within a token budget, and asks a model; the model chooses nothing of what it sees. The asking is the
//! command's (`axilog bundle ask`), so that this crate brings no HTTP client.
//!
//! ```
//! use axilog_bundle::builder::Results;
//! use axilog_bundle::catalogue::Catalogue;
//! use axilog_bundle::value::Object;
//! use axilog_bundle::{BundleRequest, build_llm_context};
//!
//! let catalogue = Catalogue::built_in()?;
//! let mut request = BundleRequest::new(&catalogue, 1);
//! let results = Object::parse(br#"{"success": true, "confidence": 0.9}"#)?;
//! request.results = Some(Results::new(results));
//! let context = build_llm_context(&request, &mut |skipped| eprintln!("{skipped}"))?;
//! assert!(context.prompt.contains("confidence"));
//! println!("{}\n{}", context.grammar_name, context.prompt);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rules are those of Addendum A, A1 to A8; `docs/bundle.md` names each with its code and tests.
//! Building reads files and has no other effect. Equal inputs give equal contexts, prompts and hashes;
//! only `generated_at` and a `run_id` that nobody gave differ. Determinism: D1, given the files and the
//! time.
//!
//! | file | what it holds |
//! |---|---|
//! | `model.rs` | the bundle and its parts, which cannot be changed (A1) |
//! | `budget.rs` | how many tokens each part may have (A2) |
//! | `value.rs` | JSON that keeps the order of its members |
//! | `catalogue.rs` | the steps: missions, schemas, grammars, guardrails, metrics (A7) |
//! | `builder.rs` | building a bundle from a request (A4, A5, A8.1, A8.3) |
//! | `provenance.rs` | which files went in (A6) |
//! | `retrieve/` | recent outcomes, trends and open incidents (A3.2) |
//! | `render.rs` | rendering the prompt of a bundle (A8.2) |
//! | `fit.rs` | cutting a text to its token budget (A2.2) |
//! | `count.rs` | counting tokens (A2.2) |
//! | `gbnf/` | grammars, and whether an answer fits one |
//! | `json_report.rs` | the objects that the command prints, and `libaxilog_host` gives |
//! | `error.rs` | what can go wrong |

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
pub mod count;
mod error;
mod fit;
pub mod gbnf;
pub mod json_report;
pub mod model;
pub mod provenance;
pub mod render;
pub mod retrieve;
pub mod value;

pub use builder::{BundleRequest, LlmContext, build_llm_context, build_step_awareness_bundle};
pub use error::BundleError;
pub use model::StepAwarenessBundle;
pub use render::{RenderedPrompt, render_prompt_from_bundle, render_prompt_with_counter};

/// The JSON Schema (draft 2020-12) of a bundle.
pub const SCHEMA: &str = include_str!("../data/schema.json");
