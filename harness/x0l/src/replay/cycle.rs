//! A cycle recomputed: from the raw text to the decision, the state and the refusal's type.

use axilog::evidence::observation::Completion;
use axilog::hash::sha256;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input::normalize_line_ends;
use axilog_oracle::canonicalizer::canonicalize;

use super::prompts::RenderedPrompt;
use super::run_ledger::RecordedCall;
use crate::budget::{Budget, PromptTokens, bound_by_count};
use crate::fields::FieldNames;
use crate::kernel::{
    CandidateSet, Constitution, DecisionKind, KernelObservation, KernelState, ParsedCandidates,
    RejectionReason, decide, parse_candidates,
};
use crate::log::{Canonicalization, Condition, Cycle, FrozenSettings, PromptCount, TokenSource};
use crate::permutation::test_permutations;
use crate::taxonomy::{LcOutcome, RefusalType};

/// The ledger's record of a cycle's call.
pub(super) enum CallLookup<'l> {
    /// The ledger records the call.
    Recorded(&'l RecordedCall),
    /// The ledger is intact and records no call.
    Missing,
    /// The ledger is damaged, so that a missing record proves nothing.
    Unknown,
}

/// Everything that a cycle follows from besides its own record.
pub(super) struct CycleInputs<'l> {
    pub(super) call: CallLookup<'l>,
    pub(super) prompt: Option<RenderedPrompt<'l>>,
    pub(super) constitution: &'l Constitution,
    pub(super) frozen: &'l FrozenSettings,
    /// The blobs beside the ledger, which hold the answers that no record holds whole.
    pub(super) blobs: &'l BlobStore,
    /// The names of the fields of an answer.
    pub(super) field_names: &'l FieldNames,
    /// The kernel's state before the cycle.
    pub(super) state: &'l KernelState,
    /// The budgets, with the tokens that were spent before the cycle.
    pub(super) budget: Budget,
    /// Whether an earlier line could not be read, so that more tokens may have been spent.
    pub(super) lines_lost: bool,
}

impl CycleInputs<'_> {
    /// What the session could know of the prompt's tokens before the call. `None` for a prompt that was
    /// not sent where that takes the tokenizer of the session's machine, and where earlier lines are lost.
    pub(super) fn prompt_tokens(&self, logged: &Cycle) -> Option<PromptTokens> {
        let asked = logged.ledger_seq.is_some();
        match self.frozen.token_source {
            TokenSource::Api { .. } if asked || !self.lines_lost => {
                let estimate = self.prompt.as_ref()?.tokens?;
                // The server's tokenizer is not there any more: its count stands where it is a possible one.
                let counted = self.frozen.prompt_count.filter(|_| !asked);
                let bounds = counted.and_then(|PromptCount::Server| {
                    bound_by_count(estimate, logged.prompt_tokens, self.budget.b1)
                });
                Some(bounds.unwrap_or(estimate))
            }
            TokenSource::Local { .. } if asked => Some(PromptTokens::exact(logged.prompt_tokens)),
            _ => None,
        }
    }
}

/// Recomputes a cycle's record from what cannot be derived (the raw text or the ledger's text, the tokens,
/// the attempts), and the kernel's state after the cycle.
pub(super) fn recompute_cycle(logged: &Cycle, inputs: &CycleInputs<'_>) -> (Cycle, KernelState) {
    let mut cycle = logged.clone();
    let asked = logged.ledger_seq.is_some();
    match inputs.call {
        CallLookup::Recorded(call) => {
            cycle.ledger_seq = Some(call.seq);
            cycle.input_hash = Some(call.input_hash);
            cycle.raw = choose_raw_text(logged.raw.as_deref(), call, inputs.blobs);
            let facts = call.facts.clone().unwrap_or_default();
            cycle.answered_by = facts.answered_by;
            cycle.system_fingerprint = facts.system_fingerprint;
        }
        CallLookup::Missing => {
            cycle.ledger_seq = None;
            cycle.input_hash = None;
            cycle.raw = None;
        }
        CallLookup::Unknown => {}
    }
    derive_from_raw_text(&mut cycle, asked, inputs);

    // The kernel decides on the logged candidates and observations: a wrong one has a finding of its own.
    let set = CandidateSet {
        candidates: logged.candidates.clone(),
        rejection_reason: logged.rejection_reason,
        raw_llm_hash: logged.raw_llm_hash,
    };
    let (constitution, state) = (inputs.constitution, inputs.state);
    let is_system =
        |observation: &&KernelObservation| matches!(observation, KernelObservation::System { .. });
    let (system, others): (Vec<&KernelObservation>, Vec<&KernelObservation>) =
        logged.observations.iter().partition(is_system);
    let others: Vec<KernelObservation> = others.into_iter().cloned().collect();
    let several = logged.condition == Condition::E && set.candidates.len() > 1;
    cycle.permutations = several.then(|| test_permutations(constitution, state, &others, &set));
    cycle.observations = expected_observations(&cycle, inputs, &others);
    if cycle.permutations.is_some_and(|tested| !tested.equal) {
        cycle.observations.extend(system.into_iter().cloned());
    }
    let (decision, next) = decide(constitution, state, &logged.observations, &set);
    let candidates = logged.candidates.len();
    cycle.refusal_type = RefusalType::classify(&decision, logged.prompt_valid, candidates);
    cycle.lc_outcome = LcOutcome::classify(logged.condition, &decision, asked, candidates);
    cycle.state = next.id();
    cycle.decision = decision;
    if let Some(prompt) = &inputs.prompt {
        cycle.task.clone_from(&prompt.task.id);
        cycle.prompt_valid = prompt.task.prompt_valid;
        // Where the log has the ledger's hash, that must be the hash of the rendered prompt.
        let rendered = prompt
            .input_hash
            .filter(|_| cycle.input_hash == logged.input_hash);
        cycle.input_hash = cycle.input_hash.map(|hash| rendered.unwrap_or(hash));
    }
    (cycle, next)
}

/// Chooses the raw text: the log's where it differs from the ledger's in line ends alone or has the hash that the
/// RAW record binds, else that of the ledger or of the blob beside it.
fn choose_raw_text(logged: Option<&str>, call: &RecordedCall, blobs: &BlobStore) -> Option<String> {
    let same = |raw: &&str| match call.raw {
        None if call.completion == Completion::Complete => normalize_line_ends(raw) == call.output,
        // An empty answer is bound by no hash.
        None => raw.is_empty(),
        Some(bound) => bound.sha256 == sha256(raw.as_bytes()),
    };
    match logged.filter(same) {
        Some(raw) => Some(raw.to_owned()),
        None => call.read_raw_text(blobs),
    }
}

/// Sets the fields that follow from the raw text, or from its absence.
fn derive_from_raw_text(cycle: &mut Cycle, asked: bool, inputs: &CycleInputs<'_>) {
    let mut parsed = ParsedCandidates::default();
    if cycle.raw.is_none() && asked {
        // The blob of the answer is gone, which is a finding of its own.
        return;
    }
    cycle.canonicalized = None;
    cycle.canonicalized_hash = None;
    match &cycle.raw {
        Some(raw) => {
            let result = canonicalize(raw);
            let status = result.status();
            cycle.raw_llm_hash = Some(result.raw_hash);
            cycle.canonicalization = status.into();
            cycle.rejection_reason = RejectionReason::from_status(status);
            if let Ok(block) = result.block {
                parsed = parse_candidates(&inputs.field_names.translate(block.value));
                cycle.canonicalized = Some(block.canonical);
                cycle.canonicalized_hash = Some(block.hash);
            }
        }
        None => {
            cycle.raw_llm_hash = None;
            cycle.canonicalization = Canonicalization::NotAsked;
            // Either the prompt alone is over B1, or B2 allows no further cycle.
            let tokens = inputs.prompt_tokens(cycle);
            let exhausted = match tokens {
                Some(tokens) => inputs.budget.is_exhausted(tokens),
                None => cycle.prompt_tokens <= inputs.budget.b1,
            };
            cycle.rejection_reason = exhausted.then_some(RejectionReason::BudgetExhaustedSession);
            let over = tokens.map_or(cycle.prompt_tokens, |tokens| tokens.at_least);
            cycle.prompt_tokens = if exhausted { 0 } else { over };
            cycle.completion_tokens = 0;
            cycle.latency_ms = 0;
            cycle.attempts.clear();
            cycle.answered_by = None;
            cycle.system_fingerprint = None;
            cycle.finish_reason = None;
        }
    }
    cycle.candidates = parsed.candidates;
    cycle.candidates_reported = parsed.reported;
    cycle.parse_errors = parsed.errors;
}

/// The observations that the kernel should be given: the user's words, the time and the budget. The first
/// two are taken from `logged` where the prompt could not be rendered.
fn expected_observations(
    cycle: &Cycle,
    inputs: &CycleInputs<'_>,
    logged: &[KernelObservation],
) -> Vec<KernelObservation> {
    let before_call = match &inputs.prompt {
        Some(prompt) => prompt.observations.to_vec(),
        None => logged.iter().take(2).cloned().collect(),
    };
    let budget = KernelObservation::Budget {
        llm_output_token_count: cycle.tokens(),
        llm_candidates_reported: cycle.candidates_reported,
        llm_parse_errors: cycle.parse_errors,
    };
    before_call.into_iter().chain([budget]).collect()
}

/// Chooses the state for the next cycle: the recomputed one, but the log's own where that is consistent in
/// itself and not the recomputed one, so that one wrong cycle does not make all later ones differ.
pub(super) fn choose_next_state(
    logged: &Cycle,
    state: &KernelState,
    recomputed: KernelState,
) -> KernelState {
    let claimed = KernelState {
        cycle: logged.decision.cycle,
        last_decision: Some(logged.decision.id),
        ended: state.ended || logged.decision.kind == DecisionKind::Exit,
    };
    if logged.state != recomputed.id() && logged.state == claimed.id() {
        claimed
    } else {
        recomputed
    }
}
