//! Declared schemas: what they accept, what they refuse, and what an attacker can do to them.
//!
//! SRS-004 §8.3 and §9.2 (SHALL-011, SHALL-037); formats.md §5 (Manifest); decision D30.

mod attacks;
mod conformance;
mod hostile;
mod oracles;
mod raw_answers;
mod sessions;
mod support;
