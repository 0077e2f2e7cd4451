//! Admission of text: UTF-8, NFC, line ends and control characters (formats.md §3, Admission 4
//! and 5). Determinism: D1.

#![forbid(unsafe_code)]

mod admitted;
mod control;
#[cfg(not(feature = "nfc-none"))]
mod harmless;
#[cfg(not(feature = "nfc-none"))]
mod nfc;
#[cfg(feature = "nfc-none")]
#[path = "ascii.rs"]
mod nfc;
mod utf8;

pub use admitted::{Runs, Text, check_piece, runs};
pub use control::has_forbidden_control;
pub use nfc::{UNICODE_VERSION, UNICODE_VERSION_C, is_nfc};
pub use utf8::is_utf8;
