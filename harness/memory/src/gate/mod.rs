//! The gates G1 to G7 (document, section 10): what each checks, and its report.

mod account;
mod audience_attempts;
mod backflow;
mod ban_patterns;
mod ban_scan;
mod cold_boot;
mod compactions;
mod consent_attempts;
mod consent_audit;
mod guess_attempts;
mod judge;
mod judged_frame;
mod judged_quotas;
mod judged_selection;
mod leak;
mod leak_attempts;
mod pins;
mod plain_search;
mod queries;
mod recall_attempts;
mod recall_audit;
mod report;
mod retraction_attempts;
mod rule_attempts;
mod shown_attempts;

use crate::error::Result;
use crate::store::MemoryStore;

pub use queries::canonical_query;
pub use report::{Gate, GateInputs, GateReport};

/// Runs one gate, which leaves the memory as it was.
///
/// # Errors
/// [`MemoryError::Damaged`](crate::MemoryError::Damaged) where the log is not as it was appended; the
/// errors of files and SQLite.
pub fn run_gate(store: &mut MemoryStore, gate: Gate, inputs: &GateInputs) -> Result<GateReport> {
    let mut report = GateReport::new(gate);
    match gate {
        Gate::G1 => cold_boot::check(store, inputs.golden, &mut report)?,
        Gate::G2 => leak::check(store, &mut report)?,
        Gate::G3 => recall_audit::check(store, &mut report)?,
        Gate::G4 => compactions::check(store.reader(), &mut report)?,
        Gate::G5 => backflow::check(store, &mut report)?,
        Gate::G6 => pins::check(store, &inputs.pins, &mut report)?,
        Gate::G7 => ban_scan::check(inputs, &mut report)?,
    }
    Ok(report)
}
