//! What an agent under other rules would have decided on the same observations.
//!
//! SRS-004 §13: replay needs no oracle, so it can also be asked what a changed policy would have
//! done. The hypothetical agent sees every recorded observation and goes its own way: it may be in
//! another state than the recorded one from the first difference on. Determinism: D2.

use axilog::agent::Agent;
use axilog::agent::state::Health;
use axilog::evidence::policy::{PolicyRecord, PolicyResult};
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::fault::Faults;
use axilog::hash::Tag;
use axilog::ledger::{Entry, LedgerSink, SinkFailed};

use crate::decision::text;
use crate::file::verify::Record;
use crate::rules::RuleSet;

/// What was or would have been decided on one observation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// The policies that breached, by id, in their order.
    pub breached: Vec<String>,
    /// What the agent did; `None` where it was STOPPED before and did nothing.
    pub transition: Option<TransitionRecord>,
}

impl Decided {
    fn take(&mut self, entry: &Entry<'_>) {
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

    /// Whether the agent acted and nothing was violated.
    #[must_use]
    pub fn permitted(&self) -> bool {
        self.transition
            .is_some_and(|transition| transition.violation.is_none())
    }

    /// The agent's state afterwards.
    #[must_use]
    pub fn health(&self) -> Health {
        self.transition
            .map_or(Health::Stopped, |transition| transition.next_state)
    }

    /// Whether both let the same happen: who breached, what was violated, and the state after.
    fn agrees(&self, other: &Decided) -> bool {
        let violation = |decided: &Decided| decided.transition.map(|t| t.violation);
        self.breached == other.breached
            && violation(self) == violation(other)
            && self.health() == other.health()
    }
}

/// Collects the decisions that the hypothetical agent commits.
impl LedgerSink for Decided {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        self.take(entry);
        Ok(())
    }
}

/// An observation on which the rules differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The observation's sequence.
    pub ledger_seq: u64,
    /// Who answered.
    pub oracle_id: String,
    /// What the ledger says.
    pub recorded: Decided,
    /// What would have been decided.
    pub instead: Decided,
}

/// A comparison in progress.
pub struct WhatIf<'r> {
    rules: &'r RuleSet,
    agent: Agent,
    current: Option<Difference>,
    /// Observations compared so far.
    pub compared: u64,
}

impl<'r> WhatIf<'r> {
    /// Compares what a ledger says with what `rules` would have decided.
    #[must_use]
    pub fn new(rules: &'r RuleSet) -> WhatIf<'r> {
        WhatIf {
            rules,
            agent: Agent::new(),
            current: None,
            compared: 0,
        }
    }

    /// Takes the next good record of the ledger. Gives the observation before, once it is complete
    /// and the rules differ on it.
    pub fn take(&mut self, record: &Record<'_>) -> Option<Difference> {
        if let Some(view) = &record.observation {
            let before = self.finish();
            self.current = Some(self.consider(view));
            return before;
        }
        if let Some(current) = &mut self.current {
            current.recorded.take(&record.entry);
        }
        None
    }

    /// The last observation, where the rules differ on it. Not to be asked where the ledger's last
    /// step was interrupted, and nothing is known of what it says.
    pub fn finish(&mut self) -> Option<Difference> {
        let current = self.current.take()?;
        self.compared = self.compared.saturating_add(1);
        Some(current).filter(|current| !current.recorded.agrees(&current.instead))
    }

    /// The hypothetical agent's state now.
    #[must_use]
    pub fn health(&self) -> Health {
        self.agent.health
    }

    fn consider(&mut self, view: &ObservationView<'_>) -> Difference {
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
