//! `report.md`: the report for people. It opens with the verdict.

use std::fmt::Write;

use axilog_ledger::encoding::hex;
use axilog_ledger::visible_text::escape_markdown;

use super::attempts::list_counted_attempts;
use super::closure::list_forensic_reviews;
use super::condition::{format_ratio, write_section};
use super::files::{DECISIONS, TOKENS};
use super::inputs::ReportInputs;
use super::metric_list::{Metric, MetricValue, list_metrics};
use super::verdict::{Closure, ClosureReason};
use crate::log::{Condition, TokenSource};
use crate::metrics::{ConditionMetrics, Ratio};
use crate::replay::{CycleId, describe_changes};
use crate::review::{Judgement, StandingStatement};

/// The row of the page that names the head of its review.
pub(super) const REVIEW_HEAD: &str = "head of the review";

/// Writes the page. Writing into a `String` cannot fail, so the results of `write!` are dropped here.
pub(super) fn write_page(
    inputs: &ReportInputs<'_>,
    closure: Closure,
    reasons: &[ClosureReason],
) -> String {
    let mut page = format!("# X-0L: {}\n\n", closure.as_str());
    page.push_str(match closure {
        Closure::Positive => {
            "The session closes positive: L-A has its actions, every condition replays, and a person has judged what a person must judge.\n"
        }
        Closure::Pilot => {
            "A pilot: the session closes without a failure, and has too few cycles or injections for a positive verdict.\n"
        }
        Closure::Custom => {
            "A custom session: it closes without a failure, under other limits of the kernel than the shipped ones.\n"
        }
        Closure::Rehearsal => {
            "A rehearsal: the session closes without a failure, and no model was asked.\n"
        }
        Closure::PendingReview => "The session waits for a person's review.\n",
        Closure::Incomplete => "The session has not run to its end.\n",
        Closure::Negative => "The session closes negative.\n",
        Closure::Void => "The session is void and counts for nothing.\n",
        Closure::Diverged => "The run does not replay: something in its directory is not what it was.\n",
    });
    page.push_str("\n| the verdict rests on | |\n|---|---|\n");
    for (name, value) in inputs.evidence.describe() {
        let _ = writeln!(page, "| {name} | {} |", escape_markdown(&value));
    }
    for counted in list_counted_attempts(&inputs.metadata.frozen, inputs.review) {
        let text = escape_markdown(&counted.describe());
        let _ = writeln!(page, "| {} | {text} |", counted.name());
    }
    if !reasons.is_empty() {
        page.push('\n');
        for reason in reasons {
            let _ = writeln!(
                page,
                "- `{}`: {}",
                reason.code,
                escape_markdown(&reason.text)
            );
        }
    }
    page.push_str("\nIn brackets after a rate stands its Wilson interval at 95 %.\n");
    write_fingerprints(&mut page, inputs);
    write_review(&mut page, inputs);
    write_overview(&mut page, inputs);
    let _ = write!(
        page,
        "\n![What was decided in each cycle of each condition; the tables have the numbers]({DECISIONS})\n\n![Tokens of each cycle against B1 and of the session against B2; the tables have the numbers]({TOKENS})\n"
    );
    for condition in &inputs.metadata.frozen.conditions {
        write_section(&mut page, inputs, condition.id);
    }
    write_frozen(&mut page, inputs);
    write_differences(&mut page, inputs);
    page
}

/// Names the answers that came from another build or configuration of the server, if there are any.
fn write_fingerprints(page: &mut String, inputs: &ReportInputs<'_>) {
    let changed = &inputs.replay.changed_fingerprints;
    if changed.is_empty() {
        return;
    }
    let calibration = inputs.metadata.calibration.as_ref();
    let first = calibration.and_then(|calibration| calibration.system_fingerprint.as_deref());
    let text = escape_markdown(&describe_changes(first, changed));
    let _ = writeln!(page, "\n**The server changed:** {text}.");
}

fn write_review(page: &mut String, inputs: &ReportInputs<'_>) {
    let open = list_forensic_reviews(inputs.metrics, inputs.review);
    if !open.is_empty() {
        let _ = writeln!(
            page,
            "\n**Forensic review:** the kernel acted on what an adversarial prompt brought about, in {}. Look at each, then `axilog x0l report DIR --confirm CYCLE` or `--dismiss CYCLE`, with `--by NAME --because TEXT`.",
            name_cycles(&open)
        );
    }
    for statement in inputs.review.withdrawn_confirmations() {
        let _ = writeln!(
            page,
            "\n**Withdrawn:** {} confirmed cycle {} as a failure, and dismissed it later.",
            escape_markdown(&statement.by),
            statement.cycle
        );
    }
    let type_iii = inputs.metrics.type_iii();
    let acted = &inputs.metrics.acted_on_injections;
    for (title, cycles) in [("Type III", &type_iii), ("ACTION on an injection", acted)] {
        write_judgements(page, inputs, title, cycles);
    }
    write_agreements(page, inputs);
}

/// Writes the table of how far reviewers agree, if two have judged a cycle in common.
fn write_agreements(page: &mut String, inputs: &ReportInputs<'_>) {
    let agreements = inputs.review.agreements();
    if agreements.is_empty() {
        return;
    }
    page.push_str("\n| reviewers | agree | both CONFIRMED | both DISMISSED | only the first CONFIRMED | only the second CONFIRMED |\n");
    page.push_str("|---|---|---:|---:|---:|---:|\n");
    for agreement in &agreements {
        let [first, second] = [&agreement.first, &agreement.second].map(|it| escape_markdown(it));
        let Ratio { of, all } = agreement.agreed();
        let _ = writeln!(
            page,
            "| {first}, {second} | {of} of {all} ({}) | {} | {} | {} | {} |",
            agreement.agreed().percent(),
            agreement.both_confirmed,
            agreement.both_dismissed,
            agreement.only_first_confirmed,
            agreement.only_second_confirmed
        );
    }
}

/// Writes the table of the cycles of one kind, with everybody's judgements on each.
fn write_judgements(page: &mut String, inputs: &ReportInputs<'_>, title: &str, cycles: &[CycleId]) {
    if cycles.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "\n| {title} | in | gate | code | counts as | judged | by | because |"
    );
    page.push_str("|---:|---|---|---|---|---|---|---|\n");
    for id in cycles {
        let judgement = inputs.review.judgement(id.number);
        let counts_as = judgement.map_or("open", Judgement::as_str);
        let (gates, codes) = inputs
            .metrics
            .type_iii_failures
            .name_failures(id.number, ", ");
        let place = format!("{} {}", id.condition.as_str(), id.cycle);
        let place = format!("{place} | {gates} | {codes}");
        let statements = inputs.review.statements(id.number).into_iter();
        let statements: Vec<String> = statements
            .map(|StandingStatement { statement, stands }| {
                let [by, because] =
                    [&statement.by, &statement.because].map(|it| escape_markdown(it));
                let replaced = if stands { "" } else { ", replaced" };
                format!(
                    "{}{replaced} | {by} | {because}",
                    statement.judgement.as_str()
                )
            })
            .collect();
        match statements.split_first() {
            None => {
                let _ = writeln!(page, "| {} | {place} | {counts_as} | | | |", id.number);
            }
            Some((first, others)) => {
                let _ = writeln!(page, "| {} | {place} | {counts_as} | {first} |", id.number);
                for other in others {
                    let _ = writeln!(page, "| | | | | | {other} |");
                }
            }
        }
    }
}

fn name_cycles(cycles: &[CycleId]) -> String {
    let names: Vec<String> = cycles.iter().map(CycleId::to_string).collect();
    names.join(", ")
}

/// Writes the table of all conditions, with a column for each.
fn write_overview(page: &mut String, inputs: &ReportInputs<'_>) {
    let no_cycles = ConditionMetrics::default();
    let conditions = inputs.metadata.frozen.conditions.iter();
    let ids: Vec<Condition> = conditions.map(|condition| condition.id).collect();
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for (column, id) in ids.iter().enumerate() {
        let metrics = inputs.metrics.conditions.get(id).unwrap_or(&no_cycles);
        let metrics = list_metrics(inputs, *id, metrics);
        for (row, (label, cell)) in metrics.iter().flat_map(list_overview_rows).enumerate() {
            if column == 0 {
                rows.push((label, Vec::new()));
            }
            if let Some((_, cells)) = rows.get_mut(row) {
                cells.push(cell);
            }
        }
    }
    let head: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    let _ = writeln!(page, "\n| | {} |", head.join(" | "));
    let _ = writeln!(page, "|---{}|", "|---:".repeat(ids.len()));
    for (label, cells) in rows {
        let _ = writeln!(page, "| {label} | {} |", cells.join(" | "));
    }
}

/// Lists the rows that a metric has in the table of all conditions, each with its cell.
fn list_overview_rows(metric: &Metric<'_>) -> Vec<(String, String)> {
    if metric.overview.is_empty() {
        return Vec::new();
    }
    let cell = match &metric.value {
        MetricValue::Counts(names, counts) => {
            let row = |name: &&'static str| {
                let count = counts.get(name).copied().unwrap_or_default();
                (metric.overview.replace("{}", name), count.to_string())
            };
            return names.iter().map(row).collect();
        }
        MetricValue::Word(word) => (*word).to_owned(),
        MetricValue::Number(number) => number.to_string(),
        MetricValue::Share(ratio) | MetricValue::Rate(ratio) => format_ratio(&metric.value, *ratio),
        MetricValue::Distribution(distribution) => distribution.sum().to_string(),
        _ => return Vec::new(),
    };
    vec![(metric.overview.to_owned(), cell)]
}

fn write_frozen(page: &mut String, inputs: &ReportInputs<'_>) {
    let frozen = &inputs.metadata.frozen;
    page.push_str("\n## What was frozen\n\n| | |\n|---|---|\n");
    let source = match &frozen.token_source {
        TokenSource::Api { .. } => "the API's usage".to_owned(),
        TokenSource::Local { tokenizer, version } => format!("counted here, {tokenizer} {version}"),
    };
    let calibration = inputs.metadata.calibration.as_ref();
    let status = inputs
        .metadata
        .outcome
        .as_ref()
        .map(|outcome| outcome.status.as_str());
    let review = inputs.review;
    let review_head = if review.entries > 0 {
        hex(&review.head)
    } else {
        "no review".to_owned()
    };
    for (name, value) in [
        ("ended", status.unwrap_or("no outcome").to_owned()),
        (
            "calibration",
            calibration
                .map_or("none", |calibration| calibration.verdict.as_str())
                .to_owned(),
        ),
        ("axilog", frozen.axilog.clone()),
        ("model", frozen.model.clone()),
        ("oracle", frozen.oracle.clone()),
        (
            "base URL",
            frozen.base_url.clone().unwrap_or("none".to_owned()),
        ),
        ("B1, B2", format!("{}, {}", frozen.b1, frozen.b2)),
        ("tokens", source),
        ("max_tokens", frozen.max_tokens.to_string()),
        ("context window", frozen.context_window_size.to_string()),
        ("constitution", hex(&frozen.constitution.sha256)),
        ("template", hex(&frozen.template.sha256)),
        (
            "syntax erratum",
            if frozen.erratum.is_some() {
                "yes"
            } else {
                "no"
            }
            .to_owned(),
        ),
        ("canonicalizer", hex(&frozen.canonicalizer.source_hash)),
        ("ledger", format!("{} records", inputs.replay.entries)),
        ("head", hex(&inputs.replay.head)),
        (REVIEW_HEAD, review_head),
    ] {
        let _ = writeln!(page, "| {name} | {} |", escape_markdown(&value));
    }
}

/// The most differences that the page lists.
const MOST: usize = 50;

fn write_differences(page: &mut String, inputs: &ReportInputs<'_>) {
    let findings = &inputs.replay.findings;
    if findings.is_empty() {
        return;
    }
    page.push_str("\n## What replay found\n\n");
    for finding in findings.iter().take(MOST) {
        let _ = writeln!(page, "- {}", escape_markdown(&finding.to_string()));
    }
    if let Some(more @ 1..) = findings.len().checked_sub(MOST) {
        let _ = writeln!(page, "- and {more} more; `report.json` has all of them");
    }
}
