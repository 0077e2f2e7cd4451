//! Declared schemas: JSON Schema documents that an oracle's questions and answers must conform to.
//!
//! SRS-004 §8.3 and §9.2 (SHALL-011, SHALL-037); formats.md §5 (Manifest); decision D30. The dialect is JSON Schema
//! 2020-12. `format` is an annotation and asserts nothing; a reference leads into the document itself, never to the
//! network or to a file; patterns are matched in linear time. Whoever audits a ledger reads schemas and answers of
//! strangers, so both are bounded: see [`bounds`].
//!
//! Documents are read by the crate's own strict reader: a member name that occurs twice, a lone surrogate, a number
//! beyond the doubles and nesting deeper than 128 are no JSON. Determinism: D1.

pub mod bounds;
mod declared;
mod document;
#[cfg(feature = "schemas")]
mod engine;
#[cfg(not(feature = "schemas"))]
#[path = "engine_absent.rs"]
mod engine;
#[cfg(feature = "schemas")]
mod expansion;
#[cfg(feature = "schemas")]
mod notes;
#[cfg(feature = "schemas")]
mod subschemas;
pub mod violation;

pub use declared::{DeclaredSchemas, SchemaSubject};
pub use document::Schema;
