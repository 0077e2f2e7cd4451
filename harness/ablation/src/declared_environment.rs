//! The environment that a file describes: states in which some actions are feasible, each of which keeps and breaks
//! constraints.
//!
//! Which state a step is in, which actions are feasible and which constraint is pressing depends on seed, episode and step
//! alone, so that every variant of a run meets the same steps; what is in store depends on what was done. Determinism: D1.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use serde_json::{Map, Value};

use super::decimal::Decimal;
use super::draw::{ALWAYS, NOTICE, OTHER, PRESSING, STATE, draw_below, draw_one};
use super::environment::{Amounts, Effects, Environment, IdSet, Place, Situation};
use super::environment_checks::check_environment;
use super::environment_file::{ActionTable, EnvironmentFile, ResourceTable, SeedLists};

/// An environment that a file describes, at a place in it.
#[derive(Clone, Debug)]
pub struct DeclaredEnvironment {
    world: Arc<World>,
    /// SHA-256 of the file; `None` where the id alone says which environment it is.
    file_hash: Option<String>,
    place: Place,
    /// What is in store of each resource, in thousandths, in the order of the file.
    stores: Vec<i64>,
}

/// What the file says.
#[derive(Debug)]
struct World {
    id: String,
    briefing: String,
    constraints: IdSet,
    actions: BTreeMap<String, Arc<DeclaredAction>>,
    action_ids: IdSet,
    states: Vec<DeclaredState>,
    resources: Vec<ResourceTable>,
    seeds: SeedLists,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct DeclaredAction {
    name: String,
    effects: Effects,
    /// What it takes of each resource, in thousandths, in the order of the file.
    takes: Vec<i64>,
}

#[derive(Debug)]
struct DeclaredState {
    name: String,
    weight: u64,
    always: Option<String>,
    actions: Vec<Arc<DeclaredAction>>,
    notices: Vec<String>,
}

impl DeclaredState {
    /// Whether the actions of the state keep and break something.
    fn collides(&self) -> bool {
        let mut actions = self.actions.iter();
        actions.any(|action| !action.effects.satisfies.is_empty())
    }
}

impl DeclaredEnvironment {
    /// Reads the file whose bytes these are. The text of the error says where it is wrong, what was found and what was
    /// expected.
    ///
    /// # Errors
    /// The first part of the file that is not as it must be.
    pub fn parse(bytes: &[u8]) -> Result<DeclaredEnvironment, String> {
        let file = EnvironmentFile::parse(bytes)?;
        check_environment(&file)?;
        let actions: BTreeMap<String, Arc<DeclaredAction>> = file
            .action
            .iter()
            .map(|table| {
                let action = declare_action(table, &file.resource);
                (table.name.clone(), Arc::new(action))
            })
            .collect();
        let states = file.state.into_iter().map(|state| DeclaredState {
            name: state.name,
            weight: state.weight,
            always: state.always,
            actions: state
                .actions
                .iter()
                .filter_map(|name| actions.get(name).cloned())
                .collect(),
            notices: match state.notices.is_empty() {
                true => file.notices.clone(),
                false => state.notices,
            },
        });
        Ok(DeclaredEnvironment {
            file_hash: Some(hex(&sha256(bytes))),
            place: Place::default(),
            stores: vec![0; file.resource.len()],
            world: Arc::new(World {
                id: file.id,
                briefing: file.briefing,
                constraints: file.constraints.into_iter().collect(),
                states: states.collect(),
                action_ids: actions.keys().cloned().collect(),
                actions,
                resources: file.resource,
                seeds: file.seeds,
                bytes: bytes.to_vec(),
            }),
        })
    }

    /// The same environment, known by its id alone.
    pub(crate) fn known_by_id(self) -> DeclaredEnvironment {
        DeclaredEnvironment {
            file_hash: None,
            ..self
        }
    }

    /// The seeds of runs and calibrations whose command names none.
    #[must_use]
    pub fn seeds(&self) -> &SeedLists {
        &self.world.seeds
    }

    /// The bytes of the file.
    #[must_use]
    pub fn file_bytes(&self) -> &[u8] {
        &self.world.bytes
    }

    /// The names of the states, each with its weight and whether its actions keep and break something, in the order of the
    /// file.
    pub fn states(&self) -> impl Iterator<Item = (&str, u64, bool)> {
        let states = self.world.states.iter();
        states.map(|state| (state.name.as_str(), state.weight, state.collides()))
    }

    /// What each action keeps and breaks, by its name.
    pub fn effects(&self) -> impl Iterator<Item = (&str, &Effects)> {
        let actions = self.world.actions.values();
        actions.map(|action| (action.name.as_str(), &action.effects))
    }

    /// The names of the resources, in the order of the file.
    pub fn resources(&self) -> impl Iterator<Item = &str> {
        self.world.resources.iter().map(|it| it.name.as_str())
    }

    /// The state of the current step.
    fn state(&self) -> Option<&DeclaredState> {
        let states = &self.world.states;
        let drawn = draw_below(states.iter().map(|it| it.weight).sum(), self.place, STATE);
        let mut passed = 0;
        states.iter().find(|state| {
            passed += state.weight;
            drawn < passed
        })
    }

    /// The actions that may be done at the current step, which is in `state`.
    fn list_feasible<'a>(&self, state: &'a DeclaredState) -> Vec<&'a DeclaredAction> {
        let actions = || state.actions.iter().map(|action| &**action);
        let Some(always) = &state.always else {
            return actions().collect();
        };
        // An action that keeps what can always be kept and one that keeps something else are feasible at every step.
        let draw_action = |keeps_always: bool, purpose| {
            let drawn_from: Vec<&DeclaredAction> = actions()
                .filter(|action| action.effects.satisfies.contains(always) == keeps_always)
                .collect();
            draw_one(drawn_from.into_iter(), self.place, purpose).map(|action| &action.name)
        };
        let certain = [draw_action(true, ALWAYS), draw_action(false, OTHER)];
        let is_feasible = |action: &&DeclaredAction| {
            certain.contains(&Some(&action.name)) || draw_below(2, self.place, &action.name) == 0
        };
        actions().filter(is_feasible).collect()
    }

    /// Names amounts of the resources, given in thousandths in their order.
    fn name_amounts(&self, thousandths: &[i64]) -> Amounts {
        let amounts = self.resources().zip(thousandths);
        amounts
            .map(|(name, count)| {
                let amount = Decimal::from_millionths(count.saturating_mul(1000));
                (name.to_owned(), amount)
            })
            .collect()
    }
}

fn declare_action(table: &ActionTable, resources: &[ResourceTable]) -> DeclaredAction {
    let takes = resources.iter().map(|resource| {
        let taken = table.takes.get(&resource.name);
        taken.copied().unwrap_or_default().count()
    });
    DeclaredAction {
        name: table.name.clone(),
        effects: Effects {
            satisfies: table.satisfies.iter().cloned().collect(),
            violates: table.violates.iter().cloned().collect(),
        },
        takes: takes.collect(),
    }
}

impl Environment for DeclaredEnvironment {
    fn id(&self) -> &str {
        &self.world.id
    }

    fn file_hash(&self) -> Option<&str> {
        self.file_hash.as_deref()
    }

    fn briefing(&self) -> &str {
        &self.world.briefing
    }

    fn constraints(&self) -> &IdSet {
        &self.world.constraints
    }

    fn actions(&self) -> &IdSet {
        &self.world.action_ids
    }

    fn begin_episode(&mut self, place: Place) {
        let place = Place { step: 0, ..place };
        let draw = |resource: &ResourceTable| {
            let (least, below) = (resource.least.count(), resource.below.count());
            let span = u64::try_from(below - least).unwrap_or(0);
            let drawn = draw_below(span, place, &resource.name);
            least + i64::try_from(drawn).unwrap_or(0)
        };
        self.stores = self.world.resources.iter().map(draw).collect();
        self.place = place;
    }

    fn situation(&self) -> Situation {
        let state = self.state();
        let actions = state.map_or_else(Vec::new, |state| self.list_feasible(state));
        let feasible: BTreeMap<String, Effects> = actions
            .iter()
            .map(|action| (action.name.clone(), action.effects.clone()))
            .collect();
        let demands = actions
            .iter()
            .map(|action| (action.name.clone(), self.name_amounts(&action.takes)));
        let kept: BTreeSet<&String> = feasible.values().flat_map(|e| &e.satisfies).collect();
        let pressing = draw_one(kept.into_iter(), self.place, PRESSING);
        let notices = state.map_or(&[][..], |state| &state.notices);
        let notice = draw_one(notices.iter(), self.place, NOTICE);
        let text = |text: Option<&String>| text.map_or(Value::Null, |text| text.as_str().into());
        let observation = Map::from_iter([
            ("notice".to_owned(), text(notice)),
            ("pressing".to_owned(), text(pressing)),
        ]);
        Situation {
            demands: demands.collect(),
            feasible,
            resources: self.name_amounts(&self.stores),
            observation,
        }
    }

    fn execute(&mut self, action: &str) {
        if let Some(done) = self.world.actions.get(action) {
            let changes = self.world.resources.iter().zip(&done.takes);
            for (store, (resource, taken)) in self.stores.iter_mut().zip(changes) {
                *store += resource.gain.count() - taken;
            }
        }
        self.place.step += 1;
    }
}
