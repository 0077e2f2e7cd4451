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

use crate::encoding::text;
use crate::file::verify::Record;
use crate::rules::RuleSet;

/// The decision on one observation, recorded or hypothetical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// The ids of the policies that were breached, in their order.
    pub breached: Vec<String>,
    /// The transition; `None` where the agent was STOPPED before and made none.
    pub transition: Option<TransitionRecord>,
}

impl Decided {
    fn add_entry(&mut self, entry: &Entry<'_>) {
        match entry.tag {
            Tag::Policy => {
                if let Ok(record) = PolicyRecord::parse(entry.payload)
                    && record.result == PolicyResult::Breach
                {
                    let id = String::from_utf8_lossy(record.policy_id);
                    self.breached.push(id.into_owned());
                }
            }
            Tag::Trans => self.transition = TransitionRecord::parse(entry.payload).ok(),
            Tag::Obs | Tag::State | Tag::Proof => {}
        }
    }

    /// Whether the agent acted without a violation.
    #[must_use]
    pub fn permitted(&self) -> bool {
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
    fn agrees(&self, other: &Decided) -> bool {
        let violation = |decided: &Decided| decided.transition.map(|t| t.violation);
        self.breached == other.breached
            && violation(self) == violation(other)
            && self.health() == other.health()
    }
}

/// Collects what the hypothetical agent commits.
impl LedgerSink for Decided {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        self.add_entry(entry);
        Ok(())
    }
}

/// An observation on which the recorded and the hypothetical decision differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The sequence number of the observation.
    pub ledger_seq: u64,
    /// The id of the oracle.
    pub oracle_id: String,
    /// The decision in the ledger.
    pub recorded: Decided,
    /// The hypothetical decision.
    pub instead: Decided,
}

/// A comparison of a ledger's decisions with those of other rules, record by record.
pub struct WhatIf<'r> {
    rules: &'r RuleSet,
    agent: Agent,
    current: Option<Difference>,
    /// The number of observations that were compared.
    pub compared: u64,
}

impl<'r> WhatIf<'r> {
    /// Begins a comparison with the decisions under `rules`.
    #[must_use]
    pub fn new(rules: &'r RuleSet) -> WhatIf<'r> {
        WhatIf {
            rules,
            agent: Agent::new(),
            current: None,
            compared: 0,
        }
    }

    /// Takes the next good record of the ledger. An observation completes the one before it, which is
    /// returned where the decisions differ.
    pub fn take(&mut self, record: &Record<'_>) -> Option<Difference> {
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
    pub fn finish(&mut self) -> Option<Difference> {
        let current = self.current.take()?;
        self.compared = self.compared.saturating_add(1);
        Some(current).filter(|current| !current.recorded.agrees(&current.instead))
    }

    /// The hypothetical agent's current state.
    #[must_use]
    pub fn health(&self) -> Health {
        self.agent.health
    }

    fn decide(&mut self, view: &ObservationView<'_>) -> Difference {
        let mut instead = Decided::default();
        if self.agent.health != Health::Stopped {
            let mut faults = Faults::NONE;
            let rules = self.rules.rules();
            self.agent.step_on(view, &rules, &mut instead, &mut faults);
        }
        Difference {
            ledger_seq: view.ledger_seq,
            oracle_id: text(view.oracle_id),
            recorded: Decided::default(),
            instead,
        }
    }
}
