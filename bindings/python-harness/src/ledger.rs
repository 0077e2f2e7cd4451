//! The module `axilog_harness.ledger`: declared schemas (decision D30).

use std::fs::File;
use std::path::PathBuf;

use axilog_ledger::audit::{AuditExpectations, audit_ledger};
use axilog_ledger::encoding::hex;
use axilog_ledger::schema;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::text::Text;

create_exception!(
    axilog_harness.ledger,
    InvalidSchemaError,
    PyValueError,
    "A document is refused as a schema. The message says why."
);

/// A JSON Schema (2020-12), checked and compiled. See `ledger.pyi`.
#[pyclass(frozen, module = "axilog_harness.ledger")]
pub(crate) struct Schema {
    schema: schema::Schema,
}

#[pymethods]
impl Schema {
    #[new]
    fn new(py: Python<'_>, document: Text) -> PyResult<Schema> {
        match py.detach(|| schema::Schema::parse(document.bytes())) {
            Ok(schema) => Ok(Schema { schema }),
            Err(error) => Err(InvalidSchemaError::new_err(error.to_string())),
        }
    }

    #[getter]
    fn canonical(&self) -> &[u8] {
        self.schema.canonical()
    }

    #[getter]
    fn hash(&self) -> String {
        hex(&self.schema.hash())
    }

    fn find_violation(&self, py: Python<'_>, text: Text) -> Option<String> {
        let checked = py.detach(|| self.schema.check(text.bytes()));
        checked.err().map(|violation| violation.to_string())
    }

    fn __repr__(&self) -> String {
        format!("<axilog_harness.ledger.Schema {}>", self.hash())
    }
}

/// The check `schemas` of the audit of a ledger: result, finding, details. See `ledger.pyi`.
#[pyfunction]
pub(crate) fn audit_schemas(
    py: Python<'_>,
    path: PathBuf,
) -> PyResult<(&'static str, String, Vec<String>)> {
    let check = py.detach(|| {
        let refused = |reason: &dyn std::fmt::Display| {
            PyOSError::new_err(format!("{}: {reason}", path.display()))
        };
        // A pipe would be waited for, and could not be read twice.
        let metadata = path.metadata().map_err(|error| refused(&error))?;
        if !metadata.is_file() {
            return Err(refused(&"it is no regular file; name a ledger"));
        }
        let file = File::open(&path).map_err(|error| refused(&error))?;
        let report = audit_ledger(file, &path, &AuditExpectations::default())
            .map_err(|error| PyOSError::new_err(error.to_string()))?;
        let mut checks = report.checks.into_iter();
        checks
            .find(|check| check.subject == "schemas")
            .ok_or_else(|| PyRuntimeError::new_err("the audit made no check of the schemas"))
    })?;
    Ok((check.result.as_str(), check.finding, check.details))
}
