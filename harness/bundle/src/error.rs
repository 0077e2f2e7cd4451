//! Why there is no bundle, or no prompt of one.

use std::path::PathBuf;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_oracle::OracleError;

use super::gbnf::GrammarError;

/// What is wrong with what a bundle is made from.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// No such step.
    #[error("there is no step {step}; the catalogue has {known}")]
    UnknownStep {
        /// What was asked for.
        step: u32,
        /// Those that there are, with their names.
        known: String,
    },

    /// A grammar instead of the step's own, where there is none.
    #[error("step {step} has no fallback grammar; leave --fallback out")]
    NoFallback {
        /// Which step.
        step: u32,
    },

    /// Not a catalogue.
    #[error("{path}: {reason}", path = path.display())]
    Catalogue {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },

    /// A grammar that a catalogue names and nobody has.
    #[error(
        "there is no grammar {name:?}: no file {path}, and none of that name is built in ({built_in})",
        path = path.display()
    )]
    NoGrammar {
        /// Its name.
        name: String,
        /// Where it was looked for.
        path: PathBuf,
        /// Those that are built in.
        built_in: String,
    },

    /// A grammar that is none.
    #[error("{path}:{source}", path = path.display())]
    Grammar {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        source: GrammarError,
    },

    /// Results that are none.
    #[error("{path}: the results: expected one JSON object, but the file {reason}", path = path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },

    /// What is never cut does not fit (A2.2).
    #[error(
        "Tier 0 (mission, schema, grammar, guardrails, contracts) has {tokens} tokens and is never cut, but a prompt may have {limit}: {over} too many; widen the window (--context) or reserve less for the answer (--generation-reserve)",
        over = tokens.saturating_sub(*limit)
    )]
    Tier0 {
        /// What it has.
        tokens: u64,
        /// What the prompt may have.
        limit: u64,
    },

    /// A ledger whose policies would judge the record of the bundle too.
    #[error(
        "{path}: the ledger has policies, which would judge the record of the bundle and the answer alike; name another ledger, which is begun without",
        path = .0.display()
    )]
    Judged(PathBuf),

    /// Nobody can say how many tokens a text is.
    #[error(transparent)]
    Tokens(#[from] axilog_oracle::tokens::TokenError),

    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// The ledger refused.
    #[error(transparent)]
    Ledger(LedgerError),

    /// The oracle cannot be asked.
    #[error(transparent)]
    Oracle(OracleError),
}

/// Keeps the error of a file as one, whichever layer met it.
impl From<LedgerError> for BundleError {
    fn from(error: LedgerError) -> BundleError {
        match error {
            LedgerError::File(error) => BundleError::File(error),
            error => BundleError::Ledger(error),
        }
    }
}

/// Keeps the error of a file or a ledger as one, whichever layer met it.
impl From<OracleError> for BundleError {
    fn from(error: OracleError) -> BundleError {
        match error {
            OracleError::File(error) => BundleError::File(error),
            OracleError::Ledger(error) => BundleError::Ledger(error),
            error => BundleError::Oracle(error),
        }
    }
}
