//! A comparison as tables on standard output.

use axilog_ablation::comparison::Comparison;
use axilog_ablation::control_summary::list_control_rows;
use axilog_ablation::decimal::Decimal;
use axilog_ablation::run_difference::RunDifference;
use axilog_ablation::statistics::TestResult;

use super::super::table;

/// Renders the differences: a table for each of the three questions.
pub(super) fn render_table(comparison: &Comparison) -> String {
    let reference = comparison.runs.first().map_or("", |run| run.label.as_str());
    let render = |size, row: &dyn Fn(&RunDifference) -> DifferenceRow| {
        let rows: Vec<[String; 5]> = comparison
            .differing()
            .map(|(run, found)| {
                let (size, [low, high], test, verdict) = row(found);
                [
                    run.label.clone(),
                    size.to_string(),
                    format!("{low}, {high}"),
                    test.corrected.to_decimal().to_string(),
                    verdict.to_owned(),
                ]
            })
            .collect();
        let header = ["run", size, "95 % of resamples", "p (Holm)", "verdict"];
        table::format_grid(header, [18, 10, 21, 9, 18], &rows)
    };
    let choices = render("distance", &|found| {
        let choices = &found.choices;
        let verdict = found.choices_verdict();
        (
            choices.distance,
            choices.interval,
            found.choices_test,
            verdict,
        )
    });
    let answers = render("change", &|found| {
        let answers = &found.answers;
        let verdict = found.answers_verdict();
        (
            answers.difference,
            answers.interval,
            found.answers_test,
            verdict,
        )
    });
    let actions = render("distance", &|found| {
        let actions = &found.actions;
        let verdict = found.actions_verdict();
        (
            actions.distance,
            actions.interval,
            found.actions_test,
            verdict,
        )
    });
    let mut text = format!("held against {reference}\n");
    if !comparison.differences.is_empty() {
        text.push_str(&format!(
            "\nchoices: what was proposed where both answered usefully\n{choices}\nanswers: the share that was not useful\n{answers}\nactions: what was done\n{actions}"
        ));
    }
    text + &render_controls(comparison)
}

/// Renders the controls: a table, and what each shows.
fn render_controls(comparison: &Comparison) -> String {
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
        rows.extend(list_control_rows(found).map(|row| {
            [
                label(found.pair.run),
                label(found.pair.reference),
                row.question.to_owned(),
                row.size.to_string(),
                row.test.corrected.to_decimal().to_string(),
                row.verdict.to_owned(),
            ]
        }));
        sentences.push_str(&table::wrap_sentence(&comparison.explain_control(control)));
    }
    let header = [
        "control", "against", "question", "size", "p (Holm)", "verdict",
    ];
    let grid = table::format_grid(header, [15, 13, 9, 10, 9, 18], &rows);
    format!("\ncontrols: what the differences may be read as\n{grid}\n{sentences}")
}

/// The size of a difference, the ends of its interval, its test and its verdict.
type DifferenceRow = (Decimal, [Decimal; 2], TestResult, &'static str);
