//! The report of a run: the verdict on the session, its metrics, and two plots. The report is computed from
//! the rest of the run's directory alone, so that replay can recompute and compare it.
//!
//! | file | what it holds |
//! |---|---|
//! | `attempts.rs` | the session among the attempts under its plan, and among the corrections of a run |
//! | `build.rs` | a run replayed, and its report built |
//! | `run_report.rs` | the report as it is in memory |
//! | `verdict.rs` | the verdicts, and the reasons for them |
//! | `closure.rs` | whether the session closes positive, and the reasons if not |
//! | `families.rs` | what came of the injections of L-C, by family |
//! | `evidence.rs` | what the verdict rests on: who answered, how many cycles, what was customised |
//! | `metric_list.rs` | a condition's metrics, with their names and values, for all writers |
//! | `condition.rs` | a condition's section of `report.md` |
//! | `json.rs` | `report.json` |
//! | `markdown.rs` | `report.md` |
//! | `plots.rs` | `decisions.svg`, `tokens.svg` |
//! | `inputs.rs` | what the writers of the files read |
//! | `files.rs` | the names of the files |
//! | `earlier.rs` | where the report that is there already contradicts the run |
//! | `comparison.rs` | the report in the run's directory, compared with the one that the run gives |
//! | `written.rs` | the report in the run's directory: written, and looked at while nobody writes it |

mod attempts;
mod build;
mod closure;
mod comparison;
mod condition;
mod earlier;
mod evidence;
mod families;
mod files;
mod inputs;
mod json;
mod markdown;
mod metric_list;
mod plots;
mod run_report;
mod verdict;
mod written;

pub use attempts::{CountedAttempts, list_counted_attempts};
pub use build::{RunExpectations, build_expected_report, build_report, list_reviewable_cycles};
pub use closure::{FLOOR_PERCENT, list_forensic_reviews, list_open_reviews};
pub use comparison::check_report;
pub use evidence::SessionEvidence;
pub use files::{DECISIONS, JSON, MARKDOWN, TOKENS};
pub use json::write_agreement;
pub use run_report::RunReport;
pub use verdict::{Closure, ClosureReason};
pub use written::{
    build_compared_report, write_expected_report, write_locked_report, write_report,
};
