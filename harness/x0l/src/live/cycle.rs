//! One cycle: a task is asked, the answer recorded, canonicalized and parsed, and the kernel decides.

use std::time::Duration;

use axilog::hash::{Hash, sha256};
use axilog_ledger::session::Session;
use axilog_oracle::canonicalizer::canonicalize;
use axilog_oracle::{AskAttempt, Consultation, Exchange, Oracle, TokenUsage, consult_oracle};

use super::calibrate::build_question;
use super::plan::SessionPlan;
use super::server_count::ServerCount;
use crate::budget::{Budget, bound_by_count, check_against_count};
use crate::condition::{Condition, Task};
use crate::error::X0lError;
use crate::fields::FieldNames;
use crate::kernel::{
    CandidateSet, KernelObservation, KernelState, ParsedCandidates, RejectionReason, SystemEvent,
    decide, parse_candidates,
};
use crate::log::provider::ProviderWatch;
use crate::log::witness::MODEL_ORACLE;
use crate::log::{self, Canonicalization, Cycle, PermutationTest, ProviderFacts};
use crate::permutation::test_permutations;
use crate::replay::CycleId;
use crate::taxonomy::{LcOutcome, RefusalType};
use crate::template::initial_observations;

/// The result of running a cycle.
#[derive(Debug)]
pub(super) enum CycleResult {
    /// The cycle was run.
    Cycle(Box<Cycle>),
    /// The cycle was refused without a call, since B2 might not have held it (Q58).
    Exhausted(Box<Cycle>),
    /// The call failed for good, which makes no cycle (Q8).
    TransportFailure(String),
    /// The oracle did not report the tokens of its answer, or impossible ones, which makes no cycle.
    BadUsage(String),
    /// Another model answered than in the calibration, which makes no cycle (Q6).
    OtherModel(String),
}

/// Runs the cycles of a session, with what one cycle hands to the next.
pub(super) struct CycleRunner<'s> {
    pub(super) plan: &'s SessionPlan,
    pub(super) session: Session,
    pub(super) endpoint: &'s mut Oracle,
    pub(super) state: KernelState,
    pub(super) budget: Budget,
    pub(super) watch: ProviderWatch,
    /// The tokenizer of the server, where it has one.
    pub(super) server_count: Option<ServerCount>,
}

/// The result of canonicalizing and parsing an answer; the default is that of a cycle without a call.
#[derive(Default)]
struct ParsedAnswer {
    canonicalization: Option<Canonicalization>,
    canonicalized: Option<String>,
    canonicalized_hash: Option<Hash>,
    parsed: ParsedCandidates,
    rejection: Option<RejectionReason>,
}

impl CycleRunner<'_> {
    /// Runs the cycle `id` with `task`.
    ///
    /// # Errors
    /// As [`consult_oracle`]; [`X0lError::Live`] where tokens cannot be counted.
    pub(super) fn run_cycle(&mut self, id: CycleId, task: &Task) -> Result<CycleResult, X0lError> {
        let plan = self.plan;
        let prompt = plan.render_prompt(task, id.number);
        let counter = &plan.settings.token_counter;
        let tokens = counter.count_prompt(&prompt)?;
        let no_usage = TokenUsage {
            prompt_tokens: 0,
            completion_tokens: 0,
        };
        if self.budget.is_exhausted(tokens) {
            let answer = ParsedAnswer {
                rejection: Some(RejectionReason::BudgetExhaustedSession),
                ..ParsedAnswer::default()
            };
            let cycle = self.decide_cycle(id, task, no_usage, None, answer);
            return Ok(CycleResult::Exhausted(Box::new(cycle)));
        }
        // The server's own count of a prompt that may be sent is known before it is.
        let counts = !self.budget.is_too_long(tokens);
        let server_count = self.server_count.as_mut().filter(|_| counts);
        let counted = server_count.map(|server_count| server_count.count(&prompt));
        let tokens = counted
            .and_then(|counted| bound_by_count(tokens, counted, self.budget.b1))
            .unwrap_or(tokens);
        if self.budget.is_too_long(tokens) {
            let usage = TokenUsage {
                prompt_tokens: tokens.at_least,
                ..no_usage
            };
            let cycle = self.decide_cycle(id, task, usage, None, ParsedAnswer::default());
            return Ok(CycleResult::Cycle(Box::new(cycle)));
        }
        let question = build_question(&plan.settings.model, &prompt);
        let consultation =
            consult_oracle(&mut self.session, self.endpoint, MODEL_ORACLE, &question)?;
        let answer = match &consultation.exchange.reply {
            Ok(answer) => answer,
            Err(fault) => return Ok(CycleResult::TransportFailure(fault.to_string())),
        };
        let seq = consultation.decision.observation.ledger_seq;
        self.watch.take_answer(&mut self.session, seq, answer)?;
        if let Some(reason) = self.watch.describe_other_model() {
            return Ok(CycleResult::OtherModel(reason.to_owned()));
        }
        let usage = match counter.count_usage(&prompt, answer)? {
            Ok(usage) => usage,
            Err(reason) => return Ok(CycleResult::BadUsage(reason)),
        };
        // A model may split its answer in another way than its tokenizer does, which is not counted.
        let checked = counted.map(|counted| check_against_count(usage.prompt_tokens, counted));
        if let Some(Err(reason)) = checked {
            return Ok(CycleResult::BadUsage(reason));
        }
        let spent = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        self.budget.spent = self.budget.spent.saturating_add(spent);
        let answer = parse_answer(&answer.text, &plan.template.field_names);
        let cycle = self.decide_cycle(id, task, usage, Some(&consultation), answer);
        Ok(CycleResult::Cycle(Box::new(cycle)))
    }

    /// Lets the kernel decide on an answer, and gives the cycle's record.
    fn decide_cycle(
        &mut self,
        id: CycleId,
        task: &Task,
        usage: TokenUsage,
        consultation: Option<&Consultation>,
        answer: ParsedAnswer,
    ) -> Cycle {
        let constitution = &self.plan.constitution;
        let reply = consultation.and_then(|call| call.exchange.reply.as_ref().ok());
        let set = CandidateSet {
            candidates: answer.parsed.candidates,
            rejection_reason: answer.rejection,
            raw_llm_hash: reply.map(|reply| sha256(reply.text.as_bytes())),
        };
        let started = self.plan.settings.started;
        let mut observations = initial_observations(&task.prompt, started, id.number).to_vec();
        observations.push(KernelObservation::Budget {
            llm_output_token_count: usage.prompt_tokens.saturating_add(usage.completion_tokens),
            llm_candidates_reported: answer.parsed.reported,
            llm_parse_errors: answer.parsed.errors,
        });
        let several = id.condition == Condition::E && set.candidates.len() > 1;
        let permutations =
            several.then(|| test_permutations(constitution, &self.state, &observations, &set));
        observations.extend(permutations.and_then(observe_integrity));
        let (decision, state) = decide(constitution, &self.state, &observations, &set);
        self.state = state;
        let attempts = consultation.map_or(&[][..], |call| &call.exchange.attempts);
        let record = consultation.map(|call| &call.decision.observation);
        let facts = reply.map(ProviderFacts::of).unwrap_or_default();
        let candidates = set.candidates.len();
        Cycle {
            condition: id.condition,
            cycle: id.cycle,
            number: id.number,
            task: task.id.clone(),
            prompt_valid: task.prompt_valid,
            ledger_seq: record.map(|record| record.ledger_seq),
            input_hash: record.map(|record| record.input_hash),
            raw: reply.map(|reply| reply.text.clone()),
            raw_llm_hash: set.raw_llm_hash,
            canonicalization: answer
                .canonicalization
                .unwrap_or(Canonicalization::NotAsked),
            canonicalized: answer.canonicalized,
            canonicalized_hash: answer.canonicalized_hash,
            refusal_type: RefusalType::classify(&decision, task.prompt_valid, candidates),
            lc_outcome: LcOutcome::classify(
                id.condition,
                &decision,
                consultation.is_some(),
                candidates,
            ),
            candidates: set.candidates,
            rejection_reason: set.rejection_reason,
            candidates_reported: answer.parsed.reported,
            parse_errors: answer.parsed.errors,
            observations,
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            latency_ms: consultation.map_or(0, |call| sum_latency(&call.exchange)),
            attempts: attempts.iter().map(record_attempt).collect(),
            answered_by: facts.answered_by,
            system_fingerprint: facts.system_fingerprint,
            finish_reason: reply.and_then(|reply| reply.finish_reason.clone()),
            permutations,
            state: self.state.id(),
            decision,
        }
    }
}

/// Canonicalizes and parses an answer as it came: the ledger binds its bytes, in the observation or in the RAW
/// record after it, whatever admission made of it (A1).
fn parse_answer(text: &str, field_names: &FieldNames) -> ParsedAnswer {
    let result = canonicalize(text);
    let status = result.status();
    let mut answer = ParsedAnswer {
        canonicalization: Some(status.into()),
        rejection: RejectionReason::from_status(status),
        ..ParsedAnswer::default()
    };
    if let Ok(block) = result.block {
        answer.parsed = parse_candidates(&field_names.translate(block.value));
        answer.canonicalized = Some(block.canonical);
        answer.canonicalized_hash = Some(block.hash);
    }
    answer
}

/// The observation for the kernel that the order of the candidates changed the selection (Q37), where it did.
fn observe_integrity(tested: PermutationTest) -> Option<KernelObservation> {
    (!tested.equal).then(|| KernelObservation::System {
        event: SystemEvent::IntegrityRisk,
        detail: "the selection depends on the order of the candidates".to_owned(),
    })
}

fn to_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn sum_latency(exchange: &Exchange) -> u64 {
    let attempts = exchange.attempts.iter();
    attempts.fold(0, |sum: u64, attempt| {
        sum.saturating_add(to_millis(attempt.delay.saturating_add(attempt.duration)))
    })
}

fn record_attempt(attempt: &AskAttempt) -> log::AttemptRecord {
    log::AttemptRecord {
        waited_ms: to_millis(attempt.delay),
        took_ms: to_millis(attempt.duration),
        fault: attempt.fault.as_ref().map(ToString::to_string),
    }
}
