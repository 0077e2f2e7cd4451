//! How a run ended, from its cycles and from the calls that no cycle has (Q22, Q40, Q57, Q58).

use super::ledger::Observed;
use super::{Finding, Log, Pass, differences, kept};
use crate::document::to_value;
use crate::kernel::RejectionReason;
use crate::log::{
    CalibrationVerdict, ConditionStatus, RunDirectory, SessionMetadata, SessionOutcome,
    SessionStatus,
};

impl Pass<'_> {
    /// Compares how the run ended with its cycles.
    pub(super) fn end(&mut self, metadata: &SessionMetadata, log: Log<'_>) {
        let left: Vec<&Observed> = log.calls.collect();
        self.unmatched += left.iter().filter(|call| kept(call)).count();
        let failed = left.first().is_some_and(|call| call.failure.is_some());
        let exhausted = log.last == Some(RejectionReason::BudgetExhaustedSession);
        let exited = log.state.ended;
        let conditions = log.order.end();
        self.replay.outcomes.clone_from(&conditions);
        let finished = |status| status != ConditionStatus::NotFinished;
        let complete = conditions
            .iter()
            .all(|condition| finished(condition.status));
        let Some(logged) = &metadata.outcome else {
            self.replay.notes.push(format!(
                "the run has no outcome: it was killed, or is still going on; {} cycles are there",
                self.replay.cycles
            ));
            if !left.is_empty() {
                self.replay.notes.push(format!(
                    "the ledger has {} calls behind the last cycle of the log",
                    left.len()
                ));
            }
            return;
        };
        let verdict = metadata
            .calibration
            .as_ref()
            .map(|calibration| calibration.verdict);
        let possible: &[SessionStatus] = match verdict {
            Some(CalibrationVerdict::Drift) => &[SessionStatus::ModelDriftDetected],
            Some(CalibrationVerdict::TransportFailure) => &[SessionStatus::TransportFailureAbort],
            _ if exited => &[SessionStatus::IntegrityRisk],
            _ if exhausted => &[SessionStatus::SessionBudgetExhausted],
            _ if failed => &[SessionStatus::TransportFailureAbort, SessionStatus::Aborted],
            _ if !left.is_empty() => &[SessionStatus::Aborted],
            _ if complete => &[SessionStatus::Complete],
            _ => &[SessionStatus::Interrupted, SessionStatus::Aborted],
        };
        let status = match possible {
            _ if possible.contains(&logged.status) => logged.status,
            [first, ..] => *first,
            [] => logged.status,
        };
        let again = SessionOutcome {
            status,
            reason: logged.reason.clone(),
            conditions,
            cycles: self.replay.cycles,
            tokens_spent: log.spent,
        };
        if let Some(surplus) = left.get(1) {
            let field = format!("record {}", surplus.seq);
            let found = format!("{} calls without a cycle", left.len());
            self.found(Finding::new(
                RunDirectory::LEDGER,
                field,
                found,
                "one at most",
            ));
        }
        self.outcome(RunDirectory::METADATA, "outcome", logged, &again);
        if let Some(closing) = &self.ledger.closing {
            self.outcome(
                RunDirectory::LEDGER,
                "the end: outcome",
                &closing.outcome,
                logged,
            );
        }
    }

    fn outcome(
        &mut self,
        file: &str,
        field: &str,
        found: &SessionOutcome,
        expected: &SessionOutcome,
    ) {
        let (found, expected) = (to_value(found), to_value(expected));
        differences(&found, &expected, field, &mut |field, found, expected| {
            self.replay
                .findings
                .push(Finding::new(file, field, found, expected));
        });
    }
}
