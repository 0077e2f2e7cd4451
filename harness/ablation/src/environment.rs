//! The world in which an agent acts: what may be done at each step, and what it keeps and breaks.
//!
//! Everything an environment shows is a function of the seed, the episode and the actions so far.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::decimal::Decimal;

/// The only length an episode has (Q8): there is no option for it.
pub const STEPS_PER_EPISODE: u32 = 50;

/// Ids of constraints or of actions, sorted.
pub type IdSet = BTreeSet<String>;

/// A place in a run. Steps and episodes count from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The seed of the environment.
    pub seed: u64,
    /// The episode under that seed.
    pub episode: u32,
    /// The step in that episode.
    pub step: u32,
}

/// The constraints that an action satisfies and violates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effects {
    /// The constraints that the action satisfies.
    pub satisfies: IdSet,
    /// The constraints that the action violates.
    pub violates: IdSet,
}

/// Amounts of resources, by the resource's name.
pub type Amounts = BTreeMap<String, Decimal>;

/// What there is before a step. An agent is shown all of it but the demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The actions that may be done, and what each would keep and break.
    pub feasible: BTreeMap<String, Effects>,
    /// What is in store of each resource.
    pub resources: Amounts,
    /// What each feasible action would take out of store, as the environment declares it. An action that
    /// takes nothing may be left out.
    pub demands: BTreeMap<String, Amounts>,
    /// Whatever else there is to see.
    pub observation: Map<String, Value>,
}

impl Situation {
    /// Whether some feasible action satisfies `kept` and violates `broken`.
    #[must_use]
    pub fn has_collision(&self, kept: &str, broken: &str) -> bool {
        let mut actions = self.feasible.values();
        actions.any(|action| action.satisfies.contains(kept) && action.violates.contains(broken))
    }

    /// The constraints in conflict: all that some feasible action satisfies while it violates another, or
    /// violates while it satisfies another.
    #[must_use]
    pub fn conflicting_constraints(&self) -> IdSet {
        self.colliding_actions()
            .flat_map(|(_, effects)| effects.satisfies.union(&effects.violates).cloned())
            .collect()
    }

    /// The resources at stake in the conflict (Q6): for each resource that some colliding action would take,
    /// the most that one of them would. Any of them may be done, so this is what the conflict may cost;
    /// what is in store, and what other actions would take, is no part of it.
    #[must_use]
    pub fn resources_at_stake(&self) -> Amounts {
        let mut at_stake = Amounts::new();
        let demands = self
            .colliding_actions()
            .filter_map(|(action, _)| self.demands.get(action));
        for (resource, amount) in demands.flatten() {
            if *amount > Decimal::default() {
                let most = at_stake.entry(resource.clone()).or_default();
                *most = (*most).max(*amount);
            }
        }
        at_stake
    }

    /// The feasible actions that satisfy a constraint while they violate another.
    fn colliding_actions(&self) -> impl Iterator<Item = (&String, &Effects)> {
        let collides = |a: &Effects| !a.satisfies.is_empty() && !a.violates.is_empty();
        let actions = self.feasible.iter();
        actions.filter(move |(_, effects)| collides(effects))
    }
}

/// A world in which episodes are run. Two worlds that differ in anything have different ids.
pub trait Environment {
    /// The environment's name and version, like `commitment-trap/1`.
    fn id(&self) -> &str;

    /// SHA-256, in hexadecimal, of the file that describes the environment; `None` where its id alone says which one it is.
    fn file_hash(&self) -> Option<&str> {
        None
    }

    /// The fixed text of the system message that explains the environment to an agent.
    fn briefing(&self) -> &str;

    /// The ids of every constraint.
    fn constraints(&self) -> &IdSet;

    /// The ids of every action.
    fn actions(&self) -> &IdSet;

    /// How many steps an episode has, at least 3.
    fn steps_per_episode(&self) -> u32 {
        STEPS_PER_EPISODE
    }

    /// Goes to the first step of an episode; the step of `place` is 0.
    fn begin_episode(&mut self, place: Place);

    /// The situation at the current step; at least one action is feasible.
    fn situation(&self) -> Situation;

    /// Does the selected action and goes on to the next step.
    fn execute(&mut self, action: &str);
}
