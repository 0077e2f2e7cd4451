//! The frozen kernel: a pure function that alone decides (Q33, Q48b, Q56).
//!
//! [`decide`] takes a constitution, a state, the cycle's observations and its candidates, and gives a
//! decision and the next state. No clock, no I/O, no randomness; the order of the candidates does
//! not matter. What it gives has ids: SHA-256 of the canonical JSON of everything but the id.
//! Determinism: D1.
//!
//! | file | what it holds |
//! |---|---|
//! | `constitution.rs` | clauses, action types, limits and the I/O allowlist |
//! | `observation.rs` | what a cycle saw |
//! | `candidate.rs` | what the model proposes |
//! | `gates.rs` | whether a candidate may be acted on |
//! | `path.rs` | paths compared by their names only |
//! | `decision.rs` | what comes out |

mod candidate;
mod constitution;
mod decision;
mod gates;
mod observation;
mod path;

use axilog::hash::Hash;

pub use candidate::{
    ActionRequest, Candidate, CandidateSet, Justification, Parsed, Rejection, ScopeClaim,
    parse_candidates,
};
pub use constitution::{
    ActionType, Clause, Constitution, ConstitutionError, Field, FieldType, IoAllowlist, Limits,
};
pub use decision::{Decision, Kind, Reason, SingleUse, State, Verdict, Warrant};
pub use gates::{Code, Gate, Refused};
pub use observation::{Observation, SystemEvent};

/// Decides a cycle.
///
/// In this order: not exactly one timestamp refuses; an integrity event, or a state that has ended,
/// ends; more tokens than the constitution's limit refuse (the limit itself passes), and so does a
/// cycle whose tokens nobody counted; then every candidate goes through the gates, and of those
/// admitted the one with the smallest hash is acted on, under a warrant of its own.
#[must_use]
pub fn decide(
    constitution: &Constitution,
    state: &State,
    observations: &[Observation],
    set: &CandidateSet,
) -> (Decision, State) {
    let mut verdicts = Vec::new();
    let outcome = early(constitution, state, observations).unwrap_or_else(|| {
        verdicts = judge(constitution, observations, set);
        // Not even the order of the report depends on the order of the candidates.
        verdicts.sort_by_key(|verdict| verdict.bundle_hash);
        match select(&verdicts) {
            Some(selected) => (Kind::Action, None, Some(selected)),
            None => (Kind::Refuse, Some(Reason::NoAdmissibleAction), None),
        }
    });
    decision::conclude(constitution, state, observations, set, verdicts, outcome)
}

type Outcome = (Kind, Option<Reason>, Option<Hash>);

/// What is decided whatever the candidates are.
fn early(
    constitution: &Constitution,
    state: &State,
    observations: &[Observation],
) -> Option<Outcome> {
    let refuse = |reason| Some((Kind::Refuse, Some(reason), None));
    let timestamps = observations
        .iter()
        .filter(|observation| matches!(observation, Observation::Timestamp { .. }));
    if timestamps.count() != 1 {
        return refuse(Reason::MissingRequiredObservation);
    }
    let integrity = |observation: &Observation| {
        matches!(
            observation,
            Observation::System {
                event: SystemEvent::IntegrityRisk,
                ..
            }
        )
    };
    if state.ended || observations.iter().any(integrity) {
        return Some((Kind::Exit, Some(Reason::IntegrityRisk), None));
    }
    let mut budgets = observations
        .iter()
        .filter_map(|observation| match observation {
            Observation::Budget {
                llm_output_token_count,
                ..
            } => Some(*llm_output_token_count),
            _ => None,
        });
    let (Some(tokens), None) = (budgets.next(), budgets.next()) else {
        return refuse(Reason::MissingRequiredObservation);
    };
    if tokens > constitution.limits.max_total_tokens_per_cycle {
        return refuse(Reason::BudgetExhausted);
    }
    None
}

/// What the gates say of each candidate, in the order of the candidates. Of the others only their number
/// counts.
#[must_use]
pub fn judge(
    constitution: &Constitution,
    observations: &[Observation],
    set: &CandidateSet,
) -> Vec<Verdict> {
    let ids: Vec<Hash> = observations.iter().map(Observation::id).collect();
    let too_many = set.candidates.len() as u64 > constitution.limits.max_candidates;
    let candidates = set.candidates.iter();
    candidates
        .map(|candidate| Verdict {
            bundle_hash: candidate.hash(),
            // Any that were picked out of too many would be picked by their order.
            refused: if too_many {
                Some(Refused {
                    gate: Gate::Completeness,
                    code: Code::TooManyCandidates,
                })
            } else {
                gates::pass(constitution, &ids, candidate).err()
            },
        })
        .collect()
}

/// The selector: of the admitted candidates the smallest hash.
#[must_use]
pub fn select(verdicts: &[Verdict]) -> Option<Hash> {
    let admitted = verdicts.iter().filter(|verdict| verdict.refused.is_none());
    admitted.map(|verdict| verdict.bundle_hash).min()
}
