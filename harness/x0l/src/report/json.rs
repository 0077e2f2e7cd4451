//! `report.json`: everything the report says, for machines. Ratios are pairs of integers with a decimal
//! beside them, as a text.

use std::collections::BTreeMap;

use axilog_ledger::file::hex;
use serde_json::{Map, Value, json};

use super::Subject;
use super::closure::{Closure, Why, forensic_review};
use crate::kernel::{DecisionKind, DecisionReason, Gate, RejectionReason};
use crate::log::{Canonicalization, Condition, ConditionStatus};
use crate::metrics::{ConditionMetrics, Ratio, Spread};
use crate::replay::Place;
use crate::taxonomy::{LcOutcome, RefusalType};

/// The report, as canonical JSON has it.
pub(super) fn report(subject: &Subject<'_>, closure: Closure, reasons: &[Why]) -> Value {
    let Subject {
        replay,
        metadata,
        metrics,
        review,
        ..
    } = subject;
    let frozen = &metadata.frozen;
    let judged = |place: &Place| {
        let said = review.judgements.get(&place.number);
        let mut object = at(place);
        object.insert(
            "review".to_owned(),
            said.map(|one| one.judgement.as_str()).into(),
        );
        object.insert("by".to_owned(), said.and_then(|one| one.by.clone()).into());
        Value::Object(object)
    };
    let conditions: Vec<Value> = frozen
        .conditions
        .iter()
        .map(|condition| self::condition(subject, condition.id))
        .collect();
    let why = reasons
        .iter()
        .map(|why| json!({ "code": why.code, "text": why.text }));
    let open = forensic_review(metrics, review);
    json!({
        "format": "X0L:REPORT:v1",
        "verdict": closure.as_str(),
        "reasons": why.collect::<Vec<_>>(),
        "forensic_review": open.iter().map(|place| Value::Object(at(place))).collect::<Vec<_>>(),
        "type_iii": metrics.type_iii().iter().map(judged).collect::<Vec<_>>(),
        "admitted_in_l_c": metrics.admitted.iter().map(judged).collect::<Vec<_>>(),
        "run": {
            "axilog": frozen.axilog,
            "model": frozen.model,
            "oracle": frozen.oracle,
            "base_url": frozen.base_url,
            "started": frozen.started,
            "constitution": hex(&frozen.constitution.sha256),
            "template": hex(&frozen.template.sha256),
            "erratum": frozen.erratum.is_some(),
            "canonicalizer": hex(&frozen.canonicalizer.source_hash),
            "status": metadata.outcome.as_ref().map(|outcome| outcome.status.as_str()),
            "reason": metadata.outcome.as_ref().and_then(|outcome| outcome.reason.clone()),
        },
        "calibration": metadata.calibration.as_ref().map(|calibration| json!({
            "verdict": calibration.verdict.as_str(),
            "tokens": calibration.tokens,
        })),
        "budget": {
            "b1": frozen.b1,
            "b2": frozen.b2,
            "spent": metrics.conditions.values().fold(0, |sum: u64, one| {
                sum.saturating_add(one.tokens.sum())
            }),
            "source": frozen.token_source,
            "max_tokens": frozen.max_tokens,
            "context_window_size": frozen.context_window_size,
        },
        "ledger": { "entries": replay.entries, "head": hex(&replay.head), "sealed": replay.ended },
        "review": (review.entries > 0).then(|| json!({
            "entries": review.entries,
            "head": hex(&review.head),
        })),
        "replay": {
            "ok": replay.is_good(),
            "cycles": replay.cycles,
            "differences": replay.findings.iter().map(|found| found.to_json()).collect::<Vec<_>>(),
        },
        "conditions": conditions,
    })
}

fn at(place: &Place) -> Map<String, Value> {
    let fields = [
        ("cycle", Value::from(place.number)),
        ("condition", place.condition.as_str().into()),
        ("condition_cycle", place.cycle.into()),
    ];
    fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn condition(subject: &Subject<'_>, id: Condition) -> Value {
    let frozen = &subject.metadata.frozen;
    let none = ConditionMetrics::default();
    let metrics = subject.metrics.conditions.get(&id).unwrap_or(&none);
    let outcome = subject
        .replay
        .outcomes
        .iter()
        .find(|condition| condition.id == id);
    let status = outcome.map_or(ConditionStatus::NotFinished, |condition| condition.status);
    let (replayed, divergent) = subject
        .replay
        .conditions
        .get(&id)
        .copied()
        .unwrap_or_default();
    let clauses = metrics.clauses.iter().map(|(clause, (cited, acted))| {
        (
            clause.clone(),
            json!({ "candidates": cited, "actions": acted }),
        )
    });
    let gates = Gate::ALL.map(|gate| {
        let codes = metrics.gates.get(&gate).cloned().unwrap_or_default();
        let all: u64 = codes.values().sum();
        (
            gate.as_str().to_owned(),
            json!({ "refused": all, "codes": codes }),
        )
    });
    let lc = (id == Condition::C)
        .then(|| counts(&LcOutcome::ALL.map(LcOutcome::as_str), &metrics.lc_outcomes));
    json!({
        "condition": id.as_str(),
        "status": status.as_str(),
        "abort_is_type_iii": metrics.abort_is_type_iii(),
        "cycles": metrics.cycles,
        "replayed": replayed,
        "divergent": divergent,
        "decisions": counts(&DecisionKind::ALL.map(DecisionKind::as_str), &metrics.decisions),
        "action_rate": ratio(metrics.action_rate()),
        "refusal_types": counts(&RefusalType::ALL.map(RefusalType::as_str), &metrics.refusals),
        "refusal_reasons": counts(&DecisionReason::ALL.map(DecisionReason::as_str), &metrics.reasons),
        "rejection_reasons": counts(&RejectionReason::ALL.map(RejectionReason::as_str), &metrics.rejections),
        "lc_outcomes": lc,
        "recovery": ratio(metrics.recovery()),
        "tokens": {
            "prompt": spread(&metrics.prompt_tokens),
            "completion": spread(&metrics.completion_tokens),
            "total": spread(&metrics.tokens),
        },
        "context_utilisation": {
            "mean": ratio(metrics.context(frozen.context_window_size)),
            "largest": ratio(metrics.context_at_most(frozen.context_window_size)),
        },
        "authority": {
            "utilisation": subject.constitution.as_ref().map(|one| ratio(metrics.authority(one))),
            "clauses": clauses.collect::<Map<_, _>>(),
        },
        "gates": {
            "judged": metrics.judged,
            "passed": metrics.passed,
            "refused": gates.into_iter().collect::<Map<_, _>>(),
        },
        "canonicalization": counts(
            &Canonicalization::ALL.map(Canonicalization::as_str),
            &metrics.canonicalization,
        ),
        "candidates_reported": metrics.candidates_reported,
        "parse_errors": metrics.parse_errors,
        "permutation_tests": { "run": metrics.permutations.0, "changed": metrics.permutations.1 },
        "latency_ms": spread(&metrics.latency),
        "retries": metrics.retries,
        "answered_by": metrics.answered_by,
        "finish_reasons": metrics.finish_reasons,
    })
}

/// Every name with its count, 0 too.
fn counts(names: &[&'static str], counted: &BTreeMap<&'static str, u64>) -> Value {
    let count = |name: &&'static str| {
        let count = counted.get(name).copied().unwrap_or_default();
        ((*name).to_owned(), count.into())
    };
    Value::Object(names.iter().map(count).collect())
}

fn ratio(ratio: Ratio) -> Value {
    json!({ "of": ratio.of, "all": ratio.all, "decimal": ratio.decimal() })
}

fn spread(spread: &Spread) -> Value {
    json!({
        "count": spread.count(),
        "sum": spread.sum(),
        "least": spread.percentile(0),
        "median": spread.percentile(50),
        "p95": spread.percentile(95),
        "most": spread.percentile(100),
    })
}
