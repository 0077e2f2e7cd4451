//! The summary of a comparison in Markdown, and its plot.

use std::collections::BTreeMap;

use axilog_ledger::visible_text::escape_markdown;

use super::comparison::RunComparison;
use super::comparison_file_names::{
    ACTIONS_FIGURE, ACTIONS_TABLE, EFFECTS_FIGURE, EFFECTS_TABLE, TRAJECTORIES_FIGURE,
    TRAJECTORIES_TABLE,
};
use super::comparison_report::AnswerCounts;
use super::csv::CsvTable;
use super::decimal::Decimal;
use super::judged_tests::TestResult;
use super::plot::{PlotSeries, render_svg};

impl RunComparison {
    /// Renders the summary, in Markdown.
    #[must_use]
    pub fn render_summary(&self) -> String {
        let Some(reference) = self.runs.first() else {
            return String::new();
        };
        let header = &reference.header;
        let mut out = format!(
            "# Precedent ablation: {}\n\nSeeds: {}. Episodes under each: {}, of {} steps. Every run is held against {}.\n\n",
            escape_markdown(&header.environment),
            header.seeds.len(),
            header.episodes,
            header.steps_per_episode,
            escape_markdown(&reference.label)
        );
        if let Some(hash) = &header.environment_hash {
            out.push_str(&format!(
                "The file of the environment has SHA-256 {hash}. What follows is about this environment.\n\n"
            ));
        }
        self.append_conditions(&mut out);
        self.append_figures(&mut out);
        self.append_step_differences(&mut out);
        self.append_differences(&mut out);
        self.append_controls(&mut out);
        self.append_answers(&mut out);
        out.push_str(&format!(
            "![How often each run did each action]({ACTIONS_FIGURE})\n\nHow often each action was proposed and done:\n\n"
        ));
        self.append_actions(&mut out);
        out.push_str(
            "The runs:\n\n| run | document | written | blocked | jitter |\n|---|---|---|---|---|\n",
        );
        for run in &self.runs {
            out.push_str(&format!(
                "| {} | {} | {} | {} | {} |\n",
                escape_markdown(&run.label),
                run.document_hash,
                run.totals.written,
                run.totals.writes_blocked,
                run.totals.token_jitter.unwrap_or(0)
            ));
        }
        out
    }

    /// Appends the figures of effects and of their course; nothing where no primary endpoint was declared.
    fn append_figures(&self, out: &mut String) {
        if self.declared_primary().is_some() {
            out.push_str(&format!(
                "![All effects with their 95 % intervals]({EFFECTS_FIGURE})\n\n![Choices in the course of an episode]({TRAJECTORIES_FIGURE})\n\nThe figures as tables: [{EFFECTS_TABLE}]({EFFECTS_TABLE}), [{TRAJECTORIES_TABLE}]({TRAJECTORIES_TABLE}), [{ACTIONS_TABLE}]({ACTIONS_TABLE}).\n\n"
            ));
        }
    }

    /// Appends the questions of choices, answers and actions, a table for each.
    fn append_differences(&self, out: &mut String) {
        let test = render_test;
        out.push_str("Choices: what was proposed at the steps that both answered usefully.\n\n| run | energy distance | 95 % of resamples | other choice at | p | p (Holm) | verdict |\n|---|---|---|---|---|---|---|\n");
        for (run, found) in self.differing() {
            let [low, high] = found.choices.interval;
            out.push_str(&format!(
                "| {} | {} | {low} to {high} | {} of {} steps | {} | {} |\n",
                escape_markdown(&run.label),
                found.choices.distance,
                found.disagreement.differing_steps,
                found.disagreement.common_steps,
                test(found.choices_test),
                found.choices_verdict()
            ));
        }
        out.push_str("\nAnswers: the share that was not useful, less that of the reference.\n\n| run | difference | 95 % of resamples | p | p (Holm) | verdict |\n|---|---|---|---|---|---|\n");
        for (run, found) in self.differing() {
            let [low, high] = found.answers.interval;
            out.push_str(&format!(
                "| {} | {} | {low} to {high} | {} | {} |\n",
                escape_markdown(&run.label),
                found.answers.difference,
                test(found.answers_test),
                found.answers_verdict()
            ));
        }
        out.push_str("\nActions: what was done at all steps, which follows from choices, answers and the draw from the mask.\n\n| run | energy distance | 95 % of resamples | total variation | p | p (Holm) | verdict |\n|---|---|---|---|---|---|---|\n");
        for (run, found) in self.differing() {
            let [low, high] = found.actions.interval;
            out.push_str(&format!(
                "| {} | {} | {low} to {high} | {} | {} | {} |\n",
                escape_markdown(&run.label),
                found.actions.distance,
                found.actions.total_variation,
                test(found.actions_test),
                found.actions_verdict()
            ));
        }
        out.push('\n');
    }

    /// Appends how the answers of each run were taken.
    fn append_answers(&self, out: &mut String) {
        out.push_str("How the answers were taken:\n\n| run | steps | useful | rejected (no artifact) | refused (did not compile) |\n|---|---|---|---|---|\n");
        for run in &self.runs {
            let answers = AnswerCounts::new(run);
            let list = |counts: &BTreeMap<&str, u64>| -> String {
                let total: u64 = counts.values().sum();
                let codes = counts
                    .iter()
                    .map(|(code, count)| format!("{} {count}", escape_markdown(code)));
                match total {
                    0 => "0".to_owned(),
                    _ => format!("{total}: {}", codes.collect::<Vec<_>>().join(", ")),
                }
            };
            out.push_str(&format!(
                "| {} | {} | {} | {} | {} |\n",
                escape_markdown(&run.label),
                run.totals.steps,
                answers.useful,
                list(&answers.rejections),
                list(&answers.refusals)
            ));
        }
        out.push('\n');
    }

    /// Appends how often each action was proposed and done.
    fn append_actions(&self, out: &mut String) {
        let answers: Vec<AnswerCounts<'_>> = self.runs.iter().map(AnswerCounts::new).collect();
        out.push_str("| action |");
        for run in &self.runs {
            let label = escape_markdown(&run.label);
            out.push_str(&format!(" {label}: proposed | done |"));
        }
        out.push_str("\n|---|");
        out.push_str(&"---|---|".repeat(self.runs.len()));
        for action in &self.actions {
            out.push_str(&format!("\n| {} |", escape_markdown(action)));
            for (run, answers) in self.runs.iter().zip(&answers) {
                let proposed = answers.proposed.get(action.as_str()).copied().unwrap_or(0);
                let done: u64 = run.counts(action).sum();
                let [in_proposed, in_done] =
                    [proposed, done].map(|count| to_percent(count, run.totals.steps));
                out.push_str(&format!(
                    " {proposed} ({in_proposed} %) | {done} ({in_done} %) |"
                ));
            }
        }
        out.push_str("\n\n");
    }

    /// Renders the plot, an SVG image.
    #[must_use]
    pub fn render_plot(&self) -> String {
        let series = self.runs.iter().map(|run| {
            let steps = run.totals.steps.max(1);
            let per_seed = (steps / (run.actions.len() as u64).max(1)).max(1);
            let shares = self.actions.iter().map(|action| {
                let total: u64 = run.counts(action).sum();
                let seeds = run.counts(action).map(|n| n * 1000 / per_seed);
                (total * 1000 / steps, seeds.collect())
            });
            PlotSeries {
                label: run.label.clone(),
                shares: shares.collect(),
            }
        });
        let has_titles = self.declared_primary().is_some();
        render_svg(
            &self.actions,
            &series.collect::<Vec<PlotSeries>>(),
            has_titles,
        )
    }

    /// The table of the plot, as CSV: how often each run proposed and did each action under each seed.
    #[must_use]
    pub fn list_actions_as_csv(&self) -> String {
        let mut table = CsvTable::new(["run", "seed", "action", "proposed", "done", "steps"]);
        for run in &self.runs {
            let seeds = run.header.seeds.iter().zip(&run.steps).zip(&run.actions);
            for ((seed, steps), done) in seeds {
                for action in &self.actions {
                    let proposed = steps
                        .iter()
                        .filter(|it| it.proposed.as_ref() == Some(action));
                    table.append([
                        run.label.clone(),
                        seed.to_string(),
                        action.clone(),
                        proposed.count().to_string(),
                        done.get(action).copied().unwrap_or(0).to_string(),
                        steps.len().to_string(),
                    ]);
                }
            }
        }
        table.into_text()
    }
}

/// The p-value of a test and the corrected one, as two cells of a table.
pub(crate) fn render_test(test: TestResult) -> String {
    let (p, holm) = (test.p_value.to_decimal(), test.corrected.to_decimal());
    match test.p_value.standard_error() {
        exact if exact == Decimal::default() => format!("{p} | {holm}"),
        error => format!("{p} ± {error} | {holm}"),
    }
}

/// The share of `count` in `steps` in percent, with one fractional digit.
fn to_percent(count: u64, steps: u64) -> Decimal {
    let (count, steps) = (i128::from(count), i128::from(steps));
    let tenths = (2000 * count + steps).checked_div(2 * steps);
    Decimal::from_ratio(tenths.unwrap_or(0), 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_the_nearest_tenths() {
        for (count, steps, expected) in [
            (1, 3, "33.3"),
            (2, 3, "66.7"),
            (1, 2000, "0.1"),
            (0, 5, "0"),
            (5, 5, "100"),
            (0, 0, "0"),
        ] {
            assert_eq!(to_percent(count, steps).to_string(), expected);
        }
    }
}
