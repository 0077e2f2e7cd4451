//! The frozen kernel: a pure function that alone decides (Q33, Q48b, Q56).
//!
//! [`decide`] takes a constitution, a state, the cycle's observations and its candidates, and gives a
//! decision and the next state. It uses no clock, no I/O and no randomness; the order of the candidates does
//! not matter. A decision and its warrant have ids: SHA-256 of the canonical JSON of everything but the id.
//! Determinism: D1.
//!
//! | file | what it holds |
//! |---|---|
//! | `constitution.rs` | clauses, action types, limits and the I/O allowlist |
//! | `observation.rs` | the observations of a cycle |
//! | `candidate.rs` | the proposals of the model |
//! | `gates.rs` | the checks that a candidate must pass |
//! | `frozen.rs` | the two hashes by which a session pins this module |
//! | `path.rs` | paths compared by their names only |
//! | `decision.rs` | the decision, its warrant and the next state |

mod candidate;
mod constitution;
mod decision;
mod frozen;
mod gates;
mod observation;
mod path;

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;

pub use candidate::{
    ActionRequest, Candidate, CandidateSet, Justification, ParsedCandidates, RejectionReason,
    ScopeClaim, parse_candidates,
};
pub use constitution::{
    ActionField, ActionType, Clause, Constitution, ConstitutionError, CycleLimits, FieldType,
    IoAllowlist,
};
pub use decision::{
    CandidateVerdict, Decision, DecisionKind, DecisionReason, KernelState, SingleUse, Warrant,
};
pub use frozen::{SELF_TEST_HASH, SOURCE_HASH, self_test_hash};
pub use gates::{FailureCode, GateFailure, KernelGate};
pub use observation::{KernelObservation, SystemEvent, short_ids};

/// Decides a cycle.
///
/// The rules in their order: not exactly one timestamp refuses; an integrity event, or a state that has ended,
/// ends; more tokens than the constitution's limit refuse (the limit itself passes), and so does a
/// cycle whose tokens nobody counted; then every candidate goes through the gates, and of those
/// admitted the one with the smallest hash is acted on, under a warrant of its own.
#[must_use]
pub fn decide(
    constitution: &Constitution,
    state: &KernelState,
    observations: &[KernelObservation],
    set: &CandidateSet,
) -> (Decision, KernelState) {
    let mut verdicts = Vec::new();
    let outcome =
        decide_without_candidates(constitution, state, observations).unwrap_or_else(|| {
            verdicts = judge_candidates(constitution, observations, set);
            // Not even the order of the report depends on the order of the candidates.
            verdicts.sort_by_key(|verdict| verdict.bundle_hash);
            match select_candidate(&verdicts) {
                Some(selected) => (DecisionKind::Action, None, Some(selected)),
                None => (
                    DecisionKind::Refuse,
                    Some(DecisionReason::NoAdmissibleAction),
                    None,
                ),
            }
        });
    decision::build_decision(constitution, state, observations, set, verdicts, outcome)
}

type Ruling = (DecisionKind, Option<DecisionReason>, Option<Hash>);

/// Decides where the candidates do not matter; `None` where they do.
fn decide_without_candidates(
    constitution: &Constitution,
    state: &KernelState,
    observations: &[KernelObservation],
) -> Option<Ruling> {
    let refuse = |reason| Some((DecisionKind::Refuse, Some(reason), None));
    let timestamps = observations
        .iter()
        .filter(|observation| matches!(observation, KernelObservation::Timestamp { .. }));
    if timestamps.count() != 1 {
        return refuse(DecisionReason::MissingRequiredObservation);
    }
    let integrity = |observation: &KernelObservation| {
        matches!(
            observation,
            KernelObservation::System {
                event: SystemEvent::IntegrityRisk,
                ..
            }
        )
    };
    if state.ended || observations.iter().any(integrity) {
        return Some((
            DecisionKind::Exit,
            Some(DecisionReason::IntegrityRisk),
            None,
        ));
    }
    let mut budgets = observations
        .iter()
        .filter_map(|observation| match observation {
            KernelObservation::Budget {
                llm_output_token_count,
                ..
            } => Some(*llm_output_token_count),
            _ => None,
        });
    let (Some(tokens), None) = (budgets.next(), budgets.next()) else {
        return refuse(DecisionReason::MissingRequiredObservation);
    };
    if tokens > constitution.limits.max_total_tokens_per_cycle {
        return refuse(DecisionReason::BudgetExhausted);
    }
    None
}

/// Checks each candidate by the gates, in the order of the candidates. Of the other candidates only their
/// number
/// counts.
#[must_use]
pub fn judge_candidates(
    constitution: &Constitution,
    observations: &[KernelObservation],
    set: &CandidateSet,
) -> Vec<CandidateVerdict> {
    let long = observations
        .iter()
        .map(|observation| hex(&observation.id()));
    let short = short_ids(observations).map(|(id, _)| id);
    let ids: Vec<String> = long.chain(short).collect();
    let too_many = set.candidates.len() as u64 > constitution.limits.max_candidates;
    let candidates = set.candidates.iter();
    candidates
        .map(|candidate| CandidateVerdict {
            bundle_hash: candidate.hash(),
            // Any that were picked out of too many would be picked by their order.
            failure: if too_many {
                Some(GateFailure {
                    gate: KernelGate::Completeness,
                    code: FailureCode::TooManyCandidates,
                })
            } else {
                gates::check_candidate(constitution, &ids, candidate).err()
            },
        })
        .collect()
}

/// Selects the admitted candidate with the smallest hash.
#[must_use]
pub fn select_candidate(verdicts: &[CandidateVerdict]) -> Option<Hash> {
    let admitted = verdicts.iter().filter(|verdict| verdict.failure.is_none());
    admitted.map(|verdict| verdict.bundle_hash).min()
}
