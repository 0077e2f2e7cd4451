//! The end of a run, recomputed from its cycles and from the calls without a cycle (Q22, Q40, Q57, Q58).

use super::bindings::check_call_follows;
use super::replayer::Replayer;
use super::run_ledger::RecordedCall;
use super::sentinels::check_sentinels;
use super::session_walk::SessionWalk;
use crate::document::to_value;
use crate::kernel::RejectionReason;
use crate::log::{
    CalibrationVerdict, ConditionStatus, RunDirectory, SessionMetadata, SessionOutcome,
    SessionStatus,
};

/// Compares the run's outcome with its cycles.
pub(super) fn check_outcome(
    replayer: &mut Replayer<'_>,
    metadata: &SessionMetadata,
    walk: SessionWalk<'_>,
) {
    let unclaimed: Vec<&RecordedCall> = walk.calls.collect();
    // The call of a line that could not be read is among them.
    for call in unclaimed.iter().filter(|_| !walk.lines_lost) {
        check_call_follows(replayer, call.seq, walk.last_bound);
    }
    let sentinel = replayer.ledger.sentinels.last().map(|it| &it.call);
    let mut failed = sentinel.into_iter().chain(unclaimed.first().copied());
    let failed = failed.any(|call| !call.is_answered());
    let exhausted = walk.last_rejection == Some(RejectionReason::BudgetExhaustedSession);
    let conditions = walk.order.into_outcomes();
    replayer.replay.outcomes.clone_from(&conditions);
    let has_all_sentinels = check_sentinels(replayer, metadata, &conditions);
    let complete = has_all_sentinels
        && conditions
            .iter()
            .all(|condition| condition.status != ConditionStatus::NotFinished);
    let Some(logged) = &metadata.outcome else {
        replayer.replay.notes.push(format!(
            "the run has no outcome: it was killed, or is still going on; {} cycles are there",
            replayer.replay.cycles
        ));
        if !unclaimed.is_empty() {
            replayer.replay.notes.push(format!(
                "the ledger has {} calls after the last cycle of the log",
                unclaimed.len()
            ));
        }
        return;
    };
    let calibration = metadata.calibration.as_ref();
    let possible: &[SessionStatus] = match calibration.map(|calibration| calibration.verdict) {
        _ if replayer.ledger.has_other_model() => &[SessionStatus::Invalid],
        Some(CalibrationVerdict::Drift) => &[SessionStatus::ModelDriftDetected],
        Some(CalibrationVerdict::TransportFailure) => &[SessionStatus::TransportFailureAbort],
        _ if walk.state.ended => &[SessionStatus::IntegrityRisk],
        _ if exhausted => &[SessionStatus::SessionBudgetExhausted],
        _ if failed => &[SessionStatus::TransportFailureAbort, SessionStatus::Aborted],
        _ if !unclaimed.is_empty() => &[SessionStatus::Aborted],
        _ if complete => &[SessionStatus::Complete],
        _ => &[SessionStatus::Interrupted, SessionStatus::Aborted],
    };
    // The file of the weights is no part of the run.
    let has_other_weights =
        metadata.frozen.weights.is_some() && logged.status == SessionStatus::Invalid;
    let status = match possible {
        _ if has_other_weights => SessionStatus::Invalid,
        [first, ..] if !possible.contains(&logged.status) => *first,
        _ => logged.status,
    };
    let recomputed = SessionOutcome {
        status,
        reason: logged.reason.clone(),
        conditions,
        cycles: replayer.replay.cycles,
        tokens_spent: walk.spent,
    };
    if let Some(surplus) = unclaimed.get(1) {
        let field = format!("record {}", surplus.seq);
        let found = format!("{} calls without a cycle", unclaimed.len());
        replayer.add_finding(RunDirectory::LEDGER, field, found, "one at most");
    }
    let logged = to_value(logged);
    replayer.compare(
        RunDirectory::METADATA,
        "outcome",
        &logged,
        &to_value(&recomputed),
    );
    if let Some(closing) = &replayer.ledger.closing {
        let in_ledger = to_value(&closing.outcome);
        replayer.compare(
            RunDirectory::LEDGER,
            "the end: outcome",
            &in_ledger,
            &logged,
        );
    }
}
