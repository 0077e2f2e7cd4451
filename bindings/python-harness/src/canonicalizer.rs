//! The module `axilog_harness.x0l`: the canonicalizer of model answers (X-0L, Q56 to Q59).

use axilog_ledger::encoding::hex;
use axilog_oracle::canonicalizer;
use pyo3::prelude::*;

/// A canonicalized answer, as `axilog_harness.x0l` puts it together: the status, SHA-256 of the raw text, the object as it
/// stands, its canonical form, and SHA-256 of that.
type CanonicalizedAnswer = (
    &'static str,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
);

/// Canonicalizes a model's raw text. See `x0l.py`.
#[pyfunction]
pub(crate) fn canonicalize(py: Python<'_>, text: &str) -> CanonicalizedAnswer {
    py.detach(|| {
        let answer = canonicalizer::canonicalize(text);
        let (status, raw_hash) = (answer.status().as_str(), hex(&answer.raw_hash));
        match answer.block {
            Ok(block) => (
                status,
                raw_hash,
                Some(block.text),
                Some(block.canonical),
                Some(hex(&block.hash)),
            ),
            Err(_) => (status, raw_hash, None, None, None),
        }
    })
}
