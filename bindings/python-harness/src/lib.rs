//! The Python package `axilog_harness`, for what of the harness Python programs use.
//!
//! Step awareness bundles, grammars and X-0L's canonicalizer, by the code of the command.

mod bundle;
mod canonicalizer;
mod grammar;
mod text;

use pyo3::prelude::*;

/// The module `axilog_harness._native`; the modules beside it name what is in it.
#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::bundle::{
        BundleError, Catalogue, StepAwarenessBundle, build_step_awareness_bundle,
        render_prompt_from_bundle,
    };
    #[pymodule_export]
    use crate::canonicalizer::canonicalize;
    #[pymodule_export]
    use crate::grammar::{Grammar, InvalidGrammarError};
}
