//! `axilog stats`: counts over a ledger.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use crate::Failure;
use crate::ledger_counts::{AnswerSizes, CountedTransition, LedgerCounts};
use crate::lookalikes::Lookalikes;
use crate::options::expectations;
use crate::output::Report;
use crate::output::table;
use crate::output::verification::report_verification;
use crate::replay_ledger::{describe_decisions, replay_decisions_of};
use crate::tally::Tally;

/// Count what a ledger holds: records, oracles, policies, transitions, times, sizes of answers.
///
/// The ledger is replayed on the way. Where it is damaged, or its decisions are not those of its rules, the command
/// prints the verdict and no count. A ledger without decisions is only verified, and the output says so. The memory
/// that the command needs grows with the number of different oracles, models and policies only.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    #[command(flatten)]
    rules: expectations::RulesArgs,
}

/// Counts over a verified ledger.
#[derive(Serialize)]
struct StatsResult<'a> {
    #[serde(flatten)]
    verification: Value,
    /// Whether the ledger has decisions, which were replayed.
    replayed: bool,
    #[serde(flatten)]
    counts: LedgerCounts,
    transitions: Vec<CountedTransition>,
    answers: AnswerSizes,
    lookalikes: &'a [Lookalikes],
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let policies = args.rules.read_policies()?;
    let rules = args.rules.expect(policies.as_ref());
    let mut tally = Tally::default();
    let replayed = replay_decisions_of(path, rules, &mut |record| tally.count(record))?;
    let verified = report_verification(path, &replayed.verification);
    if replayed.verification.fault.is_some() {
        return Ok(verified);
    }
    let decisions = [("decisions", describe_decisions(&replayed).to_owned())];
    let text = verified.text + &table::format_pairs(&decisions) + &counts_text(&tally);
    let lookalikes = tally.lookalikes();
    let remarks = lookalikes.iter().map(Lookalikes::describe);
    let notes = remarks.map(|remark| format!("{}: {remark}", path.display()));
    let result = StatsResult {
        verification: verified.json,
        replayed: replayed.rules.is_some(),
        counts: tally.counts(),
        transitions: tally.count_transitions(),
        answers: tally.answer_sizes(),
        lookalikes: &lookalikes,
    };
    Ok(Report::new(verified.passed, text, &result).with_notes(notes))
}

fn counts_text(tally: &Tally) -> String {
    let mut rows = vec![("tags", tally.tags_text())];
    rows.extend(tally.times_text().map(|times| ("times", times)));
    rows.extend(tally.answers_text().map(|answers| ("answers", answers)));
    let violations = tally.violations_text();
    if !violations.is_empty() {
        rows.push(("violations", violations));
    }
    let mut text = table::format_pairs(&rows);
    let oracles = tally.oracle_rows();
    if !oracles.is_empty() {
        let header = ["oracle / model", "all", "complete", "cut", "failed, how"];
        text.push('\n');
        text.push_str(&table::format_grid(header, [30, 9, 10, 8, 19], &oracles));
    }
    let policies = tally.policy_rows();
    if !policies.is_empty() {
        let header = ["policy", "all", "breaches", "no value", "min", "max"];
        text.push('\n');
        text.push_str(&table::format_grid(
            header,
            [25, 9, 10, 9, 11, 11],
            &policies,
        ));
    }
    let transitions = tally.transition_rows();
    if !transitions.is_empty() {
        let header = ["from", "to", "times"];
        text.push('\n');
        text.push_str(&table::format_grid(header, [12, 12, 12], &transitions));
    }
    text
}
