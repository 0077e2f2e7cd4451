//! The module `axilog_harness.ledger`: declared schemas (decision D30).

use axilog_ledger::encoding::hex;
use axilog_ledger::schema;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
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
