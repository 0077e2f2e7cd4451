//! The decision of the kernel, its warrant, and the next state.

use axilog::hash::Hash;
use serde::{Deserialize, Serialize};

use super::Ruling;
use super::candidate::{CandidateSet, RejectionReason};
use super::constitution::Constitution;
use super::gates::{FailureCode, GateFailure, KernelGate};
use super::observation::KernelObservation;
use crate::document::{self, hash_document, named_enum, to_value};

named_enum! {
    /// The kind of a decision.
    pub enum DecisionKind {
        /// One candidate may be acted on.
        Action = "ACTION",
        /// No candidate may be acted on.
        Refuse = "REFUSE",
        /// The session ends: no later cycle can have an action.
        Exit = "EXIT",
    }
}

named_enum! {
    /// Why nothing may be acted on.
    pub enum DecisionReason {
        /// Not exactly one timestamp, or not exactly one budget.
        MissingRequiredObservation = "MISSING_REQUIRED_OBSERVATION",
        /// The host reports a loss of integrity, in this cycle or an earlier one.
        IntegrityRisk = "INTEGRITY_RISK",
        /// The cycle cost more tokens than the constitution allows.
        BudgetExhausted = "BUDGET_EXHAUSTED",
        /// No candidate passes the gates.
        NoAdmissibleAction = "NO_ADMISSIBLE_ACTION",
    }
}

/// The verdict of the gates on one candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "VerdictDocument", into = "VerdictDocument")]
pub struct CandidateVerdict {
    /// The candidate's hash.
    pub bundle_hash: Hash,
    /// The first gate that the candidate fails; `None` where it is admitted.
    pub failure: Option<GateFailure>,
}

/// [`CandidateVerdict`] as documents have it.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Verdict", deny_unknown_fields)]
struct VerdictDocument {
    #[serde(with = "document::hash")]
    bundle_hash: Hash,
    admitted: bool,
    gate: Option<KernelGate>,
    code: Option<FailureCode>,
}

impl From<CandidateVerdict> for VerdictDocument {
    fn from(verdict: CandidateVerdict) -> VerdictDocument {
        VerdictDocument {
            bundle_hash: verdict.bundle_hash,
            admitted: verdict.failure.is_none(),
            gate: verdict.failure.map(|failure| failure.gate),
            code: verdict.failure.map(|failure| failure.code),
        }
    }
}

impl From<VerdictDocument> for CandidateVerdict {
    /// A contradiction in the document is found where it is compared with what would be written.
    fn from(document: VerdictDocument) -> CandidateVerdict {
        let failure = document.gate.zip(document.code);
        CandidateVerdict {
            bundle_hash: document.bundle_hash,
            failure: failure.map(|(gate, code)| GateFailure { gate, code }),
        }
    }
}

/// The permission to carry out one action once: in the cycle that the warrant names, and in no other.
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
    /// The statement that the warrant is good for one use.
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
    /// Takes any value: `false` is found where the document is compared with what would be written.
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
    /// The kind of the decision.
    #[serde(rename = "decision")]
    pub kind: DecisionKind,
    /// Why nothing may be acted on; `None` for an action.
    pub reason: Option<DecisionReason>,
    /// Why the answer gave no candidates, as the harness said.
    pub rejection_reason: Option<RejectionReason>,
    /// SHA-256 of the raw answer, where there was one.
    #[serde(with = "document::hash")]
    pub raw_llm_hash: Option<Hash>,
    /// The verdicts on the candidates, ordered by hash; empty where the candidates were not judged.
    #[serde(rename = "gates")]
    pub verdicts: Vec<CandidateVerdict>,
    /// The warrant; `None` without an action.
    pub warrant: Option<Warrant>,
}

/// The state of the kernel between two cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelState {
    /// The number of cycles decided so far.
    pub cycle: u64,
    /// The last decision's id.
    #[serde(with = "document::hash")]
    pub last_decision: Option<Hash>,
    /// Whether an EXIT was decided; every later decision is one too.
    pub ended: bool,
}

impl KernelState {
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

/// Builds the decision that records a ruling, its warrant, and the next state.
pub(super) fn build_decision(
    constitution: &Constitution,
    state: &KernelState,
    observations: &[KernelObservation],
    set: &CandidateSet,
    verdicts: Vec<CandidateVerdict>,
    (kind, reason, selected): Ruling,
) -> (Decision, KernelState) {
    let mut decision = Decision {
        id: NO_ID,
        constitution: constitution.hash,
        state: state.id(),
        cycle: state.cycle.saturating_add(1),
        observations: observations.iter().map(KernelObservation::id).collect(),
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
    let next = KernelState {
        cycle: decision.cycle,
        last_decision: Some(decision.id),
        ended: state.ended || kind == DecisionKind::Exit,
    };
    (decision, next)
}

/// The placeholder of an id that is not computed yet.
const NO_ID: Hash = [0; 32];
