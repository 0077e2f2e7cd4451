//! What comes out of the kernel: a decision, its warrant, and the next state.

use axilog::hash::Hash;
use axilog_ledger::file::hex;
use serde_json::{Value, json};

use super::candidate::{CandidateSet, Rejection};
use super::constitution::Constitution;
use super::gates::{Code, Gate, Refused};
use super::observation::Observation;
use super::{Outcome, hash_of};
use crate::fields::{Fields, FromJson, Wrong, one_of, whole};

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One candidate may be acted on.
    Action,
    /// None may.
    Refuse,
    /// Nothing may be decided any more.
    Exit,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 3] = [Kind::Action, Kind::Refuse, Kind::Exit];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Action => "ACTION",
            Kind::Refuse => "REFUSE",
            Kind::Exit => "EXIT",
        }
    }
}

/// Why nothing may be acted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not exactly one timestamp, or not exactly one budget.
    MissingRequiredObservation,
    /// Evidence or code is not what it was, or was not in an earlier cycle.
    IntegrityRisk,
    /// More tokens than a cycle may have.
    BudgetExhausted,
    /// No candidate passes the gates.
    NoAdmissibleAction,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 4] = [
        Reason::MissingRequiredObservation,
        Reason::IntegrityRisk,
        Reason::BudgetExhausted,
        Reason::NoAdmissibleAction,
    ];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::MissingRequiredObservation => "MISSING_REQUIRED_OBSERVATION",
            Reason::IntegrityRisk => "INTEGRITY_RISK",
            Reason::BudgetExhausted => "BUDGET_EXHAUSTED",
            Reason::NoAdmissibleAction => "NO_ADMISSIBLE_ACTION",
        }
    }
}

/// What the gates said of one candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The candidate's hash.
    pub bundle_hash: Hash,
    /// The first gate it fails; `None` where it is admitted.
    pub refused: Option<Refused>,
}

/// What a decision rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    /// The constitution's hash.
    pub constitution: Hash,
    /// The id of the state before.
    pub state: Hash,
    /// Which cycle it is, from 1.
    pub cycle: u64,
    /// The ids of the observations, in order.
    pub observations: Vec<Hash>,
}

/// Leave to do one thing once: in the cycle of its basis, and in no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warrant {
    /// SHA-256 of the canonical JSON of the rest.
    pub id: Hash,
    /// What it rests on.
    pub basis: Basis,
    /// The candidate to be acted on.
    pub bundle_hash: Hash,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// SHA-256 of the canonical JSON of the rest.
    pub id: Hash,
    /// What it rests on.
    pub basis: Basis,
    /// What.
    pub kind: Kind,
    /// Why not, where there is no action.
    pub reason: Option<Reason>,
    /// Why there were no candidates, as the harness said.
    pub rejection_reason: Option<Rejection>,
    /// SHA-256 of the raw answer, where there was one.
    pub raw_llm_hash: Option<Hash>,
    /// What the gates said, by hash of the candidate; empty where it did not come to that.
    pub verdicts: Vec<Verdict>,
    /// The warrant of an action.
    pub warrant: Option<Warrant>,
}

/// What the kernel keeps from cycle to cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Cycles decided so far.
    pub cycle: u64,
    /// The last decision's id.
    pub last_decision: Option<Hash>,
    /// Whether an EXIT was decided; every later decision is one too.
    pub ended: bool,
}

impl State {
    /// Its fields.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "cycle": self.cycle,
            "ended": self.ended,
            "last_decision": self.last_decision.as_ref().map(hex),
        })
    }

    /// SHA-256 of the canonical JSON of its fields.
    #[must_use]
    pub fn id(&self) -> Hash {
        hash_of(&self.to_json())
    }
}

impl Decision {
    /// Its fields, its id among them.
    #[must_use]
    pub fn to_json(&self) -> Value {
        with_id(self.without_id(), self.id)
    }

    fn without_id(&self) -> Value {
        let verdicts: Vec<Value> = self.verdicts.iter().map(|v| v.to_json()).collect();
        json!({
            "constitution": hex(&self.basis.constitution),
            "state": hex(&self.basis.state),
            "cycle": self.basis.cycle,
            "observations": hexes(&self.basis.observations),
            "decision": self.kind.as_str(),
            "reason": self.reason.map(Reason::as_str),
            "rejection_reason": self.rejection_reason.map(Rejection::as_str),
            "raw_llm_hash": self.raw_llm_hash.as_ref().map(hex),
            "gates": verdicts,
            "warrant": self.warrant.as_ref().map(Warrant::to_json),
        })
    }
}

impl Warrant {
    /// Its fields, its id among them.
    #[must_use]
    pub fn to_json(&self) -> Value {
        with_id(self.without_id(), self.id)
    }

    fn without_id(&self) -> Value {
        json!({
            "constitution": hex(&self.basis.constitution),
            "state": hex(&self.basis.state),
            "cycle": self.basis.cycle,
            "observations": hexes(&self.basis.observations),
            "bundle_hash": hex(&self.bundle_hash),
            "single_use": true,
        })
    }
}

fn hexes(hashes: &[Hash]) -> Vec<String> {
    hashes.iter().map(hex).collect()
}

fn with_id(mut fields: Value, id: Hash) -> Value {
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("id".to_owned(), hex(&id).into());
    }
    fields
}

impl Verdict {
    fn to_json(self) -> Value {
        json!({
            "bundle_hash": hex(&self.bundle_hash),
            "admitted": self.refused.is_none(),
            "gate": self.refused.map(|refused| refused.gate.as_str()),
            "code": self.refused.map(|refused| refused.code.as_str()),
        })
    }
}

/// Puts an outcome into words that have ids.
pub(super) fn conclude(
    constitution: &Constitution,
    state: &State,
    observations: &[Observation],
    set: &CandidateSet,
    verdicts: Vec<Verdict>,
    (kind, reason, selected): Outcome,
) -> (Decision, State) {
    let basis = Basis {
        constitution: constitution.hash,
        state: state.id(),
        cycle: state.cycle.saturating_add(1),
        observations: observations.iter().map(Observation::id).collect(),
    };
    let warrant = selected.map(|bundle_hash| {
        let mut warrant = Warrant {
            id: NONE,
            basis: basis.clone(),
            bundle_hash,
        };
        warrant.id = hash_of(&warrant.without_id());
        warrant
    });
    let mut decision = Decision {
        id: NONE,
        basis,
        kind,
        reason,
        rejection_reason: set.rejection_reason,
        raw_llm_hash: set.raw_llm_hash,
        verdicts,
        warrant,
    };
    decision.id = hash_of(&decision.without_id());
    let next = State {
        cycle: decision.basis.cycle,
        last_decision: Some(decision.id),
        ended: state.ended || kind == Kind::Exit,
    };
    (decision, next)
}

/// Stands where an id will be.
const NONE: Hash = [0; 32];

impl FromJson for Kind {
    fn from_json(value: &Value) -> Result<Kind, Wrong> {
        one_of(value, &Kind::ALL, Kind::as_str)
    }
}

impl FromJson for Reason {
    fn from_json(value: &Value) -> Result<Reason, Wrong> {
        one_of(value, &Reason::ALL, Reason::as_str)
    }
}

/// The basis, whose fields stand among others.
fn basis(fields: &mut Fields<'_>) -> Result<Basis, Wrong> {
    Ok(Basis {
        constitution: fields.take("constitution")?,
        state: fields.take("state")?,
        cycle: fields.take("cycle")?,
        observations: fields.take("observations")?,
    })
}

impl FromJson for State {
    /// Of what [`State::to_json`] gives, and of nothing else.
    fn from_json(value: &Value) -> Result<State, Wrong> {
        whole(value, |fields| {
            Ok(State {
                cycle: fields.take("cycle")?,
                last_decision: fields.take("last_decision")?,
                ended: fields.take("ended")?,
            })
        })
    }
}

impl FromJson for Decision {
    /// Of what [`Decision::to_json`] gives, and of nothing else. Whether the ids are those of the
    /// rest is not looked at: replay compares them.
    fn from_json(value: &Value) -> Result<Decision, Wrong> {
        whole(value, |fields| {
            Ok(Decision {
                id: fields.take("id")?,
                basis: basis(fields)?,
                kind: fields.take("decision")?,
                reason: fields.take("reason")?,
                rejection_reason: fields.take("rejection_reason")?,
                raw_llm_hash: fields.take("raw_llm_hash")?,
                verdicts: fields.take("gates")?,
                warrant: fields.take("warrant")?,
            })
        })
    }
}

impl FromJson for Warrant {
    /// Of what [`Warrant::to_json`] gives, and of nothing else.
    fn from_json(value: &Value) -> Result<Warrant, Wrong> {
        whole(value, |fields| {
            let single_use = fields.value("single_use")?;
            if single_use != &Value::Bool(true) {
                return Err(Wrong::new(single_use, "true").within("single_use"));
            }
            Ok(Warrant {
                id: fields.take("id")?,
                basis: basis(fields)?,
                bundle_hash: fields.take("bundle_hash")?,
            })
        })
    }
}

impl FromJson for Verdict {
    fn from_json(value: &Value) -> Result<Verdict, Wrong> {
        whole(value, |fields| {
            let (gate, code): (Option<Gate>, Option<Code>) =
                (fields.take("gate")?, fields.take("code")?);
            let refused = match (gate, code) {
                (Some(gate), Some(code)) => Some(Refused { gate, code }),
                (None, None) => None,
                _ => {
                    let expected = "a gate and a code, or null for both";
                    return Err(Wrong::new(value, expected));
                }
            };
            let admitted = fields.value("admitted")?;
            if admitted != &Value::Bool(refused.is_none()) {
                let expected = refused.is_none().to_string();
                return Err(Wrong::new(admitted, expected).within("admitted"));
            }
            Ok(Verdict {
                bundle_hash: fields.take("bundle_hash")?,
                refused,
            })
        })
    }
}
