//! A cycle made again: from the raw text to the decision, the state and the type of a refusal.

use axilog::evidence::observation::Completion;
use axilog::hash::{Hash, sha256};
use axilog_ledger::input::line_ends;
use axilog_oracle::canonicalizer::canonicalize;

use super::kept;
use super::ledger::Observed;
use super::prompts::Asked;
use crate::budget::{Budget, PromptTokens};
use crate::kernel::{
    CandidateSet, Constitution, DecisionKind, KernelState, Observation, ParsedCandidates,
    RejectionReason, decide, parse_candidates,
};
use crate::log::{Canonicalization, Condition, Cycle, FrozenSettings, TokenSource};
use crate::permutation::test_permutations;
use crate::taxonomy::{LcOutcome, RefusalType};

/// What the ledger has of a cycle's call.
pub(super) enum Called<'l> {
    /// This.
    Yes(&'l Observed),
    /// Nothing, though something was asked.
    Nothing,
    /// Nobody knows: the ledger is not good.
    Unknown,
}

/// What a cycle rests on besides its own record.
pub(super) struct Grounds<'l> {
    pub(super) called: Called<'l>,
    pub(super) asked: Option<Asked<'l>>,
    pub(super) constitution: &'l Constitution,
    pub(super) frozen: &'l FrozenSettings,
    pub(super) state: &'l KernelState,
    /// With what was spent before the cycle.
    pub(super) budget: Budget,
    /// Whether some of that may be in lines that could not be read.
    pub(super) skipped: bool,
}

impl Grounds<'_> {
    /// What was known of the prompt's tokens before it was to be asked. Of one that was not, nothing is
    /// known where tokens were counted, since that takes the tokenizer, and where lines before are lost.
    fn tokens(&self, logged: &Cycle) -> Option<PromptTokens> {
        let asked = logged.ledger_seq.is_some();
        match self.frozen.token_source {
            TokenSource::Api { .. } if asked || !self.skipped => self.asked.as_ref()?.tokens,
            TokenSource::Local { .. } if asked => Some(PromptTokens::exact(logged.prompt_tokens)),
            _ => None,
        }
    }
}

/// The record as it follows from what is not derived: the raw text or the ledger's, the tokens, the
/// attempts. Gives the state after the cycle too.
pub(super) fn again(logged: &Cycle, grounds: &Grounds<'_>) -> (Cycle, KernelState) {
    let mut cycle = logged.clone();
    let asked = logged.ledger_seq.is_some();
    match grounds.called {
        Called::Yes(call) => {
            cycle.ledger_seq = Some(call.seq);
            cycle.input_hash = Some(call.input_hash);
            cycle.raw = raw(logged.raw.as_deref(), call);
        }
        Called::Nothing => {
            cycle.ledger_seq = None;
            cycle.input_hash = None;
            cycle.raw = None;
        }
        Called::Unknown => {}
    }
    from_raw(&mut cycle, asked, grounds);

    // The kernel decides on what was logged: what is wrong with that is said by itself.
    let set = CandidateSet {
        candidates: logged.candidates.clone(),
        rejection_reason: logged.rejection_reason,
        raw_llm_hash: logged.raw_llm_hash,
    };
    let (constitution, state) = (grounds.constitution, grounds.state);
    let is_report = |one: &&Observation| matches!(one, Observation::System { .. });
    let (reports, seen): (Vec<&Observation>, Vec<&Observation>) =
        logged.observations.iter().partition(is_report);
    let seen: Vec<Observation> = seen.into_iter().cloned().collect();
    let several = logged.condition == Condition::E && set.candidates.len() > 1;
    cycle.permutations = several.then(|| test_permutations(constitution, state, &seen, &set));
    cycle.observations = observations(&cycle, grounds, &seen);
    if cycle.permutations.is_some_and(|found| !found.equal) {
        cycle.observations.extend(reports.into_iter().cloned());
    }
    let (decision, next) = decide(constitution, state, &logged.observations, &set);
    let candidates = logged.candidates.len();
    cycle.refusal_type = RefusalType::classify(&decision, logged.prompt_valid, candidates);
    cycle.lc_outcome = LcOutcome::classify(logged.condition, &decision, asked, candidates);
    cycle.state = next.id();
    cycle.decision = decision;
    if let Some(asked) = &grounds.asked {
        cycle.task.clone_from(&asked.task.id);
        cycle.prompt_valid = asked.task.prompt_valid;
        // The ledger's has been compared; this is what the prompt should have been.
        let rendered = asked
            .input_hash
            .filter(|_| cycle.input_hash == logged.input_hash);
        cycle.input_hash = cycle.input_hash.map(|hash| rendered.unwrap_or(hash));
    }
    (cycle, next)
}

/// Where B1 and B2 say otherwise than the log whether a cycle was to be asked: what is there, and what
/// should be.
pub(super) fn against_budget(
    logged: &Cycle,
    grounds: &Grounds<'_>,
) -> Option<(&'static str, &'static str)> {
    let (prompt, budget) = (grounds.tokens(logged)?, grounds.budget);
    let forbidden = budget.is_too_long(prompt) || budget.is_exhausted(prompt);
    match (logged.ledger_seq, forbidden) {
        (Some(_), true) => Some(("a call", "none: B1 or B2 did not allow it")),
        (None, false) => Some(("none", "a call: B1 and B2 allowed it")),
        _ => None,
    }
}

/// The raw text: the log's where the ledger's is the same but for line ends, else the ledger's.
fn raw(logged: Option<&str>, call: &Observed) -> Option<String> {
    if call.completion != Completion::Complete {
        return None;
    }
    let same = |raw: &&str| line_ends(raw) == call.output;
    Some(logged.filter(same).unwrap_or(&call.output).to_owned())
}

/// What follows from the raw text, or from there being none.
fn from_raw(cycle: &mut Cycle, asked: bool, grounds: &Grounds<'_>) {
    let mut parsed = ParsedCandidates::default();
    cycle.canonicalized = None;
    cycle.canonicalized_hash = None;
    match (&cycle.raw, asked) {
        (Some(raw), _) => {
            let result = canonicalize(raw);
            let status = result.status();
            cycle.raw_llm_hash = Some(result.raw_hash);
            cycle.canonicalization = status.into();
            cycle.rejection_reason = RejectionReason::from_status(status);
            if let Ok(block) = result.block {
                parsed = parse_candidates(&block.value);
                cycle.canonicalized = Some(block.canonical);
                cycle.canonicalized_hash = Some(block.hash);
            }
        }
        (None, true) => {
            cycle.canonicalization = Canonicalization::NotAdmitted;
            cycle.rejection_reason = Some(RejectionReason::NotAdmitted);
        }
        (None, false) => {
            cycle.raw_llm_hash = None;
            cycle.canonicalization = Canonicalization::NotAsked;
            // Either the prompt alone is over B1, or B2 allows no further cycle.
            let tokens = grounds.tokens(cycle);
            let exhausted = match tokens {
                Some(tokens) => grounds.budget.is_exhausted(tokens),
                None => cycle.prompt_tokens <= grounds.budget.b1,
            };
            cycle.rejection_reason = exhausted.then_some(RejectionReason::BudgetExhaustedSession);
            let over = tokens.map_or(cycle.prompt_tokens, |tokens| tokens.at_least);
            cycle.prompt_tokens = if exhausted { 0 } else { over };
            cycle.completion_tokens = 0;
            cycle.latency_ms = 0;
            cycle.attempts.clear();
            cycle.answered_by = None;
            cycle.finish_reason = None;
        }
    }
    cycle.candidates = parsed.candidates;
    cycle.candidates_reported = parsed.reported;
    cycle.parse_errors = parsed.errors;
}

/// What the kernel is to see: what a person asked for, the time, the budget. `seen` is what was logged
/// of that.
fn observations(cycle: &Cycle, grounds: &Grounds<'_>, seen: &[Observation]) -> Vec<Observation> {
    let known = match &grounds.asked {
        Some(asked) => asked.known.to_vec(),
        None => seen.iter().take(2).cloned().collect(),
    };
    let budget = Observation::Budget {
        llm_output_token_count: cycle.tokens(),
        llm_candidates_reported: cycle.candidates_reported,
        llm_parse_errors: cycle.parse_errors,
    };
    known.into_iter().chain([budget]).collect()
}

/// The state to go on from: the one that was made again, or where only the log's own chain fits, that.
pub(super) fn go_on(logged: &Cycle, state: &KernelState, again: KernelState) -> KernelState {
    let claimed = KernelState {
        cycle: logged.decision.cycle,
        last_decision: Some(logged.decision.id),
        ended: state.ended || logged.decision.kind == DecisionKind::Exit,
    };
    if logged.state != again.id() && logged.state == claimed.id() {
        claimed
    } else {
        again
    }
}

/// The blob that must hold the raw answer.
pub(super) fn raw_blob(logged: &Cycle, called: &Called<'_>) -> Option<Hash> {
    match called {
        Called::Yes(call) if kept(call) => logged.raw_llm_hash.filter(|hash| *hash != sha256(b"")),
        _ => None,
    }
}
