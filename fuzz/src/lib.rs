//! The reference implementations of the tests, with which the fuzz targets compare the library.

#[path = "../../tests/core/strict_json/mod.rs"]
#[allow(missing_docs)]
pub mod strict_json;
#[path = "../../tests/support/mod.rs"]
#[allow(missing_docs)]
pub mod support;
