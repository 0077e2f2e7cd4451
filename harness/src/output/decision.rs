//! The report on a decision, as text and as JSON: the same for every command that takes one.

use std::path::Path;

use axilog::agent::state::Health;
use axilog::agent::stimulus::is_reserved;
use axilog_ledger::decision::{PolicyJudgement, RunningValueDecision, StepDecision};
use axilog_ledger::decision_reasons::list_reasons;
use axilog_ledger::encoding::hex;
use axilog_ledger::json_report::decision::decision_json;
use axilog_ledger::session::{Opening, Session};
use axilog_policyc::shortest_decimal;
use serde::Serialize;
use serde_json::Value;

use crate::output::Report;
use crate::output::recovery::LedgerRecovery;
use crate::output::table;

/// The length of a ledger from which on it is remarked that opening has replayed all of it.
const LONG_REPLAY_BYTES: u64 = 64 << 20;

/// A decision of a ledger that was opened for it.
#[derive(Serialize)]
pub(crate) struct DecisionResult {
    #[serde(flatten)]
    decision: Value,
    /// Whether the ledger was begun for it.
    begun: bool,
    #[serde(flatten)]
    recovery: LedgerRecovery,
}

impl DecisionResult {
    pub(crate) fn new(session: &Session, decision: &StepDecision, begun: bool) -> DecisionResult {
        DecisionResult {
            decision: decision_json(session.path(), decision),
            begun,
            recovery: LedgerRecovery::of_session(session),
        }
    }
}

/// The report on one decision.
pub(crate) fn report(session: &Session, decision: &StepDecision, begun: bool) -> Report {
    let text = decision_text(session.path(), decision);
    let result = DecisionResult::new(session, decision, begun);
    Report::new(decision.may_continue(), text, &result).with_notes(opening_notes(session, begun))
}

/// The remarks on what opening the ledger did.
pub(crate) fn opening_notes(session: &Session, begun: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if begun {
        notes.push(format!(
            "{}: began a new ledger with a reset and the time",
            session.path().display()
        ));
    }
    if let Opening::Replayed {
        reason,
        replayed_bytes: LONG_REPLAY_BYTES..,
    } = session.opening()
    {
        notes.push(format!(
            "{}: replayed the whole ledger instead of what follows its saved state: {reason}",
            session.path().display()
        ));
    }
    if let Some(torn) = session.torn_line() {
        notes.push(format!(
            "{}: the last line was torn, its write interrupted; moved its {} bytes aside to {}",
            session.path().display(),
            torn.bytes,
            torn.path.display()
        ));
    }
    if session.completed_records() > 0 {
        notes.push(format!(
            "{}: the last step was interrupted; added its missing records ({})",
            session.path().display(),
            session.completed_records()
        ));
    }
    if let Some(left) = session.left_behind() {
        notes.push(format!(
            "{}: moved what belongs to no record out of its blobs ({}) to {}; an interrupted write leaves such files",
            session.path().display(),
            table::count_of(left.files, "file"),
            left.directory.display()
        ));
    }
    let next_step = match session.agent().health {
        _ if session.agent().ledger.sealed => None,
        Health::Init => Some("INIT and waits for the time (`axilog time`)"),
        Health::Alarm => Some(
            "ALARM: when its cause is handled, record that (`axilog control mitigate`), then a reset (`axilog control reset`) and the time (`axilog time`)",
        ),
        Health::Degraded => Some(
            "DEGRADED and waits for a reset (`axilog control reset`), then the time (`axilog time`)",
        ),
        Health::Stopped => Some("STOPPED, for good; begin a new ledger"),
        Health::Uninit | Health::Enabled => None,
    };
    if let Some(next_step) = next_step {
        let path = session.path().display();
        notes.push(format!("{path}: the agent is in {next_step}"));
    }
    notes
}

/// The decision in one word.
pub(crate) fn result_name(decision: &StepDecision) -> &'static str {
    match (decision.is_permitted, &decision.transition) {
        (true, _) => "PERMITTED",
        (false, Some(_)) => "BREACH",
        (false, None) => "RECORDED",
    }
}

/// The states before and after, and the violation.
pub(crate) fn describe_states(decision: &StepDecision) -> String {
    let Some(transition) = &decision.transition else {
        return decision.health.as_str().to_owned();
    };
    let (prev, next) = (transition.prev_state, transition.next_state);
    let states = if prev == next {
        format!("{} (unchanged)", next.as_str())
    } else {
        format!("{} -> {}", prev.as_str(), next.as_str())
    };
    match transition.violation {
        Some(violation) => format!("{states}, {}", violation.as_str()),
        None => states,
    }
}

fn decision_text(ledger: &Path, decision: &StepDecision) -> String {
    let observation = &decision.observation;
    let who = if observation.oracle_id == observation.model_id {
        observation.oracle_id.clone()
    } else {
        format!("{} ({})", observation.oracle_id, observation.model_id)
    };
    let what = match observation.failure {
        Some(failure) => format!("{}, {}", observation.completion.as_str(), failure.as_str()),
        None => format!(
            "{}, {} bytes",
            observation.completion.as_str(),
            observation.output_size
        ),
    };
    let mut rows = vec![
        (
            result_name(decision),
            format!("observation {} of {who}", observation.ledger_seq),
        ),
        ("answer", what),
    ];
    rows.extend(
        decision
            .judgements
            .iter()
            .map(|j| ("policy", policy_text(j))),
    );
    rows.push(("state", describe_states(decision)));
    for RunningValueDecision { answer, decision } in &decision.running_values {
        let observation = &decision.observation;
        let (seq, id) = (observation.ledger_seq, &observation.oracle_id);
        rows.push((
            "running",
            format!("{} {id} {answer}, observation {seq}", result_name(decision)),
        ));
        let policies = decision.judgements.iter();
        rows.extend(policies.map(|j| ("policy", policy_text(j))));
        rows.push(("state", describe_states(decision)));
    }
    let of_oracle = !is_reserved(observation.oracle_id.as_bytes());
    if of_oracle && decision.lacks_policy {
        let why = "no: no policy judged the answer, and one is required";
        rows.push(("act", why.to_owned()));
    } else if of_oracle && decision.is_permitted && !decision.may_act {
        let state = decision.health.as_str();
        rows.push((
            "act",
            format!("no: the agent is in {state} after the answer, and must be ENABLED"),
        ));
    }
    rows.extend(list_reasons(decision).into_iter().map(|r| ("why", r)));
    rows.push((
        "ledger",
        format!("{}, {} records", ledger.display(), decision.entries),
    ));
    rows.push(("head", hex(&decision.head)));
    table::format_pairs(&rows)
}

fn policy_text(judgement: &PolicyJudgement) -> String {
    let actual = judgement
        .actual
        .map_or("no value".to_owned(), shortest_decimal);
    format!(
        "{}: {} = {actual}, breaches if {} {}: {}",
        judgement.policy_id,
        judgement.selector,
        judgement.comparison.as_str(),
        shortest_decimal(judgement.threshold),
        judgement.result.as_str()
    )
}
