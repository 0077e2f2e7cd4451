//! Facts told and retracted in random order, against a model that knows nothing of how the memory does it: the working
//! sets are those of a memory in which what was retracted was never told.

use axilog_memory::{EntryKind, FactOrder, Handle, MemoryStore, OutputClass, retraction_body};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::hidden_facts::{masked, sentence};
use crate::selection::{build, tagged, text_fact};
use crate::test_memory::{TestMemory, query};

#[derive(Clone, Debug)]
enum Step {
    /// Tells a fact with these words, for one of the audiences.
    Tell(String, u8),
    /// Retracts one of the facts, whichever it is and whether that may be or not.
    Retract(usize),
    /// Tells one of the facts again.
    TellAgain(usize),
    /// Goes on with one of two campaigns.
    Play(bool),
    /// Begins or ends the scene.
    TurnScene,
    Rebuild,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (sentence(), 0..4_u8).prop_map(|(text, mask)| Step::Tell(text, mask)),
        4 => (0..30_usize).prop_map(Step::Retract),
        1 => (0..30_usize).prop_map(Step::TellAgain),
        1 => any::<bool>().prop_map(Step::Play),
        1 => Just(Step::TurnScene),
        1 => Just(Step::Rebuild),
        1 => Just(Step::Reopen),
    ]
}

/// A fact as the model knows it.
struct ModelFact {
    body: Value,
    id: Handle,
    campaign: &'static str,
    is_retracted: bool,
}

#[derive(Default)]
struct Model {
    facts: Vec<ModelFact>,
    plays_second: bool,
    has_scene: bool,
    /// What the memory without the facts that were retracted is made of.
    entries: Vec<(EntryKind, Value, Option<usize>)>,
}

impl Model {
    fn campaign(&self) -> &'static str {
        if self.plays_second { "c2" } else { "c1" }
    }

    /// Takes a step in the memory and in the model, which says whether the memory must accept it.
    fn take(&mut self, memory: &mut TestMemory, step: &Step) {
        match step {
            Step::Tell(text, mask) => {
                let mask = match mask {
                    0 => json!("DM_ONLY"),
                    1 => json!({ "PLAYER": ["ana", "ben"] }),
                    2 => json!({ "PLAYER": ["ana"] }),
                    _ => json!("PUBLIC"),
                };
                let number = self.facts.len();
                let fact = masked(text_fact(&format!("k{}-{number}", number % 3), text), mask);
                let fact = match number % 3 {
                    0 => tagged(fact, &["north", "cellar"]),
                    _ => fact,
                };
                let (id, _) = memory.append_fact(fact.clone());
                let at = Some(number);
                self.entries.push((EntryKind::Fact, fact.clone(), at));
                self.facts.push(ModelFact {
                    body: fact,
                    id,
                    campaign: self.campaign(),
                    is_retracted: false,
                });
            }
            Step::Retract(number) => {
                let campaign = self.campaign();
                let Some(fact) = self.facts.get_mut(*number) else {
                    return;
                };
                let body = retraction_body(fact.id, "It was never so.", "ana", &[]).unwrap();
                if fact.is_retracted || fact.campaign != campaign {
                    memory.append_refused(EntryKind::Retraction, body);
                } else {
                    memory.append(EntryKind::Retraction, body);
                    fact.is_retracted = true;
                }
            }
            Step::TellAgain(number) => {
                let Some(fact) = self.facts.get(*number) else {
                    return;
                };
                if fact.is_retracted {
                    memory.append_refused(EntryKind::Fact, fact.body.clone());
                } else {
                    assert!(!memory.append(EntryKind::Fact, fact.body.clone()).is_new);
                }
            }
            Step::Play(is_second) => {
                self.plays_second = *is_second;
                let body = json!({ "campaign_id": self.campaign(), "threads": ["north"] });
                memory.append(EntryKind::State, body.clone());
                self.entries.push((EntryKind::State, body, None));
            }
            Step::TurnScene => {
                let kind = match self.has_scene {
                    true => EntryKind::SceneEnd,
                    false => EntryKind::SceneStart,
                };
                self.has_scene = !self.has_scene;
                let body = json!({ "scene_id": "cellar" });
                memory.append(kind, body.clone());
                self.entries.push((kind, body, None));
            }
            Step::Rebuild => drop(memory.store.rebuild().unwrap()),
            Step::Reopen => memory.store = MemoryStore::open(&memory.path).unwrap(),
        }
    }

    /// A memory in which what was retracted was never told.
    fn build_without(self) -> TestMemory {
        let mut memory = TestMemory::new();
        let is_told = |at: &Option<usize>| at.is_none_or(|at| !self.facts[at].is_retracted);
        let entries = self.entries.iter().filter(|(_, _, at)| is_told(at));
        let entries = entries.map(|(kind, body, _)| (*kind, body.clone()));
        memory.store.append_all(entries).unwrap();
        memory
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_retracted_fact_leaves_the_bytes_of_one_that_was_never_told(
        steps in prop::collection::vec(step(), 5..40),
        search in sentence(),
    ) {
        let (mut memory, mut model) = (TestMemory::new(), Model::default());
        for step in &steps {
            model.take(&mut memory, step);
        }
        let without = model.build_without();
        // One in which not all fits too.
        for (class, budget) in [(OutputClass::WorkingSet, 3400), (OutputClass::Pvib, 8000)] {
            for viewers in [&[][..], &["ana"], &["ana", "ben"]] {
                for order in FactOrder::ALL {
                    let mut asked = query(class, viewers, budget);
                    asked.order = order;
                    asked.search = Some(search.clone());
                    let (found, expected) = (build(&memory, &asked), build(&without, &asked));
                    prop_assert_eq!(found.text(), expected.text());
                }
            }
        }
    }
}
