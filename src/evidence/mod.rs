//! The evidence records: one file per record type, with its fields and its bytes.
//!
//! formats.md §1 to §6. Determinism: D1. A record is written by its `write` method through
//! [`crate::json::writer`]; nothing else in the project serialises one.

#![forbid(unsafe_code)]

pub mod observation;
pub mod policy;
pub mod proof;
pub(crate) mod reader;
pub mod state;
pub mod transition;
pub mod view;
