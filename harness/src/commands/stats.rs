//! `axilog stats`: counts over a ledger.

use std::path::PathBuf;

use serde_json::json;

use crate::Failure;
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
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let policies = args.rules.read_policies()?;
    let rules = args.rules.expect(policies.as_ref());
    let mut tally = Tally::default();
    let replayed = replay_decisions_of(path, rules, &mut |record| tally.count(record))?;
    let mut report = report_verification(path, &replayed.verification);
    if replayed.verification.fault.is_some() {
        return Ok(report);
    }
    let decisions = [("decisions", describe_decisions(&replayed).to_owned())];
    report.text.push_str(&table::format_pairs(&decisions));
    report.text.push_str(&counts_text(&tally));
    let lookalikes = tally.lookalikes();
    let remarks = lookalikes.iter().map(Lookalikes::describe);
    report
        .notes
        .extend(remarks.map(|remark| format!("{}: {remark}", path.display())));
    let fields = json!({
        "replayed": replayed.rules.is_some(),
        "tags": tally.tags_json(),
        "oracles": tally.oracles_json(),
        "policies": tally.policies_json(),
        "transitions": tally.transitions_json(),
        "violations": tally.violations_json(),
        "times": tally.times_json(),
        "answers": tally.answers_json(),
        "lookalikes": lookalikes.iter().map(Lookalikes::json).collect::<Vec<_>>(),
    });
    if let (Some(object), serde_json::Value::Object(fields)) = (report.json.as_object_mut(), fields)
    {
        object.extend(fields);
    }
    Ok(report)
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
