//! `axilog policy explain`: what policies and schemas would decide on an answer, value by value.

use std::path::Path;

use axilog::evidence::policy::PolicyResult;
use axilog_ledger::answer_values::FoundNumber;
use axilog_ledger::decision::PolicyJudgement;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use axilog_ledger::json_report::policy::policy_trial_json;
use axilog_ledger::policy_trial::{TrialRules, TrialVerdict, find_deciding_number, try_answer};
use axilog_ledger::rules::{ExpectedRules, RuleSet};
use axilog_ledger::visible_text::escape_identity;
use axilog_policyc::{EVERY, selector_path, shortest_decimal};

use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;
use crate::output::table;
use crate::replay_ledger::replay_decisions_of;

/// Widths of the columns.
const WIDTHS: [u16; 4] = [24, 20, 12, 20];

/// Reads the policies and the schemas of a ledger, which is verified and replayed.
pub(super) fn read_rules_of(ledger: &Path) -> Result<TrialRules, Failure> {
    let replayed = replay_decisions_of(ledger, ExpectedRules::default(), &mut |_| {})?;
    let rules = match replayed.rules {
        Some((rules, _)) => rules,
        None => RuleSet::without_policies().map_err(CommandError::from)?,
    };
    Ok(TrialRules::of_ledger(ledger, rules).map_err(CommandError::from)?)
}

/// Decides on the answer in a file, as one of `oracle`; without one as one of each oracle that the rules name, and of
/// any other.
pub(super) fn run(
    rules: &TrialRules,
    answer: &Path,
    oracle: Option<&str>,
) -> Result<Report, Failure> {
    let answer = read_input(answer, "read the answer", MAX_INPUT_BYTES)?;
    let verdicts = try_answer(rules, &answer, oracle).map_err(CommandError::from)?;
    let is_alone = verdicts.len() == 1;
    let texts: Vec<String> = verdicts
        .iter()
        .map(|verdict| describe_verdict(verdict, &answer, is_alone))
        .collect();
    let passed = verdicts.iter().all(TrialVerdict::is_permitted);
    let result = policy_trial_json(&verdicts, &answer);
    Ok(Report::new(passed, texts.join("\n"), &result))
}

fn describe_verdict(verdict: &TrialVerdict, answer: &[u8], is_alone: bool) -> String {
    let decision = &verdict.decision;
    let word = match verdict.is_permitted() {
        true => "PERMITTED",
        false => "REFUSED",
    };
    let whose = match &verdict.oracle {
        Some(oracle) => format!("an answer of {}", escape_identity(oracle)),
        None if is_alone => "an answer of any oracle".to_owned(),
        None => "an answer of any other oracle".to_owned(),
    };
    let rows: Vec<[String; 4]> = decision.judgements.iter().map(row).collect();
    let mut pairs = vec![(word, whose), ("why", verdict.list_reasons().join("\n"))];
    if verdict.has_schema && verdict.schema_violation.is_none() {
        pairs.push(("schema", "the answer conforms".to_owned()));
    }
    let mut text = table::format_pairs(&pairs);
    if !rows.is_empty() {
        let header = ["path", "policy", "value", "result"];
        text.push_str(&table::format_grid(header, WIDTHS, &rows));
    }
    for judged in &decision.judgements {
        let is_of_several = selector_path(&judged.selector).contains(EVERY);
        if is_of_several && let Some(number) = find_deciding_number(judged, answer) {
            let FoundNumber { place, written, .. } = number;
            text.push_str(&format!(
                "{} compares \"{place}\", which is {written}.\n",
                judged.policy_id
            ));
        }
    }
    for (_, why) in verdict.missing_values(answer) {
        text.push_str(&format!("No value: {why}.\n"));
    }
    for rounded in verdict.rounded_values(answer) {
        text.push_str(&format!("Rounded: {rounded}.\n"));
    }
    text
}

fn row(judged: &PolicyJudgement) -> [String; 4] {
    [
        escape_identity(selector_path(&judged.selector)).into_owned(),
        judged.policy_id.clone(),
        judged.actual.map_or("none".to_owned(), shortest_decimal),
        match judged.result {
            PolicyResult::Permitted => "permitted".to_owned(),
            PolicyResult::Breach if judged.actual.is_none() => "breach".to_owned(),
            PolicyResult::Breach => format!("breach of {}", shortest_decimal(judged.threshold)),
        },
    ]
}
