//! The Python package `axilog_harness`, for what of the harness Python programs use.
//!
//! The package `axilog` calls the C library, which has no JSON Schema: validation needs a heap. This one
//! brings the harness's own, so that Python, the command and an audit judge by the same code.

mod bundle;
mod canonicalizer;
mod grammar;
mod ledger;
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
    #[pymodule_export]
    use crate::ledger::{InvalidSchemaError, Schema};
}
