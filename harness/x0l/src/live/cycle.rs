//! One cycle: a task is asked, the answer recorded, canonicalized and parsed, and the kernel decides.

use axilog::hash::sha256;
use axilog_ledger::session::Session;
use axilog_oracle::canonicalizer::canonicalize;
use axilog_oracle::{Attempt, Consultation, Endpoint, Exchange, Usage, consult};

use super::Plan;
use super::calibrate::question;
use super::plan::ORACLE;
use crate::X0lError;
use crate::budget::Budget;
use crate::condition::{Condition, Task};
use crate::kernel::{
    CandidateSet, Decision, DecisionKind, KernelState, Observation, ParsedCandidates,
    RejectionReason, SystemEvent, decide, parse_candidates,
};
use crate::log::{self, Canonicalization, Cycle, PermutationTest};
use crate::permutation::test_permutations;
use crate::taxonomy::{LcOutcome, RefusalType};
use crate::template::initial_observations;

/// Where a cycle stands in the session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'p> {
    pub(super) condition: Condition,
    /// Within its condition, from 1.
    pub(super) cycle: u64,
    /// In the session, from 1.
    pub(super) number: u64,
    pub(super) task: &'p Task,
}

/// What came of an attempt at a cycle.
#[derive(Debug)]
pub(super) enum Attempted {
    /// A cycle.
    Cycle(Box<Cycle>),
    /// A cycle that was not executed, since B2 might not have held it (Q58).
    Exhausted(Box<Cycle>),
    /// None: the call failed for good (Q8).
    Transport(String),
    /// None: nobody says what the answer has cost.
    NoUsage,
}

/// What a session carries from cycle to cycle.
pub(super) struct Carried<'s> {
    pub(super) plan: &'s Plan,
    pub(super) session: Session,
    pub(super) endpoint: &'s mut Endpoint,
    pub(super) state: KernelState,
    pub(super) budget: Budget,
}

/// What was made of an answer, or of the lack of one.
#[derive(Default)]
struct Made {
    canonicalization: Option<Canonicalization>,
    canonicalized: Option<String>,
    canonicalized_hash: Option<axilog::hash::Hash>,
    parsed: ParsedCandidates,
    rejection: Option<RejectionReason>,
}

impl Carried<'_> {
    /// Attempts the cycle at `place`.
    ///
    /// # Errors
    /// As [`consult`]; [`X0lError::Live`] where tokens cannot be counted.
    pub(super) fn attempt(&mut self, place: Place<'_>) -> Result<Attempted, X0lError> {
        let plan = self.plan;
        let prompt = plan.prompt(place.task, place.number);
        let tokens = plan.settings.ruler.prompt(&prompt)?;
        let none = Usage {
            prompt_tokens: 0,
            completion_tokens: 0,
        };
        if self.budget.is_exhausted(tokens) {
            let made = Made {
                rejection: Some(RejectionReason::BudgetExhaustedSession),
                ..Made::default()
            };
            let cycle = self.conclude(place, none, None, made);
            return Ok(Attempted::Exhausted(Box::new(cycle)));
        }
        if self.budget.is_too_long(tokens) {
            let usage = Usage {
                prompt_tokens: tokens.at_least,
                ..none
            };
            let cycle = self.conclude(place, usage, None, Made::default());
            return Ok(Attempted::Cycle(Box::new(cycle)));
        }
        let question = question(&plan.settings.model, &prompt);
        let consultation = consult(&mut self.session, self.endpoint, ORACLE, &question)?;
        let answer = match &consultation.exchange.reply {
            Ok(answer) => answer,
            Err(fault) => return Ok(Attempted::Transport(fault.to_string())),
        };
        let Some(usage) = plan.settings.ruler.usage(&prompt, answer)? else {
            return Ok(Attempted::NoUsage);
        };
        let spent = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        self.budget.spent = self.budget.spent.saturating_add(spent);
        let made = made(&consultation);
        let cycle = self.conclude(place, usage, Some(&consultation), made);
        Ok(Attempted::Cycle(Box::new(cycle)))
    }

    /// Lets the kernel decide, and says everything that is to be logged.
    fn conclude(
        &mut self,
        place: Place<'_>,
        usage: Usage,
        asked: Option<&Consultation>,
        made: Made,
    ) -> Cycle {
        let constitution = &self.plan.constitution;
        let answer = asked.and_then(|asked| asked.exchange.reply.as_ref().ok());
        let set = CandidateSet {
            candidates: made.parsed.candidates,
            rejection_reason: made.rejection,
            raw_llm_hash: answer.map(|answer| sha256(answer.text.as_bytes())),
        };
        let started = self.plan.settings.started;
        let mut observations =
            initial_observations(&place.task.prompt, started, place.number).to_vec();
        observations.push(Observation::Budget {
            llm_output_token_count: usage.prompt_tokens.saturating_add(usage.completion_tokens),
            llm_candidates_reported: made.parsed.reported,
            llm_parse_errors: made.parsed.errors,
        });
        let several = place.condition == Condition::E && set.candidates.len() > 1;
        let permutations =
            several.then(|| test_permutations(constitution, &self.state, &observations, &set));
        observations.extend(permutations.and_then(integrity));
        let (decision, state) = decide(constitution, &self.state, &observations, &set);
        self.state = state;
        let attempts = asked.map_or(&[][..], |asked| &asked.exchange.attempts);
        let record = asked.map(|asked| &asked.decision.observation);
        let admitted = asked.and_then(Consultation::admitted_text);
        Cycle {
            condition: place.condition,
            cycle: place.cycle,
            number: place.number,
            task: place.task.id.clone(),
            prompt_valid: place.task.prompt_valid,
            ledger_seq: record.map(|record| record.ledger_seq),
            input_hash: record.map(|record| record.input_hash),
            raw: admitted.map(str::to_owned),
            raw_llm_hash: set.raw_llm_hash,
            canonicalization: made.canonicalization.unwrap_or(Canonicalization::NotAsked),
            canonicalized: made.canonicalized,
            canonicalized_hash: made.canonicalized_hash,
            refusal_type: RefusalType::classify(
                &decision,
                place.task.prompt_valid,
                set.candidates.len(),
            ),
            lc_outcome: LcOutcome::classify(
                place.condition,
                &decision,
                asked.is_some(),
                set.candidates.len(),
            ),
            candidates: set.candidates,
            rejection_reason: set.rejection_reason,
            candidates_reported: made.parsed.reported,
            parse_errors: made.parsed.errors,
            observations,
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            latency_ms: asked.map_or(0, |asked| latency(&asked.exchange)),
            attempts: attempts.iter().map(attempt).collect(),
            answered_by: answer.and_then(|answer| answer.model.clone()),
            finish_reason: answer.and_then(|answer| answer.finish_reason.clone()),
            permutations,
            state: self.state.id(),
            decision,
        }
    }
}

/// What the canonicalizer and the parser make of what was answered.
fn made(consultation: &Consultation) -> Made {
    let Some(text) = consultation.admitted_text() else {
        return Made {
            canonicalization: Some(Canonicalization::NotAdmitted),
            rejection: Some(RejectionReason::NotAdmitted),
            ..Made::default()
        };
    };
    let result = canonicalize(text);
    let status = result.status();
    let mut made = Made {
        canonicalization: Some(status.into()),
        rejection: RejectionReason::from_status(status),
        ..Made::default()
    };
    if let Ok(block) = result.block {
        made.parsed = parse_candidates(&block.value);
        made.canonicalized = Some(block.canonical);
        made.canonicalized_hash = Some(block.hash);
    }
    made
}

/// What the kernel is told where the order of candidates has changed the selection (Q37).
fn integrity(found: PermutationTest) -> Option<Observation> {
    (!found.equal).then(|| Observation::System {
        event: SystemEvent::IntegrityRisk,
        detail: "the selection depends on the order of the candidates".to_owned(),
    })
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn latency(exchange: &Exchange) -> u64 {
    let attempts = exchange.attempts.iter();
    attempts.fold(0, |sum: u64, attempt| {
        sum.saturating_add(millis(attempt.waited.saturating_add(attempt.took)))
    })
}

fn attempt(attempt: &Attempt) -> log::AttemptRecord {
    log::AttemptRecord {
        waited_ms: millis(attempt.waited),
        took_ms: millis(attempt.took),
        fault: attempt.fault.as_ref().map(ToString::to_string),
    }
}

/// Whether a decision goes towards the refusals in a row (Q17): an action begins anew.
pub(super) fn in_a_row(refusals: u64, decision: &Decision) -> u64 {
    match decision.kind {
        DecisionKind::Action => 0,
        DecisionKind::Refuse | DecisionKind::Exit => refusals.saturating_add(1),
    }
}
