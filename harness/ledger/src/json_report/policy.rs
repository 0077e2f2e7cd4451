//! Policies as JSON: what a policy file permits, and what it would decide on an answer.

use std::path::Path;

use axilog::evidence::policy::PolicyResult;
use axilog_policyc::{Interval, PolicySet, Scope, Shadow, decimal};
use serde_json::{Value, json};

use crate::decision::PolicyJudgement;
use crate::policy_trial::{TrialVerdict, find_deciding_number};

/// The object of `axilog policy check`. `file` is the name of the policies.
#[must_use]
pub fn policy_check_json(file: &Path, set: &PolicySet) -> Value {
    let envelope: Vec<Value> = set.envelope().iter().map(interval).collect();
    json!({
        "file": file.to_string_lossy(),
        "ok": true,
        "policies": set.policies().len(),
        "enabled": set.policies().iter().filter(|p| p.enabled).count(),
        "envelope": envelope,
        "scopes": set.scopes().iter().map(scope).collect::<Vec<_>>(),
        "shadows": set.shadows().iter().map(shadow).collect::<Vec<_>>(),
    })
}

/// The object of `axilog policy explain`. The fields of one verdict stand in the object too: those of the first refused
/// one, or else of the first.
#[must_use]
pub fn policy_trial_json(verdicts: &[TrialVerdict], answer: &[u8]) -> Value {
    let worst = verdicts
        .iter()
        .find(|verdict| !verdict.is_permitted())
        .or(verdicts.first());
    let mut json = worst.map_or(Value::Null, |verdict| verdict_json(verdict, answer));
    if let Some(object) = json.as_object_mut() {
        let all = verdicts.iter().map(|verdict| verdict_json(verdict, answer));
        object.insert("verdicts".to_owned(), all.collect());
    }
    json
}

fn verdict_json(verdict: &TrialVerdict, answer: &[u8]) -> Value {
    let decision = &verdict.decision;
    let missing = verdict.missing_values(answer);
    json!({
        "oracle": verdict.oracle,
        "permitted": verdict.is_permitted(),
        "reasons": verdict.list_reasons(),
        "schema": verdict.has_schema.then(|| json!({
            "conforms": verdict.schema_violation.is_none(),
            "violation": verdict.schema_violation.as_ref().map(ToString::to_string),
        })),
        "judgements": decision.judgements.iter().map(|judged| judgement(judged, answer)).collect::<Vec<_>>(),
        "missing": missing.iter().map(|(selector, why)| json!({ "selector": selector, "why": why })).collect::<Vec<_>>(),
        "rounded": verdict.rounded_values(answer),
    })
}

fn judgement(judged: &PolicyJudgement, answer: &[u8]) -> Value {
    json!({
        "policy_id": judged.policy_id,
        "selector": judged.selector,
        "comparison": judged.comparison.as_str(),
        "threshold": judged.threshold,
        "actual": judged.actual,
        "place": find_deciding_number(judged, answer).map(|number| number.place),
        "breach": judged.result == PolicyResult::Breach,
    })
}

fn interval(interval: &Interval) -> Value {
    json!({
        "selector": interval.selector,
        "min": interval.min,
        "min_decimal": decimal(interval.min),
        "max": interval.max,
        "max_decimal": decimal(interval.max),
    })
}

fn scope(scope: &Scope) -> Value {
    let ends = scope.permitted;
    json!({
        "oracle": scope.oracle,
        "path": scope.path,
        "min": ends.map(|(min, _)| min),
        "max": ends.map(|(_, max)| max),
    })
}

fn shadow(shadow: &Shadow) -> Value {
    json!({ "policy_id": shadow.policy_id, "by": shadow.by })
}
