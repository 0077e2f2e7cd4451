//! A run's directory: written, read back, judged and replayed.

mod closure;
mod damage;
mod log;
mod made;
mod metrics;
#[path = "../x0l_run/place.rs"]
#[allow(
    dead_code,
    reason = "sessions are held and read back there in more ways"
)]
mod place;
mod replay;
mod strategies;
mod taxonomy;
