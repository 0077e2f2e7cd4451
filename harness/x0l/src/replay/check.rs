//! A cycle's record checked: against the recomputed cycle, the budgets, and its own attempts.

use axilog_oracle::TokenUsage;

use super::compare::compare_json;
use super::cycle::CycleInputs;
use super::finding::ReplayFinding;
use crate::budget::check_usage;
use crate::document::to_value;
use crate::log::{Cycle, RunDirectory, TokenSource};

/// Checks the record of a cycle and adds a finding for each difference.
pub(super) fn check_cycle(
    logged: &Cycle,
    recomputed: &Cycle,
    inputs: &CycleInputs<'_>,
    line: u64,
    findings: &mut Vec<ReplayFinding>,
) {
    let mut add_finding = |field: &str, found: String, expected: String| {
        let finding = ReplayFinding::new(RunDirectory::CYCLES, field, found, expected);
        findings.push(finding.in_cycle(line, logged));
    };
    compare_json(
        &to_value(logged),
        &to_value(&recomputed),
        "",
        &mut add_finding,
    );
    if !has_plausible_attempts(logged) {
        let found = format!("{} attempts", logged.attempts.len());
        let expected = "the last one without a fault, and those before with one";
        add_finding("attempts", found, expected.to_owned());
    }
    if let Some(found) = find_impossible_usage(logged, inputs) {
        let expected = "a session that ends there as ABORTED";
        add_finding("prompt_tokens", found, expected.to_owned());
    }
    if let Some((found, expected)) = check_against_budget(logged, inputs) {
        add_finding("ledger_seq", found.to_owned(), expected.to_owned());
    }
}

/// Describes the tokens of an answer where they are impossible, so that the session should have ended.
fn find_impossible_usage(logged: &Cycle, inputs: &CycleInputs<'_>) -> Option<String> {
    let TokenSource::Api { .. } = inputs.frozen.token_source else {
        return None;
    };
    logged.ledger_seq?;
    let usage = TokenUsage {
        prompt_tokens: logged.prompt_tokens,
        completion_tokens: logged.completion_tokens,
    };
    let (prompt, raw) = (inputs.prompt.as_ref()?.tokens?, logged.raw.as_deref()?);
    check_usage(prompt, raw, usage, inputs.frozen.max_tokens).err()
}

/// Compares whether a cycle was asked with whether B1 and B2 allowed it; gives what was found and what was
/// expected where the two differ.
fn check_against_budget(
    logged: &Cycle,
    inputs: &CycleInputs<'_>,
) -> Option<(&'static str, &'static str)> {
    let (prompt, budget) = (inputs.prompt_tokens(logged)?, inputs.budget);
    let forbidden = budget.is_too_long(prompt) || budget.is_exhausted(prompt);
    match (logged.ledger_seq, forbidden) {
        (Some(_), true) => Some(("a call", "none: B1 or B2 did not allow it")),
        (None, false) => Some(("none", "a call: B1 and B2 allowed it")),
        _ => None,
    }
}

/// Whether every attempt but the last has a fault, and a cycle that was not asked has no attempts.
fn has_plausible_attempts(cycle: &Cycle) -> bool {
    match cycle.attempts.split_last() {
        None => cycle.ledger_seq.is_none(),
        Some((last, before)) => {
            last.fault.is_none() && before.iter().all(|attempt| attempt.fault.is_some())
        }
    }
}
