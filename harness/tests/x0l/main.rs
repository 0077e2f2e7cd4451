//! A run's directory: written, read back, judged and replayed.

mod closure;
mod damage;
mod log;
mod made;
mod metrics;
mod replay;
mod strategies;
mod taxonomy;
