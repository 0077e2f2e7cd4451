//! The base harness stays as it is, bit for bit.

use axilog::hash::sha256;
use axilog_ablation::agents::Agent;
use axilog_ablation::document::document;
use axilog_ablation::environment::Environment;
use axilog_ablation::experiment::{execute, header};
use axilog_ablation::run::{Run, Status};
use axilog_ablation::trap::CommitmentTrap;
use axilog_ablation::v310::Variant;
use axilog_ledger::file::hex;
use serde_json::Value;

use crate::lab::{Lab, held, plan, run_plan, tiktoken};

/// SHA-256 of the document of the base run below. It changes only when the base harness does, and then
/// it is no longer v3.0.
const FROZEN: &str = "e93600bd46a52dc808699eb26d99c7d2997e5ab82661554fec8c3a0a63c0e012";

fn base() -> (Run, String) {
    let lab = Lab::new();
    let mut world = CommitmentTrap::default();
    let plan = plan(Variant::V300, &[42, 123, 456], 1);
    let header = header(
        &plan,
        &world,
        "agent:indifferent",
        "agent:indifferent",
        None,
    );
    let mut live = lab.agent("l", Agent::Indifferent);
    let run = execute(&header, &mut world, None, &mut live, &mut |_| true).unwrap();
    let text = document(&header, &run);
    (run, text)
}

#[test]
fn the_document_of_the_base_run_is_frozen() {
    let (run, text) = base();
    assert_eq!(run.status, Status::Valid);
    assert_eq!(hex(&sha256(text.as_bytes())), FROZEN);
    assert_eq!(base().1, text);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["header"]["held"], Value::Null);
    assert_eq!(value["result"]["written"], 0);
    assert_eq!(
        value["seeds"][2]["episodes"][0]["steps"]
            .as_array()
            .unwrap()
            .len(),
        50
    );
}

/// Wrapped, it does the same where the memory does not matter.
#[test]
fn what_wraps_it_changes_no_choice_of_an_indifferent_agent() {
    let (base, _) = base();
    let lab = Lab::new();
    let mut world = CommitmentTrap::default();
    let frame = held(&world, tiktoken("o200k_base"));
    let actions = |run: &Run| -> Vec<String> {
        let episodes = run.seeds.iter().flat_map(|(_, episodes)| episodes);
        episodes
            .flat_map(|e| &e.steps)
            .map(|step| step.action.clone())
            .collect()
    };
    for variant in [Variant::Baseline, Variant::B, Variant::C] {
        let mut live = lab.agent(variant.as_str(), Agent::Indifferent);
        let plan = plan(variant, &[42, 123, 456], 1);
        let wrapped = run_plan(&plan, &mut world, &frame, &mut live);
        assert_eq!(actions(&wrapped), actions(&base), "{variant}");
    }
    assert_eq!(actions(&base).len(), 3 * world.steps_per_episode() as usize);
}
