//! How the runs of a comparison were made, in its summary: what a reader needs to make them again.

use std::time::{Duration, UNIX_EPOCH};

use axilog_ledger::visible_text::escape_markdown;

use super::comparable_run::ComparableRun;
use super::comparison::RunComparison;
use super::experiment_plan::ExperimentPlan;
use super::header::RunHeader;

impl RunComparison {
    /// Appends what all runs have in common, what each was asked with, and their plans; nothing where no primary endpoint
    /// was declared.
    pub(crate) fn append_conditions(&self, out: &mut String) {
        let (Some(reference), Some(primary)) = (self.runs.first(), self.declared_primary()) else {
            return;
        };
        let mut rows = vec![
            ("environment", self.describe_environment()),
            ("seeds", describe_seeds(&reference.header.seeds)),
            ("primary endpoint", primary.to_string()),
        ];
        if let Some(margin) = self.margin {
            rows.push(("margin", margin.to_string()));
        }
        rows.extend(list_lengths(reference));
        out.push_str("How the runs were made:\n\n| what | value |\n|---|---|\n");
        for (what, value) in rows {
            out.push_str(&format!("| {what} | {} |\n", escape_markdown(&value)));
        }
        out.push_str("\n| run | model | answered by | fingerprint | sampling | plan |\n|---|---|---|---|---|---|\n");
        let plans = self.list_plans();
        for run in &self.runs {
            let place = plans
                .iter()
                .position(|plan| Some(*plan) == run.plan.as_ref());
            let cells = [
                run.label.clone(),
                describe_model(&run.header),
                run.answered_by
                    .clone()
                    .unwrap_or_else(|| NOT_SAID.to_owned()),
                match run.fingerprints.is_empty() {
                    true => NOT_SAID.to_owned(),
                    false => run.fingerprints.join(", "),
                },
                run.header.sampling.to_string(),
                place.map_or_else(|| "none".to_owned(), |place| (place + 1).to_string()),
            ];
            let cells = cells.map(|cell| escape_markdown(&cell));
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        out.push('\n');
        append_plans(out, &plans);
    }

    /// The plans that the runs are arms of, each once.
    fn list_plans(&self) -> Vec<&ExperimentPlan> {
        let mut plans = Vec::new();
        for plan in self.runs.iter().filter_map(|run| run.plan.as_ref()) {
            if !plans.contains(&plan) {
                plans.push(plan);
            }
        }
        plans
    }
}

/// What stands where a server, or an oracle that is none, says nothing of itself.
const NOT_SAID: &str = "not said";

/// How the length of the prompts was held constant.
fn list_lengths(run: &ComparableRun) -> Vec<(&'static str, String)> {
    let Some(held) = &run.header.constant_length else {
        return Vec::new();
    };
    let mut rows = vec![
        (
            "tokenizer",
            format!("{}, {}", held.tokenizer, held.tokenizer_version),
        ),
        (
            "N, tokens of the precedent's segment",
            held.precedent_length.to_string(),
        ),
        (
            "M, tokens of the situation's segment",
            held.situation_length.to_string(),
        ),
    ];
    if let Some(tokens) = run.totals.prompt_tokens_max {
        rows.push(("tokens of every prompt", tokens.to_string()));
    }
    if let Some(tokens) = run.prompt_tokens {
        rows.push((
            "tokens of every prompt, as the server counts",
            tokens.to_string(),
        ));
    }
    rows.push(("padding", format!("{:?}", held.pad)));
    rows.push(("SHA-256 of the calibration", held.calibration.clone()));
    rows
}

fn describe_model(header: &RunHeader) -> String {
    match header.provider == header.model_id {
        true => header.model_id.clone(),
        false => format!("{} ({})", header.model_id, header.provider),
    }
}

/// Names seeds that follow each other by the first and the last, and others one by one.
fn describe_seeds(seeds: &[u64]) -> String {
    let follow = seeds.windows(2).all(|pair| match pair {
        [one, next] => one.checked_add(1) == Some(*next),
        _ => false,
    });
    match (seeds.first(), seeds.last(), follow && seeds.len() > 2) {
        (Some(first), Some(last), true) => format!("{first} to {last}"),
        _ => {
            let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
            seeds.join(", ")
        }
    }
}

/// The last second that a date has a form for: the end of the year 9999, in Unix seconds.
const LAST_SECOND: u64 = 253_402_300_799;

/// Writes a time in Unix seconds as date and time of day in UTC, at most that of [`LAST_SECOND`].
fn format_date(seconds: u64) -> String {
    let since = Duration::from_secs(seconds.min(LAST_SECOND));
    humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string()
}

fn append_plans(out: &mut String, plans: &[&ExperimentPlan]) {
    if plans.is_empty() {
        return;
    }
    out.push_str("| plan | made | by | arms | SHA-256 |\n|---|---|---|---|---|\n");
    for (number, plan) in (1..).zip(plans) {
        out.push_str(&format!(
            "| {number} | {} | {} | {} | {} |\n",
            format_date(plan.time),
            escape_markdown(plan.build.as_deref().unwrap_or(NOT_SAID)),
            plan.describe_arms(),
            plan.digest()
        ));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(format_date(seconds), expected);
        }
    }

    #[test]
    fn seeds_that_follow_each_other_are_named_by_their_ends() {
        for (seeds, expected) in [
            (&[1, 2, 3, 4][..], "1 to 4"),
            (&[1, 2], "1, 2"),
            (&[3, 1, 2], "3, 1, 2"),
            (&[u64::MAX], "18446744073709551615"),
        ] {
            assert_eq!(describe_seeds(seeds), expected);
        }
    }
}
