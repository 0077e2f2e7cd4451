//! `axilog policy explain`: what would be decided on an answer, value by value, without a ledger.

use std::path::Path;

use axilog::evidence::policy::PolicyResult;
use axilog_ledger::decision::{PolicyJudgement, StepDecision};
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use axilog_ledger::rules::RuleSet;
use axilog_ledger::trial::decide_answer;
use axilog_ledger::visible_text::escape_identity;
use axilog_policyc::{PolicySet, decimal, selector_path};
use serde_json::{Value, json};

use super::missing_value;
use crate::error::CommandError;
use crate::output::Report;
use crate::{Failure, reasons, table};

/// Widths of the columns.
const WIDTHS: [u16; 4] = [24, 20, 12, 20];

/// Decides on the answer in a file.
pub(super) fn run(policies: PolicySet, answer: &Path, oracle: &str) -> Result<Report, Failure> {
    let answer = read_input(answer, "read the answer", MAX_INPUT_BYTES)?;
    let rules = RuleSet::new(policies, false, false);
    let decision = decide_answer(&answer, oracle, &rules)
        .map_err(|_| CommandError::OracleId(oracle.to_owned()))?;
    Ok(report(&decision, &answer, oracle))
}

fn report(decision: &StepDecision, answer: &[u8], oracle: &str) -> Report {
    let verdict = match decision.is_permitted {
        true => "PERMITTED",
        false => "REFUSED",
    };
    let rows: Vec<[String; 4]> = decision.judgements.iter().map(row).collect();
    let mut text = table::format_pairs(&[
        (verdict, format!("an answer of {}", escape_identity(oracle))),
        ("why", reasons::list_reasons(decision).join("\n")),
    ]);
    if !rows.is_empty() {
        let header = ["path", "policy", "value", "result"];
        text.push_str(&table::format_grid(header, WIDTHS, &rows));
    }
    let missing = missing_values(decision, answer);
    for (_, why) in &missing {
        text.push_str(&format!("No value: {why}.\n"));
    }
    Report {
        passed: decision.is_permitted,
        text,
        json: json!({
            "oracle": oracle,
            "permitted": decision.is_permitted,
            "reasons": reasons::list_reasons(decision),
            "judgements": decision.judgements.iter().map(judgement).collect::<Vec<_>>(),
            "missing": missing.iter().map(|(selector, why)| json!({ "selector": selector, "why": why })).collect::<Vec<_>>(),
        }),
        notes: Vec::new(),
    }
}

/// Why there is no value, for each selector that lacks one.
fn missing_values(decision: &StepDecision, answer: &[u8]) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for judged in decision.judgements.iter().filter(|j| j.actual.is_none()) {
        if !found
            .iter()
            .any(|(selector, _)| *selector == judged.selector)
        {
            let selector = judged.selector.clone();
            let why = missing_value::explain(answer, &selector);
            found.push((selector, why));
        }
    }
    found
}

fn row(judged: &PolicyJudgement) -> [String; 4] {
    [
        escape_identity(selector_path(&judged.selector)).into_owned(),
        judged.policy_id.clone(),
        judged.actual.map_or("none".to_owned(), decimal),
        match judged.result {
            PolicyResult::Permitted => "permitted".to_owned(),
            PolicyResult::Breach if judged.actual.is_none() => "breach".to_owned(),
            PolicyResult::Breach => format!("breach of {}", decimal(judged.threshold)),
        },
    ]
}

fn judgement(judged: &PolicyJudgement) -> Value {
    json!({
        "policy_id": judged.policy_id,
        "selector": judged.selector,
        "comparison": judged.comparison.as_str(),
        "threshold": judged.threshold,
        "actual": judged.actual,
        "breach": judged.result == PolicyResult::Breach,
    })
}
