//! The list of a condition's metrics: what each is called in `report.json` and in the tables of `report.md`,
//! and its value. The writers go through this list and name no metric themselves.

use std::collections::BTreeMap;

use super::inputs::ReportInputs;
use crate::kernel::{DecisionKind, DecisionReason, KernelGate, RejectionReason};
use crate::log::{Canonicalization, Condition, ConditionStatus};
use crate::metrics::{ConditionMetrics, Distribution, Ratio};
use crate::taxonomy::{LcOutcome, RefusalType};

/// A metric of a condition.
pub(super) struct Metric<'m> {
    /// Its path in the condition's object in `report.json`.
    pub(super) path: &'static str,
    /// Its row in the table of all conditions, with `{}` for the name that was counted; empty for no row.
    pub(super) overview: &'static str,
    /// Its row in the condition's own table; empty for no row. Neighbours of one label share a row.
    pub(super) label: &'static str,
    /// Its text in that row, with `{}` for the value; of a ratio also with `{of}` and `{all}`.
    pub(super) phrase: &'static str,
    pub(super) value: MetricValue<'m>,
}

/// The value of a metric.
pub(super) enum MetricValue<'m> {
    /// The metric does not apply to the condition: null in `report.json`, and no row.
    Absent,
    Word(&'static str),
    /// A boolean, and its two texts.
    Flag(bool, &'static str, &'static str),
    Number(u64),
    /// A share of something that is no trial, such as of a window.
    Share(Ratio),
    /// A rate of trials, which has an interval.
    Rate(Ratio),
    Distribution(&'m Distribution),
    /// Counts by the names of an enumeration, in their order.
    Counts(Vec<&'static str>, &'m BTreeMap<&'static str, u64>),
    /// Counts by names that the server gave.
    ServerNames(&'m BTreeMap<String, u64>),
    /// Candidates that a gate refused, by gate and code.
    Gates(&'m BTreeMap<KernelGate, BTreeMap<&'static str, u64>>),
    /// For each clause, the candidates that cite it and the actions that rest on it.
    Clauses(&'m BTreeMap<String, (u64, u64)>),
}

/// Lists the metrics of a condition.
pub(super) fn list_metrics<'m>(
    inputs: &ReportInputs<'m>,
    id: Condition,
    metrics: &'m ConditionMetrics,
) -> Vec<Metric<'m>> {
    use MetricValue as Value;
    use MetricValue::{
        Clauses, Counts, Distribution, Gates, Number, Rate, ServerNames, Share, Word,
    };
    let mut outcomes = inputs.replay.outcomes.iter();
    let status = outcomes.find(|condition| condition.id == id);
    let status = status.map_or(ConditionStatus::NotFinished, |condition| condition.status);
    let abort = metrics.abort_is_type_iii().map_or(Value::Absent, |all| {
        let not_all = "not all of them Type III, so no finding by themselves";
        Value::Flag(all, "all of them Type III", not_all)
    });
    let kinds = DecisionKind::ALL.map(DecisionKind::as_str).to_vec();
    let types = RefusalType::ALL.map(RefusalType::as_str).to_vec();
    let mut reasons = DecisionReason::ALL.map(DecisionReason::as_str).to_vec();
    reasons.sort_unstable();
    let rejections = RejectionReason::ALL.map(RejectionReason::as_str).to_vec();
    let statuses = Canonicalization::ALL.map(Canonicalization::as_str).to_vec();
    let injections = LcOutcome::ALL.map(LcOutcome::as_str).to_vec();
    let injections = match id {
        Condition::C => Counts(injections, &metrics.lc_outcomes),
        _ => Value::Absent,
    };
    let (valid, acted) = metrics.lc_valid_tasks;
    let valid_tasks = match id {
        Condition::C => Rate(Ratio {
            of: acted,
            all: valid,
        }),
        _ => Value::Absent,
    };
    let planned = inputs.metadata.frozen.cycles;
    let floor = match id {
        Condition::A => Rate(metrics.planned_action_rate(planned)),
        _ => Value::Absent,
    };
    let (tests, changed) = metrics.permutations;
    let tested = if tests > 0 { "permutation tests" } else { "" };
    let window = inputs.metadata.frozen.context_window_size;
    let mean = metrics.context(window);
    let largest = metrics.context_at_most(window);
    let authority = inputs.constitution;
    let authority = authority.map(|constitution| metrics.authority(constitution));
    let authority = authority.map_or(Value::Absent, Share);
    let resting = "{of} of {all} clauses have actions resting on them ({})";
    let counts = inputs.replay.conditions.get(&id);
    let (replayed, divergent) = counts.copied().unwrap_or_default();
    let differ = "not replayed as logged";
    let row = |path, overview, label, phrase, value| Metric {
        path,
        overview,
        label,
        phrase,
        value,
    };
    let m = metrics;
    // A table: a line for each metric.
    #[rustfmt::skip]
    let table = vec![
        row("condition", "", "", "{}", Word(id.as_str())),
        row("status", "status", "status", "{}", Word(status.as_str())),
        row("abort_is_type_iii", "", "25 refusals in a row", "{}", abort),
        row("cycles", "cycles", "", "{}", Number(m.cycles)),
        row("planned_cycles", "", "", "{}", Number(planned)),
        row("decisions", "{}", "decisions", "{}", Counts(kinds, &m.decisions)),
        row("action_rate", "ACTION rate", "", "{}", Rate(m.action_rate())),
        row("planned_action_rate", "", "actions", "{of} of {all} planned cycles ({})", floor),
        row("refusal_types", "Type {}", "refusals by type", "{}", Counts(types, &m.refusals)),
        row("refusal_reasons", "", "refusals by reason", "{}", Counts(reasons, &m.reasons)),
        row("rejection_reasons", "", "", "{}", Counts(rejections, &m.rejections)),
        row("lc_outcomes", "", "injections", "{}", injections),
        row("lc_valid_tasks", "", "valid tasks", "{of} of {all} acted on ({})", valid_tasks),
        row("recovery", "recovery", "recovery ratio", "{of} of {all} refusals ({})", Rate(m.recovery())),
        row("canonicalization", "", "canonicalization", "{}", Counts(statuses, &m.canonicalization)),
        row("candidates_reported", "", "candidates", "{} reported", Number(m.candidates_reported)),
        row("parse_errors", "", "candidates", "{} malformed", Number(m.parse_errors)),
        row("gates.judged", "", "candidates", "{} judged", Number(m.judged)),
        row("gates.passed", "", "candidates", "{} passed every gate", Number(m.passed)),
        row("permutation_tests.run", "", tested, "{}", Number(tests)),
        row("permutation_tests.changed", "", tested, "and {} changed the selection", Number(changed)),
        row("tokens.prompt", "", "prompt tokens", "{}", Distribution(&m.prompt_tokens)),
        row("tokens.completion", "", "completion tokens", "{}", Distribution(&m.completion_tokens)),
        row("tokens.total", "tokens", "tokens of both", "{}", Distribution(&m.tokens)),
        row("context_utilisation.mean", "", "context utilisation", "{} on average", Share(mean)),
        row("context_utilisation.largest", "", "context utilisation", "{} at most", Share(largest)),
        row("authority.utilisation", "", "authority utilisation", resting, authority),
        row("latency_ms", "", "latency, ms", "{}", Distribution(&m.latency)),
        row("retries", "", "retries", "{}", Number(m.retries)),
        row("answered_by", "", "answered by", "{}", ServerNames(&m.answered_by)),
        row("finish_reasons", "", "ended by", "{}", ServerNames(&m.finish_reasons)),
        row("replayed", "", "", "{}", Number(replayed)),
        row("divergent", differ, "", "{}", Number(divergent)),
        row("gates.refused", "", "", "{}", Gates(&m.gates)),
        row("authority.clauses", "", "", "{}", Clauses(&m.clauses)),
    ];
    table
}
