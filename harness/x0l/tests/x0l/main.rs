//! A run's directory: written, read back, reviewed and replayed.

mod agreement;
mod built_session;
mod closure;
mod damage;
mod evidence;
mod log;
mod metrics;
mod model_answers;
mod replay;
mod review;
mod run_builder;
#[path = "../x0l_run/session_directory.rs"]
#[allow(dead_code, reason = "the tests of sessions need more of it")]
mod session_directory;
mod strategies;
mod taxonomy;
mod verdict;
