//! The statistics of single steps, and which endpoint is primary, in the summary of a comparison.

use axilog_ledger::visible_text::escape_markdown;

use super::comparison::RunComparison;
use super::comparison_summary::render_test;
use super::endpoint::StudyEndpoint;
use super::judged_tests::TestVerdict;
use super::run_difference::{EndpointRow, RunDifference, TestedSteps};

impl RunComparison {
    /// Names a verdict; of one that is about the margin, with the margin.
    #[must_use]
    pub fn name_verdict(&self, row: &EndpointRow) -> String {
        match (row.test.verdict, self.margin) {
            (TestVerdict::LessThan, Some(margin)) => format!("{} {margin}", row.verdict),
            _ => row.verdict.to_owned(),
        }
    }

    /// Appends which endpoint is primary, and a table for each statistic of single steps; nothing where no primary
    /// endpoint was declared.
    pub(crate) fn append_step_differences(&self, out: &mut String) {
        if self.declared_primary().is_none() {
            return;
        }
        out.push_str(&escape_markdown(&self.explain_primary()));
        out.push_str("\n\n");
        self.append_steps(
            out,
            "Agreement: how often the choice is the action of the last record.",
            ["in the reference", "in the run"],
            (StudyEndpoint::Agreement, |found| found.agreement.as_ref()),
        );
        self.append_steps(
            out,
            "Disagreement: how often the run chooses otherwise than the reference at the same step, less how often the replicate does.",
            ["in the replicate", "in the run"],
            (StudyEndpoint::Disagreement, |found| found.beyond_replicate.as_ref()),
        );
    }

    /// Appends the table of one statistic; nothing where it was not measured.
    fn append_steps(
        &self,
        out: &mut String,
        title: &str,
        [held_against, own]: [&str; 2],
        (endpoint, measured): (StudyEndpoint, fn(&RunDifference) -> Option<&TestedSteps>),
    ) {
        let mut rows = String::new();
        for (run, found) in self.differing() {
            let row = found
                .list_endpoints()
                .into_iter()
                .find(|row| row.endpoint == endpoint);
            let (Some(row), Some(steps)) = (row, measured(found)) else {
                continue;
            };
            let ([low, high], counts) = (row.interval, steps.measured);
            rows.push_str(&format!(
                "| {} | {} of {} steps | {} | {} | {low} to {high} | {} | {} |\n",
                escape_markdown(&run.label),
                counts.reference_count,
                counts.steps,
                counts.run_count,
                row.size,
                render_test(row.test),
                self.name_verdict(&row)
            ));
        }
        if rows.is_empty() {
            return;
        }
        out.push_str(&format!(
            "{title}\n\n| run | {held_against} | {own} | difference | 95 % confidence | p | p (Holm) | verdict |\n|---|---|---|---|---|---|---|---|\n{rows}\n"
        ));
    }
}
