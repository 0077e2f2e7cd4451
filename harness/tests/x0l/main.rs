//! A run's directory: written, read back, judged and replayed.

mod log;
mod strategies;
mod taxonomy;
