//! A comparison as tables on standard output.

use axilog_ablation::comparison::RunComparison;
use axilog_ablation::endpoint::StudyEndpoint;

use crate::output::table;

/// The endpoints in the order of their tables, each with the title of its table, the name of its size, and that of its
/// interval.
const TABLES: [(StudyEndpoint, &str, &str, &str); 5] = [
    (
        StudyEndpoint::Agreement,
        "agreement: how often the choice is the action of the last record",
        "change",
        "95 % confidence",
    ),
    (
        StudyEndpoint::Disagreement,
        "disagreement: other choices at the same step, beyond the replicate's",
        "share",
        "95 % confidence",
    ),
    (
        StudyEndpoint::Choices,
        "choices: what was proposed where both answered usefully",
        "distance",
        "95 % of resamples",
    ),
    (
        StudyEndpoint::Answers,
        "answers: the share that was not useful",
        "change",
        "95 % of resamples",
    ),
    (
        StudyEndpoint::Actions,
        "actions: what was done",
        "distance",
        "95 % of resamples",
    ),
];

/// Renders which endpoint is primary, the differences, a table for each endpoint with the primary one first, and the
/// controls.
pub(super) fn render_table(comparison: &RunComparison) -> String {
    let reference = comparison.runs.first().map_or("", |run| run.label.as_str());
    let primary = comparison.declared_primary();
    let mut tables = TABLES;
    tables.sort_by_key(|(endpoint, ..)| Some(*endpoint) != primary);
    let explained = table::wrap_sentence(&comparison.explain_primary());
    let about = table::format_pairs(&[
        ("environment", comparison.describe_environment()),
        ("held against", reference.to_owned()),
    ]);
    let mut text = format!("{about}\n{explained}");
    for (endpoint, title, size, interval) in tables {
        let rows = list_rows(comparison, endpoint);
        if rows.is_empty() {
            continue;
        }
        let header = ["run", size, interval, "p (Holm)", "verdict"];
        let grid = table::format_grid(header, [18, 10, 21, 9, 18], &rows);
        text.push_str(&format!("\n{title}\n{grid}"));
    }
    text + &render_controls(comparison)
}

/// The rows of an endpoint, one for each run that is no control.
fn list_rows(comparison: &RunComparison, endpoint: StudyEndpoint) -> Vec<[String; 5]> {
    let rows = comparison.differing().filter_map(|(run, found)| {
        let mut rows = found.list_endpoints().into_iter();
        let row = rows.find(|row| row.endpoint == endpoint)?;
        let [low, high] = row.interval;
        Some([
            run.label.clone(),
            row.size.to_string(),
            format!("{low}, {high}"),
            row.test.corrected.to_decimal().to_string(),
            comparison.name_verdict(&row),
        ])
    });
    rows.collect()
}

/// Renders the controls: a table, and what each shows.
fn render_controls(comparison: &RunComparison) -> String {
    if comparison.controls.is_empty() {
        return String::new();
    }
    let label = |place: usize| {
        let run = comparison.runs.get(place);
        run.map_or_else(String::new, |run| run.label.clone())
    };
    let mut rows = Vec::new();
    let mut sentences = String::new();
    for control in &comparison.controls {
        let found = &control.difference;
        rows.extend(found.list_endpoints().iter().map(|row| {
            [
                label(found.pair.run),
                label(found.pair.reference),
                row.endpoint.to_string(),
                row.size.to_string(),
                row.test.corrected.to_decimal().to_string(),
                comparison.name_verdict(row),
            ]
        }));
        sentences.push_str(&table::wrap_sentence(&comparison.explain_control(control)));
    }
    let header = [
        "control", "against", "endpoint", "size", "p (Holm)", "verdict",
    ];
    let grid = table::format_grid(header, [13, 12, 13, 10, 9, 18], &rows);
    format!("\ncontrols: what the differences may be read as\n{grid}\n{sentences}")
}
