//! The module `axilog_harness.bundle`: step awareness bundles (Addendum A, A1 to A8).

use std::path::PathBuf;

use axilog_bundle::budget::TokenBudget;
use axilog_bundle::builder::{BundleRequest, Results};
use axilog_bundle::retrieve::History;
use axilog_bundle::value::Object;
use axilog_bundle::{catalogue, model, render};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::grammar::Grammar;

create_exception!(
    axilog_harness.bundle,
    BundleError,
    PyValueError,
    "A bundle cannot be built or rendered. The message says why and what to do."
);

/// The exception for an error of the library: OSError where a file cannot be used.
fn raise(error: axilog_bundle::BundleError) -> PyErr {
    match error {
        axilog_bundle::BundleError::File(error) => PyOSError::new_err(error.to_string()),
        error => BundleError::new_err(error.to_string()),
    }
}

/// The steps and what is said of each. See `_native.pyi`.
#[pyclass(frozen, module = "axilog_harness.bundle")]
pub(crate) struct Catalogue(catalogue::Catalogue);

#[pymethods]
impl Catalogue {
    #[new]
    #[pyo3(signature = (path = None))]
    fn new(path: Option<PathBuf>) -> PyResult<Catalogue> {
        let read = match path {
            Some(path) => catalogue::Catalogue::read(&path),
            None => catalogue::Catalogue::built_in(),
        };
        read.map(Catalogue).map_err(raise)
    }

    #[getter]
    fn steps(&self) -> Vec<(u32, String)> {
        let steps = self.0.steps().iter();
        steps
            .map(|step| (step.id(), step.name().to_owned()))
            .collect()
    }

    fn grammar_text(&self, name: &str) -> PyResult<String> {
        self.0
            .grammar_text(name)
            .map(|(_, text)| text)
            .map_err(raise)
    }

    fn grammar(&self, name: &str) -> PyResult<Grammar> {
        let read = self.0.grammar(name);
        read.map(|(grammar, _)| Grammar(grammar)).map_err(raise)
    }
}

/// What a model gets to see of a step. See `_native.pyi`.
#[pyclass(frozen, eq, module = "axilog_harness.bundle")]
#[derive(PartialEq)]
pub(crate) struct StepAwarenessBundle(model::StepAwarenessBundle);

#[pymethods]
impl StepAwarenessBundle {
    #[getter]
    fn step_id(&self) -> u32 {
        self.0.step_id()
    }

    #[getter]
    fn step_name(&self) -> &str {
        self.0.step_name()
    }

    #[getter]
    fn run_id(&self) -> &str {
        self.0.run_id()
    }

    #[getter]
    fn grammar_name(&self) -> &str {
        self.0.context().grammar_name()
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn __repr__(&self) -> String {
        format!(
            "<axilog_harness.bundle.StepAwarenessBundle step {} run {}>",
            self.0.step_id(),
            self.0.run_id()
        )
    }
}

/// The tokens of a budget, in the order of A2.1; `None` for the default.
type Tokens = [Option<u64>; 6];

fn build_budget(tokens: Tokens) -> TokenBudget {
    let with: [fn(TokenBudget, u64) -> TokenBudget; 6] = [
        TokenBudget::with_ctx_max_tokens,
        TokenBudget::with_tier0_reserved,
        TokenBudget::with_tier1_cap,
        TokenBudget::with_history_cap,
        TokenBudget::with_telemetry_cap,
        TokenBudget::with_generation_reserve,
    ];
    let given = with.into_iter().zip(tokens);
    given.fold(TokenBudget::default(), |budget, (with, tokens)| {
        tokens.map_or(budget.clone(), |tokens| with(budget, tokens))
    })
}

/// The results of a step: a JSON object, or the file that holds one.
#[derive(FromPyObject)]
pub(crate) enum GivenResults {
    Json(String),
    File(PathBuf),
}

/// Builds a bundle, and gives the entries of the history that were skipped. See `bundle.py`.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are those of A8.1")]
pub(crate) fn build_step_awareness_bundle(
    py: Python<'_>,
    catalogue: &Catalogue,
    step_id: u32,
    run_id: String,
    results: Option<GivenResults>,
    run_number: u64,
    manifest_path: Option<PathBuf>,
    state_paths: Vec<PathBuf>,
    budgets: Tokens,
    is_chapter_13: bool,
    fallback: bool,
    history: Option<PathBuf>,
) -> PyResult<(StepAwarenessBundle, Vec<String>)> {
    let results = match results {
        None => None,
        Some(GivenResults::File(path)) => Some(Results::read(&path).map_err(raise)?),
        Some(GivenResults::Json(text)) => match Object::parse(text.as_bytes()) {
            Ok(value) => Some(Results::new(value)),
            Err(reason) => return Err(BundleError::new_err(format!("the results: {reason}"))),
        },
    };
    let request = BundleRequest {
        run_id,
        run_number,
        results,
        manifest_path,
        state_paths,
        budgets: build_budget(budgets),
        is_chapter_13,
        fallback,
        history: history.as_deref().map(History::in_directory),
        ..BundleRequest::new(&catalogue.0, step_id)
    };
    py.detach(|| {
        let mut skipped = Vec::new();
        let mut skip = |record: axilog_bundle::retrieve::SkippedRecord| {
            skipped.push(record.to_string());
        };
        let bundle = axilog_bundle::build_step_awareness_bundle(&request, &mut skip);
        Ok((StepAwarenessBundle(bundle.map_err(raise)?), skipped))
    })
}

/// Renders the prompt of a bundle. See `_native.pyi`.
#[pyfunction]
pub(crate) fn render_prompt_from_bundle(
    py: Python<'_>,
    bundle: &StepAwarenessBundle,
) -> PyResult<String> {
    py.detach(|| render::render_prompt_from_bundle(&bundle.0))
        .map_err(raise)
}
