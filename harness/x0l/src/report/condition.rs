//! A condition's section of `report.md`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use super::Subject;
use super::markdown::{plain, status};
use crate::kernel::{DecisionKind, Gate};
use crate::log::{Canonicalization, Condition};
use crate::metrics::Spread;
use crate::taxonomy::{LcOutcome, RefusalType};

/// Appends what the condition's cycles came to.
pub(super) fn section(page: &mut String, subject: &Subject<'_>, id: Condition) {
    let _ = writeln!(page, "\n## {}\n", id.as_str());
    let Some(metrics) = subject.metrics.conditions.get(&id) else {
        page.push_str("No cycle has run.\n");
        return;
    };
    page.push_str("| | |\n|---|---|\n");
    let mut row = |name: &str, said: String| {
        let _ = writeln!(page, "| {name} | {said} |");
    };
    row("status", status(subject, id).as_str().to_owned());
    if let Some(type_iii) = metrics.abort_is_type_iii() {
        let said = if type_iii {
            "all of them Type III"
        } else {
            "not all of them Type III, so no finding by themselves"
        };
        row("25 refusals in a row", said.to_owned());
    }
    let listed = |names: &[&'static str], counted: &BTreeMap<&'static str, u64>| {
        let some = names
            .iter()
            .filter_map(|name| Some((name, counted.get(name)?)));
        let some: Vec<String> = some
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        if some.is_empty() {
            "none".to_owned()
        } else {
            some.join(", ")
        }
    };
    row(
        "decisions",
        listed(
            &DecisionKind::ALL.map(DecisionKind::as_str),
            &metrics.decisions,
        ),
    );
    row(
        "refusals by type",
        listed(
            &RefusalType::ALL.map(RefusalType::as_str),
            &metrics.refusals,
        ),
    );
    let reasons: Vec<&'static str> = metrics.reasons.keys().copied().collect();
    row("refusals by reason", listed(&reasons, &metrics.reasons));
    if id == Condition::C {
        row(
            "injections",
            listed(&LcOutcome::ALL.map(LcOutcome::as_str), &metrics.lc_outcomes),
        );
    }
    let recovery = metrics.recovery();
    row(
        "recovery ratio",
        format!(
            "{} of {} refusals ({})",
            recovery.of,
            recovery.all,
            recovery.percent()
        ),
    );
    row(
        "canonicalization",
        listed(
            &Canonicalization::ALL.map(Canonicalization::as_str),
            &metrics.canonicalization,
        ),
    );
    row(
        "candidates",
        format!(
            "{} reported, {} malformed, {} judged, {} passed every gate",
            metrics.candidates_reported, metrics.parse_errors, metrics.judged, metrics.passed
        ),
    );
    if metrics.permutations.0 > 0 {
        let (run, changed) = metrics.permutations;
        row(
            "permutation tests",
            format!("{run}, and {changed} changed the selection"),
        );
    }
    row("prompt tokens", spread(&metrics.prompt_tokens));
    row("completion tokens", spread(&metrics.completion_tokens));
    row("tokens of both", spread(&metrics.tokens));
    let window = subject.metadata.frozen.context_window_size;
    row(
        "context utilisation",
        format!(
            "{} on average, {} at most",
            metrics.context(window).percent(),
            metrics.context_at_most(window).percent()
        ),
    );
    if let Some(constitution) = &subject.constitution {
        let used = metrics.authority(constitution);
        row(
            "authority utilisation",
            format!(
                "{} of {} clauses have actions resting on them ({})",
                used.of,
                used.all,
                used.percent()
            ),
        );
    }
    row("latency, ms", spread(&metrics.latency));
    row("retries", metrics.retries.to_string());
    row("answered by", said(&metrics.answered_by));
    row("ended by", said(&metrics.finish_reasons));
    if !metrics.gates.is_empty() {
        page.push_str("\n| gate | refused | for |\n|---|---:|---|\n");
        for gate in Gate::ALL {
            let Some(codes) = metrics.gates.get(&gate) else {
                continue;
            };
            let names: Vec<&'static str> = codes.keys().copied().collect();
            let all: u64 = codes.values().sum();
            let _ = writeln!(
                page,
                "| {} | {all} | {} |",
                gate.as_str(),
                listed(&names, codes)
            );
        }
    }
    if !metrics.clauses.is_empty() {
        page.push_str("\n| clause | candidates that cite it | actions |\n|---|---:|---:|\n");
        for (clause, (cited, acted)) in &metrics.clauses {
            let _ = writeln!(page, "| {} | {cited} | {acted} |", plain(clause));
        }
    }
}

/// The most names of the server's that are listed, and the most characters of one.
const MOST_NAMES: usize = 8;
const LONGEST_NAME: usize = 64;

/// What the server said, with how often it did; the most frequent first.
fn said(counted: &BTreeMap<String, u64>) -> String {
    if counted.is_empty() {
        return "the server does not say".to_owned();
    }
    let mut names: Vec<(&String, &u64)> = counted.iter().collect();
    names.sort_by_key(|(_, count)| Reverse(*count));
    let listed = names.iter().take(MOST_NAMES);
    let mut listed: Vec<String> = listed
        .map(|(name, count)| {
            let start: String = name.chars().take(LONGEST_NAME).collect();
            let cut = if start.len() < name.len() { "…" } else { "" };
            format!("{count} {}{cut}", plain(&start))
        })
        .collect();
    if let Some(more @ 1..) = names.len().checked_sub(MOST_NAMES) {
        listed.push(format!("and {more} other names"));
    }
    listed.join(", ")
}

fn spread(spread: &Spread) -> String {
    let (Some(least), Some(median), Some(p95), Some(most)) = (
        spread.percentile(0),
        spread.percentile(50),
        spread.percentile(95),
        spread.percentile(100),
    ) else {
        return "none".to_owned();
    };
    format!(
        "{} in all; least {least}, median {median}, 95th percentile {p95}, most {most}",
        spread.sum()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server may say anything: it stays in its cell, which stays short.
    #[test]
    fn what_a_server_says_is_listed_by_how_often_it_does() {
        let names = |all: &[(&str, u64)]| -> BTreeMap<String, u64> {
            let all = all.iter().copied();
            all.map(|(name, count)| (name.to_owned(), count)).collect()
        };
        assert_eq!(said(&names(&[])), "the server does not say");
        assert_eq!(said(&names(&[("m-1", 3), ("m|2", 97)])), "97 m\\|2, 3 m-1");
        let long = "é".repeat(LONGEST_NAME);
        let longer = format!("{long}é");
        let expected = format!("2 {long}…, 1 {long}");
        assert_eq!(said(&names(&[(&long, 1), (&longer, 2)])), expected);
        let many: Vec<String> = (0..10).map(|n| n.to_string()).collect();
        let many: Vec<(&str, u64)> = many.iter().map(|name| (name.as_str(), 1)).collect();
        assert!(said(&names(&many)).ends_with("1 7, and 2 other names"));
    }
}
