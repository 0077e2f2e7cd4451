//! What the fuzz targets measure the library against: the references of the tests themselves.

#[path = "../../tests/strict_json/mod.rs"]
#[allow(missing_docs)]
pub mod strict_json;
#[path = "../../tests/support/mod.rs"]
#[allow(missing_docs)]
pub mod support;
