//! Why a step was decided as it was, in words.

use axilog::admission::AdmissionOutcome;
use axilog::agent::state::Violation;
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::policy::PolicyResult;
use axilog::policy::Comparison;
use axilog_policyc::shortest_decimal;

use crate::decision::{PolicyJudgement, RunningValueDecision, StepDecision};

/// Lists the reasons that decided; there is at least one.
#[must_use]
pub fn list_reasons(decision: &StepDecision) -> Vec<String> {
    let Some(transition) = &decision.transition else {
        return vec!["the agent is STOPPED: recorded, and nothing follows".to_owned()];
    };
    let mut reasons = Vec::new();
    match (
        decision.observation.completion,
        decision.observation.failure,
    ) {
        (Completion::Error, Some(Failure::Timeout)) => {
            reasons.push("the oracle did not answer in time".to_owned());
        }
        (Completion::Error, Some(Failure::TransportError)) => {
            reasons.push("the oracle could not be reached".to_owned());
        }
        (Completion::Error, _) if decision.schema_violation.is_some() => {
            let violation = decision.schema_violation.as_ref();
            reasons.extend(violation.map(|v| format!("the answer violates its schema: {v}")));
        }
        (Completion::Error, _) => reasons
            .push("not admissible text (UTF-8 in NFC, controls only as line ends)".to_owned()),
        (Completion::Truncated, _) if decision.admission == AdmissionOutcome::Cut => {
            reasons.push("the answer is longer than a record may be and was cut".to_owned());
        }
        _ => {}
    }
    let whole = decision.observation.completion == Completion::Complete;
    reasons.extend(group_by_subject(
        decision
            .judgements
            .iter()
            .filter(|j| j.result == PolicyResult::Breach && (whole || j.actual.is_some()))
            .map(breach),
    ));
    for RunningValueDecision { decision, .. } in &decision.running_values {
        if !decision.is_permitted {
            reasons.extend(list_reasons(decision));
        }
    }
    if reasons.is_empty() || decision.is_permitted {
        reasons.extend(group_by_subject(
            decision.judgements.iter().filter_map(permission),
        ));
    }
    match transition.violation {
        Some(Violation::TimeRollback) => {
            reasons.push("the time does not exceed the last one".to_owned());
        }
        Some(Violation::FaultBudgetExceeded) => {
            reasons.push(format!(
                "{} faults are too many here",
                transition.fault_count
            ));
        }
        Some(Violation::ProtocolViolation) => {
            reasons.push("the agent's state does not allow this input".to_owned());
        }
        _ => {}
    }
    if decision.lacks_policy {
        reasons.push("no policy judged the answer, and one is required".to_owned());
    }
    if reasons.is_empty() {
        reasons.push("no policy applies".to_owned());
    }
    reasons
}

/// Summarizes the reasons: a permitted decision names its values only.
#[must_use]
pub fn summarize(decision: &StepDecision) -> String {
    if !decision.is_permitted || decision.judgements.is_empty() {
        return list_reasons(decision).join("\n");
    }
    let mut subjects: Vec<String> = decision.judgements.iter().map(subject).collect();
    subjects.dedup();
    format!("{} within limits", subjects.join(", "))
}

/// Joins the reasons that concern one subject.
fn group_by_subject(reasons: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (subject, what) in reasons {
        match groups.iter_mut().find(|(s, _)| *s == subject) {
            Some((_, all)) => all.push(what),
            None => groups.push((subject, vec![what])),
        }
    }
    groups
        .into_iter()
        .map(|(subject, all)| format!("{subject} {}", all.join(", ")))
        .collect()
}

/// The value that was judged, by name.
fn subject(judgement: &PolicyJudgement) -> String {
    match judgement.actual {
        Some(actual) => format!("{} {}", judgement.selector, shortest_decimal(actual)),
        None => format!("no number \"{}\" for", judgement.selector),
    }
}

fn breach(judgement: &PolicyJudgement) -> (String, String) {
    let PolicyJudgement {
        policy_id,
        threshold,
        ..
    } = judgement;
    if judgement.actual.is_none() {
        return (subject(judgement), policy_id.clone());
    }
    let relation = match judgement.comparison {
        Comparison::Gt => "is above",
        Comparison::Lt => "is below",
        Comparison::Ge => "is not below",
        Comparison::Le => "is not above",
        Comparison::Unknown => "has no known relation to",
    };
    let what = format!("{relation} {} ({policy_id})", shortest_decimal(*threshold));
    (subject(judgement), what)
}

fn permission(judgement: &PolicyJudgement) -> Option<(String, String)> {
    let relation = match judgement.comparison {
        _ if judgement.result == PolicyResult::Breach => return None,
        Comparison::Gt => "at most",
        Comparison::Lt => "at least",
        Comparison::Ge => "below",
        Comparison::Le => "above",
        Comparison::Unknown => return None,
    };
    let limit = shortest_decimal(judgement.threshold);
    let what = format!("is {relation} {limit} ({})", judgement.policy_id);
    Some((subject(judgement), what))
}
