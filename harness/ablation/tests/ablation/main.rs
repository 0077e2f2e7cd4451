//! The ablation harness as a library: what makes runs invalid, how long prompts are, what stays the same.

mod base_harness;
mod calibration;
mod comparison;
mod controls;
mod environments;
mod garbling;
mod invalid_runs;
mod justification;
mod known_laws;
mod ledger_answers;
mod novelty;
mod padding;
mod pipeline;
mod prompt_length;
mod refused_environments;
mod side_by_side;
mod step_statistics;
mod support;
mod variants;
