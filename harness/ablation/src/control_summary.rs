//! The controls in the summary of a comparison.

use axilog_ledger::visible_text::escape_markdown;

use super::comparison::Comparison;
use super::decimal::Decimal;
use super::run_difference::RunDifference;
use super::statistics::TestResult;

/// A row of a table of controls: one question.
#[derive(Clone, Copy, Debug)]
pub struct ControlRow {
    /// `choices`, `answers` or `actions`.
    pub question: &'static str,
    /// The energy distance, or the difference of the shares that were not useful.
    pub size: Decimal,
    /// The test.
    pub test: TestResult,
    /// The verdict, as documents name it.
    pub verdict: &'static str,
}

/// The rows of a control: one for each question.
#[must_use]
pub fn list_control_rows(found: &RunDifference) -> [ControlRow; 3] {
    [
        ControlRow {
            question: "choices",
            size: found.choices.distance,
            test: found.choices_test,
            verdict: found.choices_verdict(),
        },
        ControlRow {
            question: "answers",
            size: found.answers.difference,
            test: found.answers_test,
            verdict: found.answers_verdict(),
        },
        ControlRow {
            question: "actions",
            size: found.actions.distance,
            test: found.actions_test,
            verdict: found.actions_verdict(),
        },
    ]
}

impl Comparison {
    /// Appends what the controls show; nothing where there are none.
    pub(crate) fn append_controls(&self, out: &mut String) {
        if self.controls.is_empty() {
            return;
        }
        out.push_str("Controls: what the differences above may be read as.\n\n");
        for control in &self.controls {
            let sentence = self.explain_control(control);
            out.push_str(&format!("- {}\n", escape_markdown(&sentence)));
        }
        out.push_str("\n| run | held against | question | distance or difference | p | p (Holm) | verdict |\n|---|---|---|---|---|---|---|\n");
        for found in self.controls.iter().map(|control| &control.difference) {
            for row in list_control_rows(found) {
                out.push_str(&format!(
                    "| {} | {} | {} | {} | {} | {} | {} |\n",
                    escape_markdown(self.label(found.pair.run)),
                    escape_markdown(self.label(found.pair.reference)),
                    row.question,
                    row.size,
                    row.test.p_value.to_decimal(),
                    row.test.corrected.to_decimal(),
                    row.verdict
                ));
            }
        }
        for run in &self.runs {
            if let Some(gap) = run.largest_length_gap {
                out.push_str(&format!(
                    "\nThe placebos of {} differ in length from the records that they replace by at most {gap} tokens; padding fills the rest.\n",
                    escape_markdown(&run.label)
                ));
            }
        }
        out.push('\n');
    }
}
