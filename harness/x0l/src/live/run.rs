//! The session: calibration, the conditions one after the other, the end (Q17, Q22, Q40, Q44, Q57, Q58).

use std::path::Path;

use axilog_ledger::error::LedgerError;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;
use axilog_oracle::Endpoint;

use super::calibrate::{Call, calibrate};
use super::cycle::{Attempted, Carried, Place, in_a_row};
use super::plan::{ORACLE, Plan, Planned};
use crate::X0lError;
use crate::budget::Budget;
use crate::calibration;
use crate::kernel::{DecisionKind, KernelState};
use crate::log::{
    CalibrationRecord, CalibrationVerdict as Verdict, ConditionOutcome, ConditionStatus, Cycle,
    CycleLog, RunDirectory, SessionMetadata, SessionOutcome, SessionStatus, witness,
};
use crate::replay::MOST_REFUSALS;
use crate::report::{self, Made};

/// Said where an answer does not come with what it has cost.
const NO_USAGE: &str = "the oracle does not say what its answers cost (usage); count tokens on this machine with --count-tokens";

/// The most characters of a reason, which has to fit into a record. What differs between two prompts may
/// be longer.
const MOST_REASON: usize = 4096;

/// Somebody who looks on, and who may stop a session.
pub trait Watch {
    /// A call of the calibration begins, from 1.
    fn calibrating(&mut self, call: usize);
    /// A cycle is in the log.
    fn cycle(&mut self, progress: &Progress<'_>);
    /// Whether to stop before the next cycle.
    fn stops(&self) -> bool;
}

/// How far a session is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'c> {
    /// The cycle that is done.
    pub cycle: &'c Cycle,
    /// The session's budgets, and what is spent.
    pub budget: &'c Budget,
    /// How many cycles there can be still.
    pub left: u64,
}

/// A session that was held.
pub struct Held {
    /// How it ended.
    pub outcome: SessionOutcome,
    /// The run, replayed once more, and its report.
    pub report: Made,
}

/// Why a session ends before its last cycle.
struct End {
    status: SessionStatus,
    reason: Option<String>,
}

impl End {
    fn of(status: SessionStatus, reason: impl Into<String>) -> End {
        // What ends up in the ledger is plain text, whatever a server or a path had in it.
        let plain = |c: char| match c {
            c if c.is_ascii_graphic() => c,
            c if c.is_whitespace() => ' ',
            _ => '?',
        };
        let reason = reason.into();
        End {
            status,
            reason: Some(reason.chars().take(MOST_REASON).map(plain).collect()),
        }
    }
}

/// Holds a session under `plan` with `endpoint`, and leaves its run in `out`, a new or empty directory.
/// The run is sealed, however it ended, and has its report; where an error is given, it stays as it is at
/// that moment, which replays as far as it goes.
///
/// # Errors
/// [`X0lError::NotEmpty`], [`FileError::Io`], [`LedgerError::Core`], [`LedgerError::NotDurable`]: what is written could not
/// be.
pub fn run(
    plan: &Plan,
    endpoint: &mut Endpoint,
    out: &Path,
    watch: &mut dyn Watch,
) -> Result<Held, X0lError> {
    let directory = RunDirectory::create(out)?;
    for (name, bytes) in &plan.inputs {
        directory.write_input(name, bytes)?;
    }
    let mut metadata = SessionMetadata {
        frozen: plan.frozen.clone(),
        calibration: None,
        outcome: None,
    };
    directory.write_metadata(&metadata)?;
    let rules = RuleSet::without_policies()?;
    let (session, _) = Session::begin(&directory.ledger(), rules, plan.frozen.started)?;
    let log = CycleLog::create(&directory)?;
    let mut live = Live {
        carried: Carried {
            plan,
            session,
            endpoint,
            state: KernelState::default(),
            budget: Budget::new(&plan.frozen),
        },
        log,
        watch,
        number: 0,
        conditions: Vec::new(),
    };
    witness::commit_settings(&mut live.carried.session, &plan.frozen)?;
    let end = match live.calibrate(&mut metadata, &directory)? {
        Some(end) => Some(end),
        None => live.conditions()?,
    };
    let outcome = live.outcome(end);
    metadata.outcome = Some(outcome.clone());
    directory.write_metadata(&metadata)?;
    let session = &mut live.carried.session;
    witness::commit_outcome(session, &directory, &plan.frozen, &outcome)?;
    session.seal()?;
    drop(live);
    let report = report::write(&directory)?;
    Ok(Held { outcome, report })
}

/// A session that is going on.
struct Live<'s> {
    carried: Carried<'s>,
    log: CycleLog,
    watch: &'s mut dyn Watch,
    /// Cycles so far.
    number: u64,
    conditions: Vec<ConditionOutcome>,
}

impl Live<'_> {
    /// Calibrates, and says why nothing may follow, where it may not.
    fn calibrate(
        &mut self,
        metadata: &mut SessionMetadata,
        directory: &RunDirectory,
    ) -> Result<Option<End>, X0lError> {
        let Carried {
            plan,
            session,
            endpoint,
            ..
        } = &mut self.carried;
        let watch = &mut *self.watch;
        let model = &plan.settings.model;
        let found = calibrate(session, endpoint, ORACLE, model, &mut |call| {
            watch.calibrating(call);
        });
        let found = match found {
            Ok(found) => found,
            Err(error) => return not_asked(error).map(Some),
        };
        let usage = |call: &Call| {
            let answer = call.exchange.reply.as_ref().ok()?;
            plan.settings
                .ruler
                .usage(&calibration::prompt(), answer)
                .ok()?
        };
        let tokens = found.calls.iter().map(usage).map(|usage| {
            usage.map(|usage| usage.prompt_tokens.saturating_add(usage.completion_tokens))
        });
        let tokens: Vec<Option<u64>> = tokens.collect();
        metadata.calibration = Some(CalibrationRecord {
            verdict: found.verdict,
            input_hash: found.input_hash,
            canonicalized_hash: found.canonicalized_hash,
            ledger_seqs: found.calls.iter().map(|call| call.ledger_seq).collect(),
            tokens: tokens
                .iter()
                .flatten()
                .fold(0, |sum, n| sum.saturating_add(*n)),
        });
        directory.write_metadata(metadata)?;
        Ok(match found.verdict {
            Verdict::Steady if tokens.contains(&None) => {
                Some(End::of(SessionStatus::Aborted, NO_USAGE))
            }
            Verdict::Steady => None,
            Verdict::Drift => Some(End::of(
                SessionStatus::ModelDriftDetected,
                "three answers to one prompt at temperature 0 have not one canonical form",
            )),
            Verdict::TransportFailure => {
                let last = found.calls.last();
                let fault = last.and_then(|call| call.exchange.reply.as_ref().err());
                let fault = fault.map(ToString::to_string).unwrap_or_default();
                Some(End::of(SessionStatus::TransportFailureAbort, fault))
            }
        })
    }

    /// Runs every condition.
    fn conditions(&mut self) -> Result<Option<End>, X0lError> {
        let plan = self.carried.plan;
        for (index, planned) in plan.conditions.iter().enumerate() {
            let later = plan.conditions.iter().skip(index + 1);
            let left = later.map(|planned| planned.order.len() as u64).sum();
            let condition = planned.set.condition;
            let mut outcome = ConditionOutcome {
                id: condition,
                cycles: 0,
                status: ConditionStatus::NotFinished,
            };
            let end = self.condition(planned, left, &mut outcome);
            self.conditions.push(outcome);
            if let Some(end) = end? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    fn condition(
        &mut self,
        planned: &Planned,
        later: u64,
        outcome: &mut ConditionOutcome,
    ) -> Result<Option<End>, X0lError> {
        let mut refusals = 0;
        for task in planned.tasks() {
            if self.watch.stops() {
                return Ok(Some(End {
                    status: SessionStatus::Interrupted,
                    reason: None,
                }));
            }
            let attempted = self.carried.attempt(Place {
                condition: outcome.id,
                cycle: outcome.cycles + 1,
                number: self.number + 1,
                task,
            });
            let (cycle, exhausted) = match attempted {
                Ok(Attempted::Cycle(cycle)) => (cycle, false),
                Ok(Attempted::Exhausted(cycle)) => (cycle, true),
                Ok(Attempted::Transport(fault)) => {
                    return Ok(Some(End::of(SessionStatus::TransportFailureAbort, fault)));
                }
                Ok(Attempted::NoUsage) => {
                    return Ok(Some(End::of(SessionStatus::Aborted, NO_USAGE)));
                }
                Err(error) => return not_asked(error).map(Some),
            };
            self.log.append(&cycle)?;
            self.number += 1;
            outcome.cycles += 1;
            refusals = in_a_row(refusals, &cycle.decision);
            let here = planned.order.len() as u64 - outcome.cycles;
            let aborts = refusals >= MOST_REFUSALS;
            self.watch.cycle(&Progress {
                cycle: &cycle,
                budget: &self.carried.budget,
                left: later + if aborts { 0 } else { here },
            });
            if exhausted {
                return Ok(Some(self.exhausted()));
            }
            if cycle.decision.kind == DecisionKind::Exit {
                let reason = "the kernel has ended the session";
                return Ok(Some(End::of(SessionStatus::IntegrityRisk, reason)));
            }
            if aborts {
                outcome.status = ConditionStatus::AutoAbort;
                return Ok(None);
            }
        }
        outcome.status = ConditionStatus::Complete;
        Ok(None)
    }

    fn exhausted(&self) -> End {
        let Budget { b2, spent, .. } = self.carried.budget;
        End::of(
            SessionStatus::SessionBudgetExhausted,
            format!("{spent} of {b2} tokens are spent, and the next cycle could exceed the rest"),
        )
    }

    fn outcome(&self, end: Option<End>) -> SessionOutcome {
        let begun = self.conditions.iter().copied();
        let never = self
            .carried
            .plan
            .conditions
            .iter()
            .skip(self.conditions.len());
        let never = never.map(|planned| ConditionOutcome {
            id: planned.set.condition,
            cycles: 0,
            status: ConditionStatus::NotFinished,
        });
        let (status, reason) = match end {
            None => (SessionStatus::Complete, None),
            Some(End { status, reason }) => (status, reason),
        };
        SessionOutcome {
            status,
            reason,
            conditions: begun.chain(never).collect(),
            cycles: self.number,
            tokens_spent: self.carried.budget.spent,
        }
    }
}

/// The end of a session whose oracle could not be asked; any other error stays one.
fn not_asked(error: X0lError) -> Result<End, X0lError> {
    match error {
        X0lError::Oracle(_) | X0lError::Live(_) | X0lError::Ledger(LedgerError::Input { .. }) => {
            Ok(End::of(SessionStatus::Aborted, error.to_string()))
        }
        other => Err(other),
    }
}
