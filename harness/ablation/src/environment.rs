//! The world in which an agent acts: what may be done at each step, and what it keeps and breaks.
//!
//! Everything an environment says is a function of the seed, the episode and the actions so far.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::draw::Place;

/// The only length an episode has (Q8): there is no option for it.
pub const STEPS_PER_EPISODE: u32 = 50;

/// Names of constraints, sorted.
pub type Ids = BTreeSet<String>;

/// What an action does to the constraints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Those it satisfies.
    pub satisfies: Ids,
    /// Those it violates.
    pub violates: Ids,
}

/// What an agent is shown before a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// What may be done, and what it would keep and break.
    pub feasible: BTreeMap<String, Effects>,
    /// What is at stake, by name.
    pub resources: BTreeMap<String, Decimal>,
    /// Whatever else there is to see.
    pub observation: Map<String, Value>,
}

impl Situation {
    /// Whether `kept` and `broken` collide here: some feasible action satisfies the one and violates the
    /// other.
    #[must_use]
    pub fn collide(&self, kept: &str, broken: &str) -> bool {
        let mut actions = self.feasible.values();
        actions.any(|action| action.satisfies.contains(kept) && action.violates.contains(broken))
    }

    /// The constraints in conflict: all that some feasible action satisfies while it violates another, or
    /// violates while it satisfies another.
    #[must_use]
    pub fn conflict(&self) -> Ids {
        let colliding = |a: &&Effects| !a.satisfies.is_empty() && !a.violates.is_empty();
        let actions = self.feasible.values().filter(colliding);
        actions
            .flat_map(|action| action.satisfies.union(&action.violates).cloned())
            .collect()
    }
}

/// A world. Two that differ in anything have different ids.
pub trait Environment {
    /// Name and version, like `commitment-trap/1`.
    fn id(&self) -> &str;

    /// What an agent needs to know about it, for the system message; fixed.
    fn brief(&self) -> &str;

    /// Every constraint there is.
    fn constraints(&self) -> &Ids;

    /// Every action there is.
    fn actions(&self) -> &Ids;

    /// How many steps an episode has, at least 3.
    fn steps_per_episode(&self) -> u32 {
        STEPS_PER_EPISODE
    }

    /// Goes to the first step of an episode; the step of `place` is 0.
    fn begin(&mut self, place: Place);

    /// What is so at this step; at least one action is feasible.
    fn situation(&self) -> Situation;

    /// Does what was selected and goes on to the next step.
    fn execute(&mut self, action: &str);
}
