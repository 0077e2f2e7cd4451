//! Admission of text: UTF-8, NFC, line ends and control characters (formats.md §3, Admission 4
//! and 5). Determinism: D1.

#![forbid(unsafe_code)]

mod admitted;
mod control;
mod harmless;
mod nfc;
mod utf8;

pub use admitted::{Runs, Text, check_piece, runs};
pub use control::has_forbidden_control;
pub use nfc::{UNICODE_VERSION, UNICODE_VERSION_C, is_nfc};
pub use utf8::is_utf8;
