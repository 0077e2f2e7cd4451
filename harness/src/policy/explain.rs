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

/// What would be decided on the answer as one of an oracle.
struct Verdict {
    /// The oracle; `None` for every one that no policy names.
    oracle: Option<String>,
    decision: StepDecision,
}

/// Decides on the answer in a file, as one of `oracle`; without one as one of each oracle that the policies name, and
/// of any other.
pub(super) fn run(
    policies: PolicySet,
    answer: &Path,
    oracle: Option<&str>,
) -> Result<Report, Failure> {
    let answer = read_input(answer, "read the answer", MAX_INPUT_BYTES)?;
    let scopes: Vec<Option<String>> = match oracle {
        Some(oracle) => vec![Some(oracle.to_owned())],
        None => {
            let named = policies.named_oracles().into_iter();
            named
                .map(|named| Some(named.to_owned()))
                .chain([None])
                .collect()
        }
    };
    let other = find_other_oracle(&policies);
    let rules = RuleSet::new(policies, false, false);
    let decide = |scope: Option<String>| {
        let oracle = scope.as_deref().unwrap_or(&other);
        match decide_answer(&answer, oracle, &rules) {
            Ok(decision) => Ok(Verdict {
                oracle: scope,
                decision,
            }),
            Err(_) => Err(CommandError::OracleId(oracle.to_owned())),
        }
    };
    let verdicts: Vec<Verdict> = scopes.into_iter().map(decide).collect::<Result<_, _>>()?;
    Ok(report(&verdicts, &answer))
}

/// The id of an oracle that no policy names.
fn find_other_oracle(policies: &PolicySet) -> String {
    let named = policies.named_oracles();
    let mut other = "oracle".to_owned();
    while named.contains(&other.as_str()) {
        other.push('-');
    }
    other
}

/// Reports every verdict. The fields of one verdict stand in the object too: those of the first refused one, or else of
/// the first.
fn report(verdicts: &[Verdict], answer: &[u8]) -> Report {
    let is_alone = verdicts.len() == 1;
    let texts: Vec<String> = verdicts
        .iter()
        .map(|verdict| describe_verdict(verdict, answer, is_alone))
        .collect();
    let passed = verdicts.iter().all(|verdict| verdict.decision.is_permitted);
    let worst = verdicts
        .iter()
        .find(|verdict| !verdict.decision.is_permitted)
        .or(verdicts.first());
    let mut json = worst.map_or(Value::Null, |verdict| verdict_json(verdict, answer));
    if let Some(object) = json.as_object_mut() {
        let all = verdicts.iter().map(|verdict| verdict_json(verdict, answer));
        object.insert("verdicts".to_owned(), all.collect());
    }
    Report {
        passed,
        text: texts.join("\n"),
        json,
        notes: Vec::new(),
    }
}

fn describe_verdict(verdict: &Verdict, answer: &[u8], is_alone: bool) -> String {
    let Verdict { oracle, decision } = verdict;
    let word = match decision.is_permitted {
        true => "PERMITTED",
        false => "REFUSED",
    };
    let whose = match oracle {
        Some(oracle) => format!("an answer of {}", escape_identity(oracle)),
        None if is_alone => "an answer of any oracle".to_owned(),
        None => "an answer of any other oracle".to_owned(),
    };
    let rows: Vec<[String; 4]> = decision.judgements.iter().map(row).collect();
    let mut text = table::format_pairs(&[
        (word, whose),
        ("why", reasons::list_reasons(decision).join("\n")),
    ]);
    if !rows.is_empty() {
        let header = ["path", "policy", "value", "result"];
        text.push_str(&table::format_grid(header, WIDTHS, &rows));
    }
    for (_, why) in missing_values(decision, answer) {
        text.push_str(&format!("No value: {why}.\n"));
    }
    text
}

fn verdict_json(verdict: &Verdict, answer: &[u8]) -> Value {
    let decision = &verdict.decision;
    let missing = missing_values(decision, answer);
    json!({
        "oracle": verdict.oracle,
        "permitted": decision.is_permitted,
        "reasons": reasons::list_reasons(decision),
        "judgements": decision.judgements.iter().map(judgement).collect::<Vec<_>>(),
        "missing": missing.iter().map(|(selector, why)| json!({ "selector": selector, "why": why })).collect::<Vec<_>>(),
    })
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
