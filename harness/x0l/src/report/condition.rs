//! A condition's section of `report.md`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::visible_text::escape_markdown;

use super::families::write_families;
use super::inputs::ReportInputs;
use super::metric_list::{Metric, MetricValue, list_metrics};
use crate::log::Condition;
use crate::metrics::{Distribution, Ratio};
use crate::wilson::RateInterval;

/// Appends the section of a condition to the page.
pub(super) fn write_section(page: &mut String, inputs: &ReportInputs<'_>, id: Condition) {
    let _ = writeln!(page, "\n## {}\n", id.as_str());
    let Some(metrics) = inputs.metrics.conditions.get(&id) else {
        page.push_str("No cycle has run.\n");
        return;
    };
    page.push_str("| | |\n|---|---|\n");
    let metrics = list_metrics(inputs, id, metrics);
    for row in metrics.chunk_by(|a, b| a.label == b.label) {
        let label = row.first().map_or("", |metric| metric.label);
        let texts: Vec<String> = row.iter().filter_map(format_metric).collect();
        if !label.is_empty() && !texts.is_empty() {
            let _ = writeln!(page, "| {label} | {} |", texts.join(", "));
        }
    }
    for metric in &metrics {
        write_table(page, &metric.value);
    }
    if id == Condition::C {
        write_families(page, &inputs.evidence.families);
    }
}

/// Formats a metric for its row; `None` where it has none.
fn format_metric(metric: &Metric<'_>) -> Option<String> {
    let value = match &metric.value {
        MetricValue::Absent | MetricValue::Gates(_) | MetricValue::Clauses(_) => return None,
        MetricValue::Word(word) => (*word).to_owned(),
        MetricValue::Flag(flag, yes, no) => (if *flag { *yes } else { *no }).to_owned(),
        MetricValue::Number(number) => number.to_string(),
        MetricValue::Share(ratio) | MetricValue::Rate(ratio) => {
            let phrase = metric.phrase.replace("{of}", &ratio.of.to_string());
            let phrase = phrase.replace("{all}", &ratio.all.to_string());
            return Some(phrase.replace("{}", &format_ratio(&metric.value, *ratio)));
        }
        MetricValue::Distribution(distribution) => format_distribution(distribution),
        MetricValue::Counts(names, counts) => format_counts(names, counts),
        MetricValue::ServerNames(counts) => format_server_names(counts),
    };
    Some(metric.phrase.replace("{}", &value))
}

/// Formats a ratio in percent; a rate with its interval at 95 %.
pub(super) fn format_ratio(value: &MetricValue<'_>, ratio: Ratio) -> String {
    let interval = match value {
        MetricValue::Rate(rate) => RateInterval::of(*rate),
        _ => None,
    };
    match interval {
        Some(interval) => format!("{} [{}]", ratio.percent(), interval.percent()),
        None => ratio.percent(),
    }
}

/// Lists the names that were counted, each with its count.
fn format_counts(names: &[&'static str], counts: &BTreeMap<&'static str, u64>) -> String {
    let counted = names
        .iter()
        .filter_map(|name| Some(format!("{} {name}", counts.get(name)?)));
    let counted: Vec<String> = counted.collect();
    if counted.is_empty() {
        "none".to_owned()
    } else {
        counted.join(", ")
    }
}

/// The most names of the server's that are listed.
const MOST_NAMES: usize = 8;
/// The most characters of such a name.
const LONGEST_NAME: usize = 64;

/// Lists the names that the server gave, each with its count, the most frequent first.
fn format_server_names(counts: &BTreeMap<String, u64>) -> String {
    if counts.is_empty() {
        return "the server does not say".to_owned();
    }
    let mut names: Vec<(&String, &u64)> = counts.iter().collect();
    names.sort_by_key(|(_, count)| Reverse(*count));
    let listed = names.iter().take(MOST_NAMES);
    let mut listed: Vec<String> = listed
        .map(|(name, count)| {
            let start: String = name.chars().take(LONGEST_NAME).collect();
            // Names that differ after the cut stay apart.
            let cut = match start.len() < name.len() {
                true => format!("… ({:.12})", hex(&sha256(name.as_bytes()))),
                false => String::new(),
            };
            format!("{count} {}{cut}", escape_markdown(&start))
        })
        .collect();
    if let Some(more @ 1..) = names.len().checked_sub(MOST_NAMES) {
        listed.push(format!("and {more} other names"));
    }
    listed.join(", ")
}

fn format_distribution(distribution: &Distribution) -> String {
    let [Some(least), Some(median), Some(p95), Some(most)] =
        [0, 50, 95, 100].map(|percent| distribution.percentile(percent))
    else {
        return "none".to_owned();
    };
    format!(
        "{} in all; least {least}, median {median}, 95th percentile {p95}, most {most}",
        distribution.sum()
    )
}

/// Appends the table of a metric that has a table of its own, unless it is empty.
fn write_table(page: &mut String, value: &MetricValue<'_>) {
    match value {
        MetricValue::Gates(gates) if !gates.is_empty() => {
            page.push_str("\n| gate | refused | for |\n|---|---:|---|\n");
            for (gate, codes) in *gates {
                let names: Vec<&'static str> = codes.keys().copied().collect();
                let (gate, all) = (gate.as_str(), codes.values().sum::<u64>());
                let _ = writeln!(
                    page,
                    "| {gate} | {all} | {} |",
                    format_counts(&names, codes)
                );
            }
        }
        MetricValue::Clauses(clauses) if !clauses.is_empty() => {
            page.push_str("\n| clause | candidates that cite it | actions |\n|---|---:|---:|\n");
            for (clause, (cited, acted)) in *clauses {
                let _ = writeln!(page, "| {} | {cited} | {acted} |", escape_markdown(clause));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server may give any name: the name stays in its cell, and the cell stays short.
    #[test]
    fn the_names_of_a_server_are_listed_by_frequency() {
        let counts = |names: &[(&str, u64)]| -> BTreeMap<String, u64> {
            let names = names.iter().copied();
            names
                .map(|(name, count)| (name.to_owned(), count))
                .collect()
        };
        let format = |names: &[(&str, u64)]| format_server_names(&counts(names));
        assert_eq!(format(&[]), "the server does not say");
        assert_eq!(format(&[("m-1", 3), ("m|2", 97)]), "97 m\\|2, 3 m-1");
        let long = "é".repeat(LONGEST_NAME);
        let longer = format!("{long}é");
        let found = format(&[(&long, 1), (&longer, 2)]);
        assert!(found.starts_with(&format!("2 {long}… (")), "{found}");
        assert!(found.ends_with(&format!("), 1 {long}")), "{found}");
        let other = format!("{long}ß");
        assert_ne!(format(&[(&longer, 1)]), format(&[(&other, 1)]));
        let many: Vec<String> = (0..10).map(|n| n.to_string()).collect();
        let many: Vec<(&str, u64)> = many.iter().map(|name| (name.as_str(), 1)).collect();
        assert!(format(&many).ends_with("1 7, and 2 other names"));
    }
}
