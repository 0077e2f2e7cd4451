//! What comes out of the kernel: a decision, its warrant, and the next state.

use axilog::hash::Hash;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::candidate::{CandidateSet, Rejection};
use super::constitution::Constitution;
use super::gates::{Code, Gate, Refused};
use super::observation::Observation;
use crate::document::{self, hash_document, named_enum, to_value};

named_enum! {
    /// What is decided.
    pub enum Kind {
        /// One candidate may be acted on.
        Action = "ACTION",
        /// None may.
        Refuse = "REFUSE",
        /// Nothing may be decided any more.
        Exit = "EXIT",
    }
}

named_enum! {
    /// Why nothing may be acted on.
    pub enum Reason {
        /// Not exactly one timestamp, or not exactly one budget.
        MissingRequiredObservation = "MISSING_REQUIRED_OBSERVATION",
        /// Evidence or code is not what it was, or was not in an earlier cycle.
        IntegrityRisk = "INTEGRITY_RISK",
        /// More tokens than a cycle may have.
        BudgetExhausted = "BUDGET_EXHAUSTED",
        /// No candidate passes the gates.
        NoAdmissibleAction = "NO_ADMISSIBLE_ACTION",
    }
}

/// What the gates said of one candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "VerdictDocument", into = "VerdictDocument")]
pub struct Verdict {
    /// The candidate's hash.
    pub bundle_hash: Hash,
    /// The first gate that the candidate fails; `None` where it is admitted.
    pub refused: Option<Refused>,
}

/// [`Verdict`] as documents have it.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Verdict", deny_unknown_fields)]
struct VerdictDocument {
    #[serde(with = "document::hash")]
    bundle_hash: Hash,
    admitted: bool,
    gate: Option<Gate>,
    code: Option<Code>,
}

impl From<Verdict> for VerdictDocument {
    fn from(verdict: Verdict) -> VerdictDocument {
        VerdictDocument {
            bundle_hash: verdict.bundle_hash,
            admitted: verdict.refused.is_none(),
            gate: verdict.refused.map(|refused| refused.gate),
            code: verdict.refused.map(|refused| refused.code),
        }
    }
}

impl From<VerdictDocument> for Verdict {
    /// A document that contradicts itself is refused where it is compared with what is written.
    fn from(document: VerdictDocument) -> Verdict {
        let failed = document.gate.zip(document.code);
        Verdict {
            bundle_hash: document.bundle_hash,
            refused: failed.map(|(gate, code)| Refused { gate, code }),
        }
    }
}

/// Leave to do one thing once: in the cycle that it names, and in no other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warrant {
    /// SHA-256 of the canonical form of the rest.
    #[serde(with = "document::hash")]
    pub id: Hash,
    /// The constitution's hash.
    #[serde(with = "document::hash")]
    pub constitution: Hash,
    /// The id of the state before the cycle.
    #[serde(with = "document::hash")]
    pub state: Hash,
    /// The number of the cycle, from 1.
    pub cycle: u64,
    /// The ids of the observations, in order.
    #[serde(with = "document::hash")]
    pub observations: Vec<Hash>,
    /// The hash of the candidate to be acted on.
    #[serde(with = "document::hash")]
    pub bundle_hash: Hash,
    /// That the warrant is good for one use.
    pub single_use: SingleUse,
}

/// The constant `true` of a warrant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub struct SingleUse;

impl From<SingleUse> for bool {
    fn from(_: SingleUse) -> bool {
        true
    }
}

impl From<bool> for SingleUse {
    /// `false` is refused where the document is compared with what is written.
    fn from(_: bool) -> SingleUse {
        SingleUse
    }
}

/// What the kernel decides in a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// SHA-256 of the canonical form of the rest. Reading does not check it: replay compares it.
    #[serde(with = "document::hash")]
    pub id: Hash,
    /// The constitution's hash.
    #[serde(with = "document::hash")]
    pub constitution: Hash,
    /// The id of the state before the cycle.
    #[serde(with = "document::hash")]
    pub state: Hash,
    /// The number of the cycle, from 1.
    pub cycle: u64,
    /// The ids of the observations, in order.
    #[serde(with = "document::hash")]
    pub observations: Vec<Hash>,
    /// What is decided.
    #[serde(rename = "decision")]
    pub kind: Kind,
    /// Why nothing may be acted on; `None` for an action.
    pub reason: Option<Reason>,
    /// Why the answer gave no candidates, as the harness said.
    pub rejection_reason: Option<Rejection>,
    /// SHA-256 of the raw answer, where there was one.
    #[serde(with = "document::hash")]
    pub raw_llm_hash: Option<Hash>,
    /// What the gates said, by hash of the candidate; empty where the candidates were not judged.
    #[serde(rename = "gates")]
    pub verdicts: Vec<Verdict>,
    /// The warrant of an action.
    pub warrant: Option<Warrant>,
}

/// What the kernel keeps from cycle to cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Cycles decided so far.
    pub cycle: u64,
    /// The last decision's id.
    #[serde(with = "document::hash")]
    pub last_decision: Option<Hash>,
    /// Whether an EXIT was decided; every later decision is one too.
    pub ended: bool,
}

impl State {
    /// SHA-256 of the canonical form.
    #[must_use]
    pub fn id(&self) -> Hash {
        hash_document(self)
    }
}

/// SHA-256 of the canonical form of a document without its member `id`.
fn id_of(document: &impl Serialize) -> Hash {
    let mut value = to_value(document);
    if let Some(members) = value.as_object_mut() {
        members.remove("id");
    }
    hash_document(&value)
}

/// Makes the decision that an outcome is, its warrant, and the next state.
pub(super) fn conclude(
    constitution: &Constitution,
    state: &State,
    observations: &[Observation],
    set: &CandidateSet,
    verdicts: Vec<Verdict>,
    (kind, reason, selected): Outcome,
) -> (Decision, State) {
    let mut decision = Decision {
        id: NO_ID,
        constitution: constitution.hash,
        state: state.id(),
        cycle: state.cycle.saturating_add(1),
        observations: observations.iter().map(Observation::id).collect(),
        kind,
        reason,
        rejection_reason: set.rejection_reason,
        raw_llm_hash: set.raw_llm_hash,
        verdicts,
        warrant: None,
    };
    decision.warrant = selected.map(|bundle_hash| {
        let mut warrant = Warrant {
            id: NO_ID,
            constitution: decision.constitution,
            state: decision.state,
            cycle: decision.cycle,
            observations: decision.observations.clone(),
            bundle_hash,
            single_use: SingleUse,
        };
        warrant.id = id_of(&warrant);
        warrant
    });
    decision.id = id_of(&decision);
    let next = State {
        cycle: decision.cycle,
        last_decision: Some(decision.id),
        ended: state.ended || kind == Kind::Exit,
    };
    (decision, next)
}

/// Stands where an id will be.
const NO_ID: Hash = [0; 32];
