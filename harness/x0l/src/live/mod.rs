//! A live session: what it is asked to do, whether it may begin, and its cycles (Q10, Q32, Q38).
//!
//! A [`Plan`] holds everything that is frozen; [`preflight`] says whether a session can be held under
//! it; [`run`] calibrates, goes through the conditions, and leaves a directory that replays without the
//! model.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings.rs` | what a person chooses |
//! | `plan.rs` | that, with every file read |
//! | `shipped.rs` | the examples that are in the program |
//! | `ruler.rs` | who counts tokens |
//! | `preflight.rs` | the checks before a session |
//! | `fuzz.rs` | one of them: the canonicalizer on drawn texts |
//! | `calibrate.rs` | the calibration's calls |
//! | `cycle.rs` | one cycle |
//! | `run.rs` | the session |
//! | `error.rs` | why there is none |

mod calibrate;
mod cycle;
mod error;
mod fuzz;
mod plan;
mod preflight;
mod ruler;
mod run;
mod settings;
pub mod shipped;

pub use calibrate::{Calibration, Call, MAX_TOKENS, calibrate, question};
pub use error::LiveError;
pub use plan::{Plan, Planned};
pub use preflight::{Check, Preflight, preflight};
pub use ruler::Ruler;
pub use run::{Held, Progress, Watch, run};
pub use settings::{B2, CYCLES, Settings};
