//! `report.json`: the whole report, for machines. A ratio is a pair of integers with a decimal beside it,
//! as a text.

use axilog_ledger::encoding::hex;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::attempts::list_counted_attempts;
use super::closure::list_forensic_reviews;
use super::files::FORMAT;
use super::inputs::ReportInputs;
use super::metric_list::{MetricValue, list_metrics};
use super::verdict::{Closure, ClosureReason};
use crate::kernel::KernelGate;
use crate::log::Condition;
use crate::metrics::{ConditionMetrics, Distribution, Ratio};
use crate::replay::CycleId;
use crate::review::{Judgement, ReviewerAgreement, StandingStatement};
use crate::wilson::RateInterval;

/// The ledger as the report saw it.
#[derive(Serialize)]
struct LedgerSummary {
    entries: u64,
    head: String,
    sealed: bool,
}

/// A cycle that a person may judge, the judgement that counts, and everybody's judgements.
#[derive(Serialize)]
struct ReviewedCycle<'r> {
    #[serde(flatten)]
    cycle: CycleId,
    review: Option<Judgement>,
    judgements: Vec<WrittenJudgement<'r>>,
}

/// A person's judgement.
#[derive(Serialize)]
struct WrittenJudgement<'r> {
    judgement: Judgement,
    by: &'r str,
    because: &'r str,
    time: u64,
    stands: bool,
}

impl WrittenJudgement<'_> {
    fn of(reviewed: StandingStatement<'_>) -> WrittenJudgement<'_> {
        let StandingStatement { statement, stands } = reviewed;
        WrittenJudgement {
            judgement: statement.judgement,
            by: &statement.by,
            because: &statement.because,
            time: statement.time,
            stands,
        }
    }
}

/// How far two reviewers agree.
#[derive(Serialize)]
struct WrittenAgreement<'r> {
    #[serde(flatten)]
    agreement: &'r ReviewerAgreement,
    agreed: Value,
}

/// Writes the report as a JSON value, which the file has in canonical form.
pub(super) fn write_json(
    inputs: &ReportInputs<'_>,
    closure: Closure,
    reasons: &[ClosureReason],
) -> Value {
    let ReportInputs {
        replay,
        metadata,
        metrics,
        review,
        ..
    } = inputs;
    let frozen = &metadata.frozen;
    let outcome = metadata.outcome.as_ref();
    let reviewed = |cycles: &[CycleId]| -> Vec<Value> {
        let reviewed = cycles.iter().map(|cycle| {
            let statements = review.statements(cycle.number).into_iter();
            json!(ReviewedCycle {
                cycle: *cycle,
                review: review.judgement(cycle.number),
                judgements: statements.map(WrittenJudgement::of).collect(),
            })
        });
        reviewed.collect()
    };
    let conditions = frozen.conditions.iter();
    let conditions = conditions.map(|condition| write_condition(inputs, condition.id));
    let mut report = json!({
        "format": FORMAT,
        "verdict": closure.as_str(),
        "reasons": reasons,
        "evidence": inputs.evidence.to_json(),
        "forensic_review": list_forensic_reviews(metrics, review),
        "type_iii": reviewed(&metrics.type_iii()),
        "acted_on_injections": reviewed(&metrics.acted_on_injections),
        "run": {
            "format": frozen.format,
            "axilog": frozen.axilog,
            "model": frozen.model,
            "oracle": frozen.oracle,
            "base_url": frozen.base_url,
            "started": frozen.started,
            "constitution": hex(&frozen.constitution.sha256),
            "template": hex(&frozen.template.sha256),
            "erratum": frozen.erratum.is_some(),
            "canonicalizer": hex(&frozen.canonicalizer.source_hash),
            "status": outcome.map(|outcome| outcome.status.as_str()),
            "reason": outcome.and_then(|outcome| outcome.reason.as_ref()),
        },
        "calibration": metadata.calibration.as_ref().map(|calibration| json!({
            "verdict": calibration.verdict.as_str(),
            "tokens": calibration.tokens,
            "answered_by": calibration.answered_by,
            "system_fingerprint": calibration.system_fingerprint,
        })),
        "changed_fingerprints": replay.changed_fingerprints,
        "budget": {
            "b1": frozen.b1,
            "b2": frozen.b2,
            "spent": metrics.conditions.values().fold(0, |sum: u64, condition| {
                sum.saturating_add(condition.tokens.sum())
            }),
            "source": frozen.token_source,
            "max_tokens": frozen.max_tokens,
            "context_window_size": frozen.context_window_size,
        },
        "ledger": LedgerSummary {
            entries: replay.entries,
            head: hex(&replay.head),
            sealed: replay.ended,
        },
        "review": (review.entries > 0).then(|| json!({
            "entries": review.entries,
            "head": hex(&review.head),
        })),
        "replay": {
            "ok": replay.is_good(),
            "cycles": replay.cycles,
            "differences": replay.findings,
        },
        "conditions": conditions.collect::<Vec<_>>(),
    });
    // The report of a run without a plan and an erratum is the one that it had before these were counted.
    for counted in list_counted_attempts(frozen, review) {
        if let Some(members) = report.as_object_mut() {
            members.insert(counted.name().to_owned(), counted.to_json());
        }
    }
    // The report of a run that no two have judged is the one that it had before agreement was counted.
    let agreements = review.agreements();
    if let (Some(members), false) = (report.as_object_mut(), agreements.is_empty()) {
        let agreements = agreements.iter().map(write_agreement).collect();
        members.insert("agreement".to_owned(), agreements);
    }
    report
}

/// Writes how far two reviewers agree.
#[must_use]
pub fn write_agreement(agreement: &ReviewerAgreement) -> Value {
    json!(WrittenAgreement {
        agreement,
        agreed: write_ratio(agreement.agreed()),
    })
}

fn write_condition(inputs: &ReportInputs<'_>, id: Condition) -> Value {
    let no_cycles = ConditionMetrics::default();
    let metrics = inputs.metrics.conditions.get(&id).unwrap_or(&no_cycles);
    let mut condition = Map::new();
    for metric in list_metrics(inputs, id, metrics) {
        let value = write_value(&metric.value);
        match metric.path.split_once('.') {
            None => condition.insert(metric.path.to_owned(), value),
            Some((outer, inner)) => {
                let group = condition.entry(outer).or_insert_with(|| json!({}));
                let group = group.as_object_mut();
                group.and_then(|group| group.insert(inner.to_owned(), value))
            }
        };
    }
    Value::Object(condition)
}

fn write_value(value: &MetricValue<'_>) -> Value {
    match value {
        MetricValue::Absent => Value::Null,
        MetricValue::Word(word) => json!(word),
        MetricValue::Flag(flag, ..) => json!(flag),
        MetricValue::Number(number) => json!(number),
        MetricValue::Share(ratio) => write_ratio(*ratio),
        MetricValue::Rate(rate) => write_rate(*rate),
        MetricValue::Distribution(distribution) => write_distribution(distribution),
        // Names that were not counted have the count 0.
        MetricValue::Counts(names, counts) => {
            let count = |name: &&'static str| {
                let count = counts.get(name).copied().unwrap_or_default();
                ((*name).to_owned(), json!(count))
            };
            names.iter().map(count).collect::<Map<_, _>>().into()
        }
        MetricValue::ServerNames(counts) => json!(counts),
        MetricValue::Gates(gates) => {
            let gates = KernelGate::ALL.map(|gate| {
                let codes = gates.get(&gate).cloned().unwrap_or_default();
                let refused: u64 = codes.values().sum();
                let value = json!({ "refused": refused, "codes": codes });
                (gate.as_str().to_owned(), value)
            });
            gates.into_iter().collect::<Map<_, _>>().into()
        }
        MetricValue::Clauses(clauses) => {
            let clauses = clauses.iter().map(|(clause, (cited, acted))| {
                let value = json!({ "candidates": cited, "actions": acted });
                (clause.clone(), value)
            });
            clauses.collect::<Map<_, _>>().into()
        }
    }
}

fn write_ratio(ratio: Ratio) -> Value {
    json!({ "of": ratio.of, "all": ratio.all, "decimal": ratio.decimal() })
}

/// Writes a rate, with the bounds of its interval at 95 %.
fn write_rate(rate: Ratio) -> Value {
    let interval = RateInterval::of(rate).map(RateInterval::decimals);
    json!({ "of": rate.of, "all": rate.all, "decimal": rate.decimal(), "interval": interval })
}

fn write_distribution(distribution: &Distribution) -> Value {
    json!({
        "count": distribution.count(),
        "sum": distribution.sum(),
        "least": distribution.percentile(0),
        "median": distribution.percentile(50),
        "p95": distribution.percentile(95),
        "most": distribution.percentile(100),
    })
}
