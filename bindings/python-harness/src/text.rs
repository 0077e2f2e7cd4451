//! Texts as Python has them.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

/// A text as Python has it.
pub(crate) enum Text {
    Bytes(PyBackedBytes),
    Str(PyBackedStr),
}

impl Text {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Text::Bytes(bytes) => bytes,
            Text::Str(text) => text.as_bytes(),
        }
    }

    /// The text, which must be UTF-8. `what` names it in an error.
    pub(crate) fn as_str(&self, what: &str) -> PyResult<&str> {
        std::str::from_utf8(self.bytes()).map_err(|error| {
            let at = error.valid_up_to();
            PyValueError::new_err(format!("{what} is not UTF-8 at byte {at}"))
        })
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.extract() {
            return Ok(Text::Bytes(bytes));
        }
        match object.extract() {
            Ok(text) => Ok(Text::Str(text)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "found {}, expected bytes or str",
                object.get_type()
            ))),
        }
    }
}
