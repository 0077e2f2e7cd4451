//! The order of the stages of a step.

use std::cell::RefCell;

use axilog_ablation::AblationError;
use axilog_ablation::answer_source::AnswerSource;
use axilog_ablation::artifact::Artifact;
use axilog_ablation::assistant::Rejection;
use axilog_ablation::compile::{CompileError, Constraints};
use axilog_ablation::environment::Place;
use axilog_ablation::environment::{Environment, IdSet, Situation};
use axilog_ablation::novelty::ConflictHistory;
use axilog_ablation::pipeline::{
    GeneratedAnswer, Harness, PrecedentOutcome, StepOutcome, take_step,
};
use axilog_ablation::prompt::build_base_system_message;
use axilog_ablation::v300_ablation_harness::V300AblationHarness;
use serde_json::json;

use crate::support::{LedgerDir, MODEL, OneActionWorld, script_line};

/// The base harness, with the names of the stages that were called.
struct TracedHarness(V300AblationHarness, RefCell<Vec<&'static str>>);

impl TracedHarness {
    fn trace(&self, stage: &'static str) {
        self.1.borrow_mut().push(stage);
    }
}

impl Harness for TracedHarness {
    fn begin_episode(&mut self, _: &dyn Environment, _: Place) {}

    fn generate_raw(
        &mut self,
        situation: &Situation,
        step: u32,
        answers: &mut dyn AnswerSource,
    ) -> Result<Option<GeneratedAnswer>, AblationError> {
        self.trace("generate_raw");
        self.0.generate_raw(situation, step, answers)
    }

    fn assist(&self, raw: &str, environment: &dyn Environment) -> Result<Artifact, Rejection> {
        self.trace("assist");
        self.0.assist(raw, environment)
    }

    fn compile(
        &self,
        artifact: &Artifact,
        situation: &Situation,
    ) -> Result<Constraints, CompileError> {
        self.trace("compile");
        self.0.compile(artifact, situation)
    }

    fn record_precedent(
        &mut self,
        artifact: &Artifact,
        step: u32,
    ) -> Result<PrecedentOutcome, AblationError> {
        self.trace("record_precedent");
        self.0.record_precedent(artifact, step)
    }

    fn mask(&self, situation: &Situation, constraints: Option<&Constraints>) -> IdSet {
        self.trace("mask");
        self.0.mask(situation, constraints)
    }

    fn select(&self, mask: &IdSet, place: Place) -> String {
        self.trace("select");
        self.0.select(mask, place)
    }

    fn execute(&self, action: &str, environment: &mut dyn Environment) {
        self.trace("execute");
        self.0.execute(action, environment);
    }
}

/// The stages of a step whose answer is `text`, in the order of their calls.
fn trace_step(text: &str) -> Vec<&'static str> {
    let mut world = OneActionWorld::colliding();
    let mut harness = TracedHarness(
        V300AblationHarness::new(MODEL, build_base_system_message(&world)),
        RefCell::default(),
    );
    let ledgers = LedgerDir::new();
    let mut oracle = ledgers.record_script("l", &[script_line(text)]);
    let mut history = ConflictHistory::default();
    let outcome = take_step(
        &mut harness,
        &mut world,
        &mut oracle,
        &mut history,
        Place::default(),
    )
    .unwrap();
    assert!(matches!(outcome, StepOutcome::Completed(_)));
    harness.1.into_inner()
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
    assert_eq!(trace_step(&artifact(&["b"])), all);
    // Does not compile: the violation is not authorized.
    let all_but = |left_out: &[&str]| -> Vec<&str> {
        all.into_iter()
            .filter(|stage| !left_out.contains(stage))
            .collect()
    };
    assert_eq!(trace_step(&artifact(&[])), all_but(&["record_precedent"]));
    assert_eq!(
        trace_step("no object"),
        all_but(&["compile", "record_precedent"])
    );
}
