//! Errors of building and rendering a bundle.

use std::error::Error;
use std::path::PathBuf;

use axilog_ledger::error::FileError;

use super::gbnf::GrammarError;

/// Why a bundle cannot be built or rendered.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The catalogue has no such step.
    #[error("there is no step {step}; the catalogue has {known}")]
    UnknownStep {
        /// The id that was asked for.
        step: u32,
        /// The steps that there are, with their names.
        known: String,
    },

    /// The step has no fallback grammar.
    #[error("step {step} has no fallback grammar; leave --fallback out")]
    NoFallback {
        /// The step.
        step: u32,
    },

    /// A file is not a valid catalogue.
    #[error("{path}: {reason}", path = path.display())]
    Catalogue {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },

    /// A catalogue names a grammar that does not exist.
    #[error(
        "there is no grammar {name:?}: no file {path}, and none of that name is built in ({built_in})",
        path = path.display()
    )]
    NoGrammar {
        /// The name of the grammar.
        name: String,
        /// The file that was looked for.
        path: PathBuf,
        /// The grammars that are built in.
        built_in: String,
    },

    /// A file is not a valid grammar.
    #[error("{path}:{source}", path = path.display())]
    Grammar {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        source: GrammarError,
    },

    /// A file of results is not one JSON object.
    #[error("{path}: the results: expected one JSON object, but the file {reason}", path = path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },

    /// Tier 0, which is never cut, does not fit (A2.2).
    #[error(
        "Tier 0 (mission, schema, grammar, guardrails, contracts) has {tokens} tokens and is never cut, but a prompt may have {limit}: {over} too many; widen the window (--context) or reserve less for the answer (--generation-reserve)",
        over = tokens.saturating_sub(*limit)
    )]
    Tier0 {
        /// The tokens of Tier 0.
        tokens: u64,
        /// The tokens that the prompt may have.
        limit: u64,
    },

    /// The tokens of a text cannot be counted.
    #[error(transparent)]
    Tokens(Box<dyn Error + Send + Sync>),

    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}
