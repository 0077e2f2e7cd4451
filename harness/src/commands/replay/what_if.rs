//! `axilog replay --what-if`: every decision that other policies would have changed.

use std::io;
use std::path::Path;

use axilog_ledger::encoding::hex;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::ledger_input::open_ledger_input;
use axilog_ledger::rules::ExpectedRules;
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};
use axilog_ledger::visible_text::escape_identity;
use axilog_ledger::what_if::{DecisionDifference, DecisionSummary, WhatIfComparison};
use axilog_policyc::PolicySet;
use serde::Serialize;

use crate::Failure;
use crate::output::stream::{OutputStream, stdout_name};
use crate::output::table;
use crate::output::{Report, print_json, to_json};
use crate::replay_ledger::{replay_file, replay_report};

/// Widths of the columns.
const WIDTHS: [u16; 4] = [9, 15, 26, 26];

/// What the other policies change in all.
#[derive(Serialize)]
struct WhatIfResult {
    configuration: String,
    /// The number of decisions that were compared.
    compared: u64,
    differing: u64,
    no_longer_permitted: u64,
    newly_permitted: u64,
    /// The state in which the agent would end.
    health: &'static str,
}

/// A decision that the other policies change.
#[derive(Serialize)]
struct DifferenceResult<'a> {
    ledger_seq: u64,
    oracle_id: &'a str,
    recorded: SummaryResult<'a>,
    what_if: SummaryResult<'a>,
}

/// A decision; without a transition the agent was STOPPED.
#[derive(Serialize)]
struct SummaryResult<'a> {
    permitted: bool,
    breached: &'a [String],
    violation: Option<&'static str>,
    prev_state: Option<&'static str>,
    next_state: Option<&'static str>,
}

/// How many decisions differ, by direction.
#[derive(Default)]
struct Changes {
    differing: u64,
    newly_refused: u64,
    newly_permitted: u64,
}

impl Changes {
    fn count(&mut self, difference: &DecisionDifference) {
        self.differing = self.differing.saturating_add(1);
        let permitted =
            [&difference.recorded, &difference.hypothetical].map(DecisionSummary::is_permitted);
        let counter = match permitted {
            [true, false] => &mut self.newly_refused,
            [false, true] => &mut self.newly_permitted,
            _ => return,
        };
        *counter = counter.saturating_add(1);
    }
}

/// Replays the ledger at `path` under its own rules, then beside it under `policies` with the
/// ledger's own switches. Fine where no decision differs.
pub(crate) fn run(
    path: &Path,
    policies: &PolicySet,
    own_rules: ExpectedRules<'_>,
    expected: &LedgerExpectations,
    json: bool,
) -> Result<Report, Failure> {
    let replayed = replay_file(path, own_rules, expected)?;
    let mut report = replay_report(path, &replayed);
    let (Some((own, _)), true) = (&replayed.rules, report.passed) else {
        return Ok(report);
    };
    let interrupted = (replayed.verification.replay.resume()).is_ok_and(|(_, step)| step.is_some());
    let other = own.with_policies(policies.clone());
    let mut what_if = WhatIfComparison::new(&other);
    let mut changes = Changes::default();
    let mut out = OutputStream::new(io::stdout().lock());
    let mut write = |difference: &DecisionDifference| {
        if changes.differing == 0 && !json {
            let header = ["record", "oracle", "decided", "would be"];
            out.put(table::format_grid(header, WIDTHS, &[]).as_bytes());
        }
        changes.count(difference);
        out.put(describe_difference(difference, json).as_bytes());
    };
    let file = open_ledger_input(path)?;
    let checked = verify_ledger(file, None, expected, &mut |record| {
        if let Some(difference) = what_if.take_record(record) {
            write(&difference);
        }
    })
    .map_err(FileError::from_io(path, "read the ledger"))?;
    if let Some(fault) = checked.fault {
        // The replay has just accepted it: somebody has changed the file since.
        let path = path.to_owned();
        return Err(LedgerError::Damaged { path, fault }.into());
    }
    if !interrupted && let Some(difference) = what_if.finish() {
        write(&difference);
    }
    if changes.differing > 0 && !json {
        out.put(b"\n");
    }
    out.finish(stdout_name())?;

    report.passed = changes.differing == 0;
    let configuration = hex(&other.hash());
    let health = what_if.health().as_str();
    report.text.push_str(&table::format_pairs(&[
        ("what if", configuration.clone()),
        (
            "differ",
            format!(
                "{} of {} decisions: {} no longer permitted, {} newly permitted",
                changes.differing,
                what_if.compared_observations,
                changes.newly_refused,
                changes.newly_permitted
            ),
        ),
        ("would end in", health.to_owned()),
    ]));
    if let Some(object) = report.json.as_object_mut() {
        let result = WhatIfResult {
            configuration,
            compared: what_if.compared_observations,
            differing: changes.differing,
            no_longer_permitted: changes.newly_refused,
            newly_permitted: changes.newly_permitted,
            health,
        };
        object.insert("what_if".to_owned(), to_json(&result));
        object.insert("ok".to_owned(), report.passed.into());
    }
    Ok(report)
}

fn describe_difference(difference: &DecisionDifference, json: bool) -> String {
    let sides = [&difference.recorded, &difference.hypothetical];
    if json {
        let [recorded, what_if] = sides.map(SummaryResult::new);
        return print_json(&DifferenceResult {
            ledger_seq: difference.ledger_seq,
            oracle_id: &difference.oracle_id,
            recorded,
            what_if,
        });
    }
    let [recorded, instead] = sides.map(describe_decision);
    let row = [
        difference.ledger_seq.to_string(),
        escape_identity(&difference.oracle_id).into_owned(),
        recorded,
        instead,
    ];
    table::format_row(WIDTHS, row)
}

impl SummaryResult<'_> {
    fn new(decided: &DecisionSummary) -> SummaryResult<'_> {
        let transition = decided.transition.as_ref();
        SummaryResult {
            permitted: decided.is_permitted(),
            breached: &decided.breached_policies,
            violation: transition.and_then(|t| t.violation).map(|v| v.as_str()),
            prev_state: transition.map(|t| t.prev_state.as_str()),
            next_state: transition.map(|t| t.next_state.as_str()),
        }
    }
}

fn describe_decision(decided: &DecisionSummary) -> String {
    let Some(transition) = &decided.transition else {
        return "nothing: STOPPED".to_owned();
    };
    let why = match (transition.violation, decided.breached_policies.as_slice()) {
        (None, _) => "permitted".to_owned(),
        (Some(violation), []) => violation.as_str().to_owned(),
        (Some(_), breached) => format!("breach of {}", breached.join(", ")),
    };
    format!("{why}; {}", transition.next_state.as_str())
}
