//! What-if analysis: the decisions that an agent under other rules would have made on a ledger's
//! observations.
//!
//! SRS-004 §13: replay needs no oracle, so it can apply changed policies too. The hypothetical agent gets
//! every recorded observation. From the first difference on its state may differ from the recorded agent's.
//! Determinism: D2.

use axilog::agent::Agent;
use axilog::agent::state::Health;
use axilog::evidence::policy::{PolicyRecord, PolicyResult};
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::fault::Faults;
use axilog::hash::Tag;
use axilog::ledger::{Entry, LedgerSink, SinkFailed};

use crate::encoding::unescape;
use crate::rules::RuleSet;
use crate::verify::VerifiedRecord;

/// The decision on one observation, recorded or hypothetical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionSummary {
    /// The ids of the policies that were breached, in their order.
    pub breached_policies: Vec<String>,
    /// The transition; `None` where the agent was STOPPED before and made none.
    pub transition: Option<TransitionRecord>,
}

impl DecisionSummary {
    fn add_entry(&mut self, entry: &Entry<'_>) {
        match entry.tag {
            Tag::Policy => {
                if let Ok(record) = PolicyRecord::parse(entry.payload)
                    && record.result == PolicyResult::Breach
                {
                    let id = String::from_utf8_lossy(record.policy_id);
                    self.breached_policies.push(id.into_owned());
                }
            }
            Tag::Trans => self.transition = TransitionRecord::parse(entry.payload).ok(),
            Tag::Obs | Tag::State | Tag::Proof => {}
        }
    }

    /// Whether the agent acted without a violation.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        self.transition
            .is_some_and(|transition| transition.violation.is_none())
    }

    /// The agent's state after the decision.
    #[must_use]
    pub fn health(&self) -> Health {
        self.transition
            .map_or(Health::Stopped, |transition| transition.next_state)
    }

    /// Whether two decisions have the same breaches, violation and following state.
    fn agrees(&self, other: &DecisionSummary) -> bool {
        let violation = |decided: &DecisionSummary| decided.transition.map(|t| t.violation);
        self.breached_policies == other.breached_policies
            && violation(self) == violation(other)
            && self.health() == other.health()
    }
}

/// Collects what the hypothetical agent commits.
impl LedgerSink for DecisionSummary {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        self.add_entry(entry);
        Ok(())
    }
}

/// An observation on which the recorded and the hypothetical decision differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionDifference {
    /// The sequence number of the observation.
    pub ledger_seq: u64,
    /// The id of the oracle.
    pub oracle_id: String,
    /// The decision in the ledger.
    pub recorded: DecisionSummary,
    /// The hypothetical decision.
    pub hypothetical: DecisionSummary,
}

/// A comparison of a ledger's decisions with those of other rules, record by record.
pub struct WhatIfComparison<'r> {
    rules: &'r RuleSet,
    agent: Agent,
    current: Option<DecisionDifference>,
    /// The number of observations that were compared.
    pub compared_observations: u64,
}

impl<'r> WhatIfComparison<'r> {
    /// Begins a comparison with the decisions under `rules`.
    #[must_use]
    pub fn new(rules: &'r RuleSet) -> WhatIfComparison<'r> {
        WhatIfComparison {
            rules,
            agent: Agent::new(),
            current: None,
            compared_observations: 0,
        }
    }

    /// Takes the next good record of the ledger. An observation completes the one before it, which is
    /// returned where the decisions differ.
    pub fn take_record(&mut self, record: &VerifiedRecord<'_>) -> Option<DecisionDifference> {
        if let Some(view) = &record.observation {
            let previous = self.finish();
            self.current = Some(self.decide(view));
            return previous;
        }
        if let Some(current) = &mut self.current {
            current.recorded.add_entry(&record.entry);
        }
        None
    }

    /// Completes the last observation and gives it where the decisions differ. Callers leave this out where
    /// the last step of the ledger was interrupted: its recorded decision is not complete.
    pub fn finish(&mut self) -> Option<DecisionDifference> {
        let current = self.current.take()?;
        self.compared_observations = self.compared_observations.saturating_add(1);
        Some(current).filter(|current| !current.recorded.agrees(&current.hypothetical))
    }

    /// The hypothetical agent's current state.
    #[must_use]
    pub fn health(&self) -> Health {
        self.agent.health
    }

    fn decide(&mut self, view: &ObservationView<'_>) -> DecisionDifference {
        let mut instead = DecisionSummary::default();
        if self.agent.health != Health::Stopped {
            let mut faults = Faults::NONE;
            let rules = self.rules.rules();
            self.agent.step_on(view, &rules, &mut instead, &mut faults);
        }
        DecisionDifference {
            ledger_seq: view.ledger_seq,
            oracle_id: unescape(view.oracle_id),
            recorded: DecisionSummary::default(),
            hypothetical: instead,
        }
    }
}
