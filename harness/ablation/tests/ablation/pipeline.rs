//! The order of a step.

use std::cell::RefCell;

use axilog_ablation::answers::Answers;
use axilog_ablation::artifact::{Artifact, Rejection};
use axilog_ablation::base::V300Harness;
use axilog_ablation::compile::{CompileError, Constraints};
use axilog_ablation::draw::Place;
use axilog_ablation::environment::{Environment, Ids, Situation};
use axilog_ablation::invalid::Stop;
use axilog_ablation::novelty::History;
use axilog_ablation::pipeline::{Generated, Recorded, Stages, Stepped, step};
use axilog_ablation::prompt::base_system;
use serde_json::json;

use crate::lab::{Lab, MODEL, World, answer};

/// The base harness, each stage noted.
struct Noted(V300Harness, RefCell<Vec<&'static str>>);

impl Noted {
    fn note(&self, stage: &'static str) {
        self.1.borrow_mut().push(stage);
    }
}

impl Stages for Noted {
    fn begin_episode(&mut self) {}

    fn generate_raw(
        &mut self,
        situation: &Situation,
        step: u32,
        answers: &mut dyn Answers,
    ) -> Result<Option<Generated>, Stop> {
        self.note("generate_raw");
        self.0.generate_raw(situation, step, answers)
    }

    fn assist(&self, raw: &str, environment: &dyn Environment) -> Result<Artifact, Rejection> {
        self.note("assist");
        self.0.assist(raw, environment)
    }

    fn compile(
        &self,
        artifact: &Artifact,
        situation: &Situation,
    ) -> Result<Constraints, CompileError> {
        self.note("compile");
        self.0.compile(artifact, situation)
    }

    fn record_precedent(&mut self, artifact: &Artifact, step: u32) -> Result<Recorded, Stop> {
        self.note("record_precedent");
        self.0.record_precedent(artifact, step)
    }

    fn mask(&self, situation: &Situation, constraints: Option<&Constraints>) -> Ids {
        self.note("mask");
        self.0.mask(situation, constraints)
    }

    fn select(&self, mask: &Ids, place: Place) -> String {
        self.note("select");
        self.0.select(mask, place)
    }

    fn execute(&self, action: &str, environment: &mut dyn Environment) {
        self.note("execute");
        self.0.execute(action, environment);
    }
}

fn order(said: &str) -> Vec<&'static str> {
    let mut world = World::colliding();
    let mut noted = Noted(
        V300Harness::new(MODEL, base_system(&world)),
        RefCell::default(),
    );
    let lab = Lab::new();
    let mut live = lab.script("l", &[answer(said)]);
    let mut history = History::default();
    let done = step(
        &mut noted,
        &mut world,
        &mut live,
        &mut history,
        Place::default(),
    )
    .unwrap();
    assert!(matches!(done, Stepped::Done(_)));
    noted.1.into_inner()
}

#[test]
fn stages_come_in_the_binding_order_and_a_precedent_only_after_a_compilation() {
    let artifact = |authorized: &[&str]| {
        json!({
            "action": "go",
            "authorized_violations": authorized,
            "required_preservations": ["a"],
            "conflict_attribution": [],
            "predicted_effects": { "satisfies": ["a"], "violates": ["b"] },
        })
        .to_string()
    };
    let all = [
        "generate_raw",
        "assist",
        "compile",
        "record_precedent",
        "mask",
        "select",
        "execute",
    ];
    assert_eq!(order(&artifact(&["b"])), all);
    // Does not compile: the violation is not authorized.
    let without = |left_out: &[&str]| -> Vec<&str> {
        all.into_iter()
            .filter(|stage| !left_out.contains(stage))
            .collect()
    };
    assert_eq!(order(&artifact(&[])), without(&["record_precedent"]));
    assert_eq!(
        order("no object"),
        without(&["compile", "record_precedent"])
    );
}
