//! The controls in the summary of a comparison.

use axilog_ledger::visible_text::escape_markdown;

use super::comparison::RunComparison;
use super::controls::{Control, ControlDifference};
use super::judged_tests::TestVerdict;

impl RunComparison {
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
            for row in found.list_endpoints() {
                out.push_str(&format!(
                    "| {} | {} | {} | {} | {} | {} | {} |\n",
                    escape_markdown(self.label(found.pair.run)),
                    escape_markdown(self.label(found.pair.reference)),
                    row.endpoint,
                    row.size,
                    row.test.p_value.to_decimal(),
                    row.test.corrected.to_decimal(),
                    self.name_verdict(&row)
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

impl RunComparison {
    /// Says what a control shows, in a few sentences.
    #[must_use]
    pub fn explain_control(&self, found: &ControlDifference) -> String {
        let difference = &found.difference;
        let pair = difference.pair;
        let (run, reference) = (self.label(pair.run), self.label(pair.reference));
        let against_baseline = pair.reference == 0;
        let rows = difference.list_endpoints();
        let open = rows
            .iter()
            .filter(|row| row.test.verdict == TestVerdict::CannotBeTold);
        let open: Vec<&str> = open.map(|row| row.endpoint.as_str()).collect();
        let unknown = match open.is_empty() {
            true => String::new(),
            false => format!(
                " Whether {run} is told apart from {reference} in {} cannot be told: it depends on what the answers that were not useful would have been.",
                open.join(", ")
            ),
        };
        let questions = difference.told_apart().join(", ");
        if !questions.is_empty() {
            let meaning = match (found.control, against_baseline) {
                (Control::Replicate, _) => format!(
                    "Something but the memory changed between the two: the model, its server, or noise that a whole run shares. No verdict on {questions} may be read as the work of precedents."
                ),
                (Control::Placebo, true) => "What a record says matters.".to_owned(),
                (Control::Placebo, false) => {
                    "It matters that a record stands in the prompt, whatever it says.".to_owned()
                }
            };
            return format!(
                "{run} is told apart from {reference} in {questions}. {meaning}{unknown}"
            );
        }
        if !open.is_empty() {
            return unknown.trim_start().to_owned();
        }
        let has_verdict = rows
            .iter()
            .all(|row| row.test.verdict != TestVerdict::TooFewSeeds);
        if !has_verdict {
            return format!(
                "{run} has too few seeds to be told apart from {reference} in every question. It shows nothing."
            );
        }
        let meaning = match (found.control, against_baseline) {
            (Control::Replicate, _) => format!(
                "The oracle's own noise is {} other choices at {} common steps.",
                difference.disagreement.differing_steps, difference.disagreement.common_steps
            ),
            (Control::Placebo, true) => {
                "Nothing shows that it matters what a record says; a difference of run B is then one of its presence."
                    .to_owned()
            }
            (Control::Placebo, false) => {
                "Nothing shows that it matters that a record stands in the prompt, whatever it says."
                    .to_owned()
            }
        };
        format!("{run} is not told apart from {reference}. {meaning}")
    }
}
