//! Grammars in llama.cpp's notation, of `axilog_harness.bundle`.

use axilog_bundle::gbnf::{self, MAX_STEPS, Verdict};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::text::Text;

create_exception!(
    axilog_harness.bundle,
    InvalidGrammarError,
    PyValueError,
    "A text is no grammar. The message says where and why."
);

/// A grammar in GBNF. See `_native.pyi`.
#[pyclass(frozen, module = "axilog_harness.bundle")]
pub(crate) struct Grammar(pub(crate) gbnf::Grammar);

#[pymethods]
impl Grammar {
    #[new]
    fn new(py: Python<'_>, text: Text) -> PyResult<Grammar> {
        let text = text.as_str("the grammar")?;
        match py.detach(|| gbnf::Grammar::parse(text)) {
            Ok(grammar) => Ok(Grammar(grammar)),
            Err(error) => Err(InvalidGrammarError::new_err(error.to_string())),
        }
    }

    #[pyo3(signature = (text, *, max_steps = MAX_STEPS))]
    fn judge(&self, py: Python<'_>, text: Text, max_steps: u64) -> (&'static str, Option<String>) {
        match py.detach(|| self.0.judge_bytes(text.bytes(), max_steps)) {
            Verdict::Matches => ("MATCHES", None),
            Verdict::DoesNotMatch(mismatch) => ("DOES_NOT_MATCH", Some(mismatch.to_string())),
            Verdict::CannotBeTold(undecided) => ("CANNOT_BE_TOLD", Some(undecided.to_string())),
        }
    }
}
