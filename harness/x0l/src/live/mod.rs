//! A live session with a model: its settings, the checks before it, and its cycles (Q10, Q32, Q38).
//!
//! A [`SessionPlan`] holds everything that is frozen; [`preflight`] checks whether a session may begin under
//! it; [`run_session`] calibrates, runs the conditions, and leaves a directory that replays without the
//! model.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings.rs` | what a person chooses |
//! | `plan.rs` | the plan: the settings, with every file read |
//! | `committed_plan.rs` | a plan that was committed before, and the attempts under it |
//! | `corrected_run.rs` | the run that an erratum corrects |
//! | `weights.rs` | the file of the model's weights, hashed before and after |
//! | `examples.rs` | the example files that are compiled in |
//! | `token_counter.rs` | the counting of tokens: by the oracle or on this machine |
//! | `server_count.rs` | the server's own tokenizer, where it has one |
//! | `preflight.rs` | the checks before a session |
//! | `speed.rs` | the speed of a server, measured before a session |
//! | `fuzz.rs` | one of the checks: the canonicalizer on random texts |
//! | `calibrate.rs` | the calibration's calls |
//! | `cycle.rs` | one cycle |
//! | `begun_session.rs` | a session that has begun, and asked nothing yet |
//! | `session.rs` | the session |
//! | `error.rs` | why a session cannot begin |

mod begun_session;
mod calibrate;
mod committed_plan;
mod corrected_run;
mod cycle;
pub(crate) mod error;
pub mod examples;
mod fuzz;
mod plan;
mod preflight;
mod server_count;
mod session;
mod settings;
mod speed;
mod token_counter;
mod weights;

pub use begun_session::BegunSession;
pub use calibrate::{CalibrationCall, CalibrationRun, MAX_TOKENS, build_question, calibrate};
pub use committed_plan::CommittedPlan;
pub use error::LiveError;
pub use plan::{PlannedCondition, SessionPlan};
pub use preflight::{Preflight, PreflightCheck, preflight};
pub use session::{FinishedSession, ProgressListener, SessionProgress, run_session};
pub use settings::{B2, CYCLES, SessionSettings};
pub use speed::{ConditionSpeed, ServerSpeed, measure_speed};
pub use token_counter::TokenCounter;
