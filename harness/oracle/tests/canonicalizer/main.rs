//! The canonicalizer of X-0L: every outcome, properties beside a second, slow implementation, and
//! the hashes that freeze it.

mod frozen;
mod outcomes;
mod properties;
mod reference;
