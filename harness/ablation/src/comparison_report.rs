//! What a comparison is written as: a JSON document, a summary in Markdown, and a plot.

use axilog_ledger::visible_text::escape_markdown;
use serde::Serialize;
use serde_json::Value;

use super::comparison::Comparison;
use super::decimal::Decimal;
use super::json_document::to_canonical_json;
use super::plot::{PlotSeries, render_svg};
use super::run_document::ActionCounts;
use super::statistics::{MIN_SEEDS, RESAMPLES};

/// The members of comparison.json.
#[derive(Serialize)]
struct ComparisonDocument<'a> {
    axilog_ablation_comparison: u32,
    differences: Vec<DifferenceReport<'a>>,
    /// The label of the first run.
    reference: Option<&'a str>,
    runs: Vec<RunReport<'a>>,
    statistics: StatisticsReport<'a>,
}

#[derive(Serialize)]
struct DifferenceReport<'a> {
    distance: Decimal,
    interval: [Decimal; 2],
    /// The label of the run that differs.
    run: &'a str,
    total_variation: Decimal,
    verdict: &'static str,
}

#[derive(Serialize)]
struct RunReport<'a> {
    actions: ActionCounts,
    document_hash: &'a str,
    label: &'a str,
    model_id: &'a str,
    provider: &'a str,
    steps: u64,
    token_jitter: Option<u64>,
    variant: &'static str,
    writes_blocked: u64,
    written: u64,
}

#[derive(Serialize)]
struct StatisticsReport<'a> {
    confidence: &'static str,
    min_seeds: usize,
    resamples: u32,
    seeds: Option<&'a [u64]>,
}

impl Comparison {
    /// The comparison document.
    #[must_use]
    pub fn document(&self) -> Value {
        let differences = self.differing().map(|(run, difference)| DifferenceReport {
            distance: difference.estimate,
            interval: [difference.low, difference.high],
            run: &run.label,
            total_variation: difference.total_variation,
            verdict: difference.verdict.as_str(),
        });
        let runs = self.runs.iter().map(|run| RunReport {
            actions: self
                .actions
                .iter()
                .map(|action| (action.clone(), run.counts(action).sum()))
                .collect(),
            document_hash: &run.document_hash,
            label: &run.label,
            model_id: &run.header.model_id,
            provider: &run.header.provider,
            steps: run.totals.steps,
            token_jitter: run.totals.token_jitter,
            variant: run.header.variant.as_str(),
            writes_blocked: run.totals.writes_blocked,
            written: run.totals.written,
        });
        let reference = self.runs.first();
        let document = ComparisonDocument {
            axilog_ablation_comparison: 1,
            differences: differences.collect(),
            reference: reference.map(|run| run.label.as_str()),
            runs: runs.collect(),
            statistics: StatisticsReport {
                confidence: "0.95",
                min_seeds: MIN_SEEDS,
                resamples: RESAMPLES,
                seeds: reference.map(|run| run.header.seeds.as_slice()),
            },
        };
        serde_json::to_value(document).unwrap_or_default()
    }

    /// The text of the document's file: a line of canonical JSON.
    #[must_use]
    pub fn to_file_text(&self) -> String {
        to_canonical_json(&self.document()) + "\n"
    }

    /// Renders the summary, in Markdown; `plot` is the path of the image in it.
    #[must_use]
    pub fn render_summary(&self, plot: &str) -> String {
        let Some(reference) = self.runs.first() else {
            return String::new();
        };
        let header = &reference.header;
        let mut out = format!(
            "# Precedent ablation: {}\n\n{} seeds, {} episodes of {} steps under each.\n\n",
            escape_markdown(&header.environment),
            header.seeds.len(),
            header.episodes,
            header.steps_per_episode
        );
        out.push_str(&format!(
            "| held against {} | distance | 95 % interval | total variation | verdict |\n|---|---|---|---|---|\n",
            escape_markdown(&reference.label)
        ));
        for (run, difference) in self.differing() {
            out.push_str(&format!(
                "| {} | {} | {} to {} | {} | {} |\n",
                escape_markdown(&run.label),
                difference.estimate,
                difference.low,
                difference.high,
                difference.total_variation,
                difference.verdict.as_str()
            ));
        }
        out.push_str(&format!(
            "\n![How often each run did each action]({plot})\n\n| action |"
        ));
        for run in &self.runs {
            out.push_str(&format!(" {} |", escape_markdown(&run.label)));
        }
        out.push_str("\n|---|");
        out.push_str(&"---|".repeat(self.runs.len()));
        for action in &self.actions {
            out.push_str(&format!("\n| {} |", escape_markdown(action)));
            for run in &self.runs {
                let count: u64 = run.counts(action).sum();
                let share = to_percent(count, run.totals.steps);
                out.push_str(&format!(" {count} ({share} %) |"));
            }
        }
        out.push_str("\n\n| run | document | written | blocked | jitter |\n|---|---|---|---|---|");
        for run in &self.runs {
            out.push_str(&format!(
                "\n| {} | {} | {} | {} | {} |",
                escape_markdown(&run.label),
                run.document_hash,
                run.totals.written,
                run.totals.writes_blocked,
                run.totals.token_jitter.unwrap_or(0)
            ));
        }
        out + "\n"
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
        render_svg(&self.actions, &series.collect::<Vec<PlotSeries>>())
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
