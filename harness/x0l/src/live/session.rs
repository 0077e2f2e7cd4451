//! The session: calibration, the conditions one after the other, the end (Q17, Q22, Q40, Q44, Q57, Q58).

use std::path::Path;

use axilog_ledger::error::LedgerError;
use axilog_oracle::{Oracle, consult_oracle};

use super::begun_session::BegunSession;
use super::calibrate::{CalibrationCall, calibrate};
use super::cycle::{CycleResult, CycleRunner};
use super::plan::SessionPlan;
use super::weights::describe_other_weights;
use crate::budget::Budget;
use crate::calibration;
use crate::error::X0lError;
use crate::kernel::{DecisionKind, KernelState};
use crate::log::provider::ProviderWatch;
use crate::log::witness::MODEL_ORACLE;
use crate::log::{
    CalibrationRecord, CalibrationVerdict as Verdict, ConditionStatus, Cycle, CycleLog,
    CycleStatement, RunDirectory, SessionMetadata, SessionOutcome, SessionStatus, witness,
};
use crate::replay::{CycleId, CycleOrder};
use crate::report::{RunReport, write_report};
use crate::sentinel;

/// The most characters of a reason, which must fit into a record. A reason that shows the difference between
/// two prompts may be longer.
const MOST_REASON: usize = 4096;

/// A listener that follows a session, and that may stop it.
pub trait ProgressListener {
    /// Called before each call of the calibration with its number, from 1.
    fn on_calibration_call(&mut self, call: usize);
    /// Called after each cycle, once it is in the log.
    fn on_cycle(&mut self, progress: &SessionProgress<'_>);
    /// Whether the session should stop before the next cycle.
    fn should_stop(&self) -> bool;
}

/// The progress of a session after a cycle.
#[derive(Clone, Copy, Debug)]
pub struct SessionProgress<'c> {
    /// The cycle that was run last.
    pub cycle: &'c Cycle,
    /// The session's budgets, and the tokens spent.
    pub budget: &'c Budget,
    /// The most cycles that may still follow.
    pub left: u64,
}

/// A session that has ended.
pub struct FinishedSession {
    /// The outcome.
    pub outcome: SessionOutcome,
    /// The run, replayed once more, and its report.
    pub report: RunReport,
}

/// The end of a session before its last cycle.
struct EarlyEnd {
    status: SessionStatus,
    reason: Option<String>,
}

impl EarlyEnd {
    fn new(status: SessionStatus, reason: impl Into<String>) -> EarlyEnd {
        // The ledger takes plain text alone, whatever characters a server or a path had in the reason.
        let plain = |c: char| match c {
            c if c.is_ascii_graphic() => c,
            c if c.is_whitespace() => ' ',
            _ => '?',
        };
        let reason = reason.into();
        EarlyEnd {
            status,
            reason: Some(reason.chars().take(MOST_REASON).map(plain).collect()),
        }
    }
}

/// Runs a session under `plan` with `endpoint`, and leaves its run in `out`, a new or empty directory.
///
/// However the session ends, the run is sealed and has its report. Only after an error the run stays as it
/// is at that moment, and replays as far as it goes.
///
/// # Errors
/// [`X0lError::NotEmpty`], [`axilog_ledger::error::FileError::Io`], [`LedgerError::Core`],
/// [`LedgerError::NotDurable`]: the run cannot be written. [`axilog_ledger::error::FileError::Displaced`]: the
/// ledger or the cycle log was renamed, removed, replaced or cut off while the session ran.
pub fn run_session(
    plan: &SessionPlan,
    endpoint: &mut Oracle,
    out: &Path,
    listener: &mut dyn ProgressListener,
) -> Result<FinishedSession, X0lError> {
    BegunSession::begin(plan, out)?.run(endpoint, listener)
}

impl BegunSession<'_> {
    /// Runs the session with `endpoint` to its end.
    ///
    /// # Errors
    /// As [`run_session`].
    pub fn run(
        self,
        endpoint: &mut Oracle,
        listener: &mut dyn ProgressListener,
    ) -> Result<FinishedSession, X0lError> {
        let BegunSession {
            plan,
            directory,
            mut metadata,
            server_count,
            counted,
            session,
            log,
        } = self;
        let frozen = metadata.frozen.clone();
        let mut runner = SessionRunner {
            cycles: CycleRunner {
                plan,
                session,
                endpoint,
                state: KernelState::default(),
                budget: Budget::new(&plan.frozen),
                watch: ProviderWatch::default(),
                server_count,
            },
            log,
            listener,
            number: 0,
            order: CycleOrder::new(&plan.frozen),
        };
        let end = match runner.calibrate(&mut metadata, &directory)? {
            Some(end) => Some(end),
            None => runner.run_conditions()?,
        };
        let end = find_other_weights(plan).or(end);
        let (status, reason) = end.map_or((SessionStatus::Complete, None), |end| {
            (end.status, end.reason)
        });
        let outcome = SessionOutcome {
            status,
            reason,
            conditions: runner.order.into_outcomes(),
            cycles: runner.number,
            tokens_spent: runner.cycles.budget.spent,
        };
        metadata.outcome = Some(outcome.clone());
        directory.write_metadata(&metadata)?;
        let mut session = runner.cycles.session;
        let cycle_log = runner.log.digest();
        witness::commit_outcome(&mut session, &directory, cycle_log, &frozen, &outcome)?;
        session.seal()?;
        // The session and the log hold their files; the report reads them.
        drop((session, runner.log));
        let report = write_report(&directory)?;
        for (log, attempt) in counted {
            let end = (outcome.status, report.replay.head);
            log.end(attempt, end, frozen.started)?;
        }
        Ok(FinishedSession { outcome, report })
    }
}

/// A session in progress.
struct SessionRunner<'s> {
    cycles: CycleRunner<'s>,
    log: CycleLog,
    listener: &'s mut dyn ProgressListener,
    /// The number of cycles so far.
    number: u64,
    order: CycleOrder,
}

impl SessionRunner<'_> {
    /// Calibrates, and gives the session's end where the conditions may not run.
    fn calibrate(
        &mut self,
        metadata: &mut SessionMetadata,
        directory: &RunDirectory,
    ) -> Result<Option<EarlyEnd>, X0lError> {
        let CycleRunner {
            plan,
            session,
            endpoint,
            watch,
            ..
        } = &mut self.cycles;
        let listener = &mut *self.listener;
        let model = &plan.settings.model;
        let calibrated = calibrate(session, endpoint, MODEL_ORACLE, model, watch, &mut |call| {
            listener.on_calibration_call(call);
        });
        let run = match calibrated {
            Ok(run) => run,
            Err(error) => return end_or_error(error).map(Some),
        };
        let count_tokens = |call: &CalibrationCall| {
            let answer = call.exchange.reply.as_ref().map_err(ToString::to_string)?;
            let counter = &plan.settings.token_counter;
            let counted = counter.count_usage(&calibration::prompt(), answer);
            let usage = counted.map_err(|error| error.to_string())??;
            Ok(usage.prompt_tokens.saturating_add(usage.completion_tokens))
        };
        let tokens: Vec<Result<u64, String>> = run.calls.iter().map(count_tokens).collect();
        let facts = watch.frozen().cloned().unwrap_or_default();
        metadata.calibration = Some(CalibrationRecord {
            verdict: run.verdict,
            input_hash: run.input_hash,
            canonicalized_hash: run.canonicalized_hash,
            answered_by: facts.answered_by,
            system_fingerprint: facts.system_fingerprint,
            ledger_seqs: run.calls.iter().map(|call| call.ledger_seq).collect(),
            tokens: tokens
                .iter()
                .flatten()
                .copied()
                .fold(0, u64::saturating_add),
        });
        directory.write_metadata(metadata)?;
        if let Some(reason) = watch.describe_other_model() {
            return Ok(Some(EarlyEnd::new(SessionStatus::Invalid, reason)));
        }
        let bad_usage = tokens.into_iter().find_map(Result::err);
        Ok(match run.verdict {
            Verdict::Steady => {
                bad_usage.map(|reason| EarlyEnd::new(SessionStatus::Aborted, reason))
            }
            Verdict::Drift => Some(EarlyEnd::new(
                SessionStatus::ModelDriftDetected,
                "three answers to one prompt at temperature 0 have not one canonical form",
            )),
            Verdict::TransportFailure => {
                let last = run.calls.last();
                let fault = last.and_then(|call| call.exchange.reply.as_ref().err());
                let fault = fault.map(ToString::to_string).unwrap_or_default();
                Some(EarlyEnd::new(SessionStatus::TransportFailureAbort, fault))
            }
        })
    }

    /// Runs every condition, and gives the session's end where that comes before the last cycle.
    fn run_conditions(&mut self) -> Result<Option<EarlyEnd>, X0lError> {
        let plan = self.cycles.plan;
        for (index, planned) in plan.conditions.iter().enumerate() {
            if let Some(end) = self.ask_sentinels()? {
                return Ok(Some(end));
            }
            let later = plan.conditions.iter().skip(index + 1);
            let later: u64 = later.map(|planned| planned.order.len() as u64).sum();
            for (cycle, task) in (1..).zip(planned.tasks()) {
                if self.listener.should_stop() {
                    return Ok(Some(EarlyEnd {
                        status: SessionStatus::Interrupted,
                        reason: None,
                    }));
                }
                let id = CycleId {
                    number: self.number + 1,
                    condition: planned.set.condition,
                    cycle,
                };
                let (cycle, exhausted) = match self.cycles.run_cycle(id, task) {
                    Ok(CycleResult::Cycle(cycle)) => (cycle, false),
                    Ok(CycleResult::Exhausted(cycle)) => (cycle, true),
                    Ok(CycleResult::TransportFailure(fault)) => {
                        let end = EarlyEnd::new(SessionStatus::TransportFailureAbort, fault);
                        return Ok(Some(end));
                    }
                    Ok(CycleResult::BadUsage(reason)) => {
                        return Ok(Some(EarlyEnd::new(SessionStatus::Aborted, reason)));
                    }
                    Ok(CycleResult::OtherModel(reason)) => {
                        return Ok(Some(EarlyEnd::new(SessionStatus::Invalid, reason)));
                    }
                    Err(error) => return end_or_error(error).map(Some),
                };
                let sha256 = self.log.append(&cycle)?;
                let line = CycleStatement {
                    cycle: id.number,
                    sha256,
                };
                witness::commit_cycle(&mut self.cycles.session, line)?;
                self.number += 1;
                self.order.count_cycle(&cycle);
                let aborted = self.order.status() == ConditionStatus::AutoAbort;
                let here = planned.order.len() as u64 - id.cycle;
                self.listener.on_cycle(&SessionProgress {
                    cycle: &cycle,
                    budget: &self.cycles.budget,
                    left: later + if aborted { 0 } else { here },
                });
                if exhausted {
                    return Ok(Some(self.end_exhausted()));
                }
                if cycle.decision.kind == DecisionKind::Exit {
                    let reason = "the kernel has ended the session";
                    return Ok(Some(EarlyEnd::new(SessionStatus::IntegrityRisk, reason)));
                }
                if aborted {
                    break;
                }
            }
        }
        self.ask_sentinels()
    }

    /// Asks every sentinel of the plan as often as a round has it, and gives the session's end where one has no answer, or one of another
    /// model.
    fn ask_sentinels(&mut self) -> Result<Option<EarlyEnd>, X0lError> {
        let CycleRunner {
            plan,
            session,
            endpoint,
            watch,
            ..
        } = &mut self.cycles;
        if plan.frozen.sentinels.is_none() {
            return Ok(None);
        }
        let prompts = sentinel::prompts();
        for prompt in prompts.iter().flat_map(|it| [it; sentinel::TIMES]) {
            let question = sentinel::build_question(&plan.settings.model, prompt);
            let asked = consult_oracle(session, endpoint, sentinel::ORACLE, &question);
            let consultation = match asked {
                Ok(consultation) => consultation,
                Err(error) => return end_or_error(error.into()).map(Some),
            };
            let answer = match &consultation.exchange.reply {
                Ok(answer) => answer,
                Err(fault) => {
                    let end =
                        EarlyEnd::new(SessionStatus::TransportFailureAbort, fault.to_string());
                    return Ok(Some(end));
                }
            };
            let seq = consultation.decision.observation.ledger_seq;
            watch.take_answer(session, seq, answer)?;
            if let Some(reason) = watch.describe_other_model() {
                return Ok(Some(EarlyEnd::new(SessionStatus::Invalid, reason)));
            }
        }
        Ok(None)
    }

    fn end_exhausted(&self) -> EarlyEnd {
        let Budget { b2, spent, .. } = self.cycles.budget;
        EarlyEnd::new(
            SessionStatus::SessionBudgetExhausted,
            format!("{spent} of {b2} tokens are spent, and the next cycle could exceed the rest"),
        )
    }
}

/// The end of a session whose weights are other ones than before it. Whatever else ended the session, it has not one
/// model.
fn find_other_weights(plan: &SessionPlan) -> Option<EarlyEnd> {
    let path = plan.settings.weights.as_deref()?;
    let reason = describe_other_weights(path, plan.frozen.weights.as_ref()?)?;
    Some(EarlyEnd::new(SessionStatus::Invalid, reason))
}

/// The end of a session whose oracle could not be asked; every other error is passed on.
fn end_or_error(error: X0lError) -> Result<EarlyEnd, X0lError> {
    match error {
        X0lError::Oracle(_)
        | X0lError::Live(_)
        | X0lError::Ledger(LedgerError::InvalidInput { .. }) => {
            Ok(EarlyEnd::new(SessionStatus::Aborted, error.to_string()))
        }
        other => Err(other),
    }
}
