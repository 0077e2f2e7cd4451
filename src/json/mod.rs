//! JSON (RFC 8259, RFC 8785) without heap, recursion or floating point; formats.md §2, §4, §7.
//! Determinism: D1.
//!
//! From the bottom up:
//! - [`source`]: a cursor over JSON text, whatever form the text is stored in; [`escaped`]: text
//!   as it stands inside a string of a record, `embedded` what a string inside of that text adds.
//! - [`reader`]: the strict tokenizer; [`name`]: a string's content as UTF-16 code units.
//! - [`number_text`]: the text of a number; [`number`]: number tokens, and their exact conversion
//!   to Q16.16; [`shortest`]: how RFC 8785 writes a number, in the `layout` of ECMAScript, on the
//!   fixed-size integers of `bignum`.
//! - [`path`]: the steps to a value; `values`: the values at the ends of many paths, and
//!   `step_kind` what tells most members from those on a path.
//! - [`extract`]: the values that policies evaluate, out of an oracle's answer; `duplicate`
//!   refuses repeated names in it, by the keyed fingerprints of `siphash`.
//!   `elements` passes those that no policy wants.
//! - [`writer`]: the canonical writer.
//! - [`canonical`]: whether a text is canonical JSON.

#![forbid(unsafe_code)]

mod bignum;
pub mod canonical;
mod duplicate;
mod elements;
mod embedded;
pub mod escaped;
pub mod extract;
mod layout;
pub mod name;
pub mod number;
pub mod number_text;
pub mod path;
pub mod reader;
pub mod shortest;
mod siphash;
pub mod source;
mod step_kind;
mod values;
pub mod writer;

/// The hash of this module's code, for a program that pins the code it decides with.
pub const SOURCE_HASH: &str = env!("JSON_SOURCE_HASH");
