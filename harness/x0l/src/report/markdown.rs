//! `report.md`: the report for people. It opens with the verdict.

use std::fmt::Write;

use axilog_ledger::file::hex;

use super::closure::{Closure, Why, forensic_review};
use super::condition::section;
use super::{DECISIONS, Subject, TOKENS};
use crate::kernel::DecisionKind;
use crate::log::{Condition, ConditionStatus, TokenSource};
use crate::metrics::ConditionMetrics;
use crate::replay::Place;
use crate::review::Judgement;
use crate::taxonomy::RefusalType;

/// The report. Writing into a text does not fail.
pub(super) fn report(subject: &Subject<'_>, closure: Closure, reasons: &[Why]) -> String {
    let mut page = format!("# X-0L: {}\n\n", closure.as_str());
    page.push_str(match closure {
        Closure::Positive => {
            "The session closes positive: L-A has its actions, every condition replays, and no Type III is confirmed.\n"
        }
        Closure::PendingReview => "The session waits for a person's review.\n",
        Closure::Incomplete => "The session has not run to its end.\n",
        Closure::Negative => "The session closes negative.\n",
        Closure::Void => "The session is void and counts for nothing.\n",
        Closure::Diverged => "The run does not replay: something in its directory is not what it was.\n",
    });
    if !reasons.is_empty() {
        page.push('\n');
        for why in reasons {
            let _ = writeln!(page, "- `{}`: {}", why.code, plain(&why.text));
        }
    }
    review(&mut page, subject);
    overview(&mut page, subject);
    let _ = write!(
        page,
        "\n![What was decided in each cycle of each condition; the tables have the numbers]({DECISIONS})\n\n![Tokens of each cycle against B1 and of the session against B2; the tables have the numbers]({TOKENS})\n"
    );
    for condition in &subject.metadata.frozen.conditions {
        section(&mut page, subject, condition.id);
    }
    frozen(&mut page, subject);
    differences(&mut page, subject);
    page
}

fn review(page: &mut String, subject: &Subject<'_>) {
    let open = forensic_review(subject.metrics, subject.review);
    if !open.is_empty() {
        let _ = writeln!(
            page,
            "\n**Forensic review:** the kernel acted on what an adversarial prompt brought about, in {}. Look at each, then `axilog x0l report DIR --confirm CYCLE` or `--dismiss CYCLE`.",
            named(&open)
        );
    }
    let type_iii = subject.metrics.type_iii();
    if type_iii.is_empty() {
        return;
    }
    page.push_str("\n| Type III | in | review | by |\n|---:|---|---|---|\n");
    for place in type_iii {
        let said = subject.review.judgements.get(&place.number);
        let judgement = said.map_or("open", |one| Judgement::as_str(one.judgement));
        let by = said.and_then(|one| one.by.as_deref()).unwrap_or_default();
        let _ = writeln!(
            page,
            "| {} | {} {} | {judgement} | {} |",
            place.number,
            place.condition.as_str(),
            place.cycle,
            plain(by)
        );
    }
}

fn named(places: &[Place]) -> String {
    let one = |place: &Place| {
        let (condition, cycle) = (place.condition.as_str(), place.cycle);
        format!("cycle {} ({condition} {cycle})", place.number)
    };
    places.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A table with a column for each condition.
fn overview(page: &mut String, subject: &Subject<'_>) {
    let none = ConditionMetrics::default();
    let ids: Vec<Condition> = subject
        .metadata
        .frozen
        .conditions
        .iter()
        .map(|one| one.id)
        .collect();
    let head: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    let _ = writeln!(page, "\n| | {} |", head.join(" | "));
    let _ = writeln!(page, "|---{}|", "|---:".repeat(ids.len()));
    let mut row = |name: &str, cell: &dyn Fn(Condition, &ConditionMetrics) -> String| {
        let cells: Vec<String> = ids
            .iter()
            .map(|id| cell(*id, subject.metrics.conditions.get(id).unwrap_or(&none)))
            .collect();
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    };
    row("status", &|id, _| status(subject, id).as_str().to_owned());
    row("cycles", &|_, one| one.cycles.to_string());
    for kind in DecisionKind::ALL {
        row(kind.as_str(), &|_, one| one.decided(kind).to_string());
    }
    row("ACTION rate", &|_, one| one.action_rate().percent());
    for refusal in RefusalType::ALL {
        row(&format!("Type {}", refusal.as_str()), &|_, one| {
            number(one.refusals.get(refusal.as_str()))
        });
    }
    row("recovery", &|_, one| one.recovery().percent());
    row("tokens", &|_, one| one.tokens.sum().to_string());
    row("not replayed as logged", &|id, _| {
        let counts = subject
            .replay
            .conditions
            .get(&id)
            .copied()
            .unwrap_or_default();
        counts.1.to_string()
    });
}

pub(super) fn status(subject: &Subject<'_>, id: Condition) -> ConditionStatus {
    let outcome = subject
        .replay
        .outcomes
        .iter()
        .find(|condition| condition.id == id);
    outcome.map_or(ConditionStatus::NotFinished, |condition| condition.status)
}

fn number(count: Option<&u64>) -> String {
    count.copied().unwrap_or_default().to_string()
}

fn frozen(page: &mut String, subject: &Subject<'_>) {
    let frozen = &subject.metadata.frozen;
    page.push_str("\n## What was frozen\n\n| | |\n|---|---|\n");
    let source = match &frozen.token_source {
        TokenSource::Api { .. } => "the API's usage".to_owned(),
        TokenSource::Local { tokenizer, version } => format!("counted here, {tokenizer} {version}"),
    };
    let calibration = subject.metadata.calibration.as_ref();
    let status = subject
        .metadata
        .outcome
        .as_ref()
        .map(|outcome| outcome.status.as_str());
    for (name, said) in [
        ("ended", status.unwrap_or("no outcome").to_owned()),
        (
            "calibration",
            calibration
                .map_or("none", |one| one.verdict.as_str())
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
        ("ledger", format!("{} records", subject.replay.entries)),
        ("head", hex(&subject.replay.head)),
    ] {
        let _ = writeln!(page, "| {name} | {} |", plain(&said));
    }
}

/// The most differences that are listed.
const MOST: usize = 50;

fn differences(page: &mut String, subject: &Subject<'_>) {
    let findings = &subject.replay.findings;
    if findings.is_empty() {
        return;
    }
    page.push_str("\n## What replay found\n\n");
    for finding in findings.iter().take(MOST) {
        let _ = writeln!(page, "- {}", plain(&finding.to_string()));
    }
    if let Some(more @ 1..) = findings.len().checked_sub(MOST) {
        let _ = writeln!(page, "- and {more} more; `report.json` has all of them");
    }
}

/// Text that came from elsewhere, for a table cell or a list: it means nothing to Markdown or HTML.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '$' => {
                plain.push('\\');
                plain.push(c);
            }
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            c if c.is_control() => plain.extend(c.escape_default()),
            c => plain.push(c),
        }
    }
    plain
}
