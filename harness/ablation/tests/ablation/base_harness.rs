//! The base harness, which stays as it is, bit for bit.

use axilog::hash::sha256;
use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::environment::Environment;
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::experiment::{build_header, execute};
use axilog_ablation::run::{Run, RunStatus};
use axilog_ablation::run_document::RunDocument;
use axilog_ablation::variant::Variant;
use axilog_ledger::encoding::hex;
use serde_json::Value;

use crate::support::{LedgerDir, build_padded_frame, new_plan, open_tiktoken, run_to_end};

/// SHA-256 of the document of the base run below. It changes only when the base harness does, and then
/// it is no longer v3.0.
const FROZEN: &str = "e93600bd46a52dc808699eb26d99c7d2997e5ab82661554fec8c3a0a63c0e012";

/// A run of the base harness, and the text of its document.
fn run_base_harness() -> (Run, String) {
    let ledgers = LedgerDir::new();
    let mut world = open_harbour().unwrap();
    let plan = new_plan(Variant::V300, &[42, 123, 456], 1);
    let header = build_header(
        &plan,
        &world,
        "agent:indifferent",
        "agent:indifferent",
        None,
    );
    let mut oracle = ledgers.record_agent("l", ScriptedAgent::Indifferent);
    let run = execute(&header, &mut world, None, &mut oracle, &mut |_| true).unwrap();
    let text = RunDocument::new(&header, &run).to_file_text();
    (run, text)
}

#[test]
fn the_document_of_the_base_run_is_frozen() {
    let (run, text) = run_base_harness();
    assert_eq!(run.status, RunStatus::Valid);
    assert_eq!(hex(&sha256(text.as_bytes())), FROZEN);
    assert_eq!(run_base_harness().1, text);
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

/// The wrapped harness chooses the same where the memory does not matter.
#[test]
fn the_v310_harness_changes_no_choice_of_an_indifferent_agent() {
    let (base, _) = run_base_harness();
    let ledgers = LedgerDir::new();
    let mut world = open_harbour().unwrap();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let actions = |run: &Run| -> Vec<String> {
        let episodes = run.seeds.iter().flat_map(|(_, episodes)| episodes);
        episodes
            .flat_map(|e| &e.steps)
            .map(|step| step.action.clone())
            .collect()
    };
    for variant in [Variant::Baseline, Variant::B, Variant::C] {
        let mut oracle = ledgers.record_agent(variant.as_str(), ScriptedAgent::Indifferent);
        let plan = new_plan(variant, &[42, 123, 456], 1);
        let wrapped = run_to_end(&plan, &mut world, &frame, &mut oracle);
        assert_eq!(actions(&wrapped), actions(&base), "{variant}");
    }
    assert_eq!(actions(&base).len(), 3 * world.steps_per_episode() as usize);
}

/// SHA-256 over the prompts, the proposals and the actions of the three runs of the document: baseline,
/// b and c. Whatever else the harness measures or runs beside them leaves them as they are.
#[test]
fn what_the_three_runs_ask_and_do_is_frozen() {
    let ledgers = LedgerDir::new();
    let mut world = open_harbour().unwrap();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    for (variant, frozen) in [
        (
            Variant::Baseline,
            "397d12f3ebcc5a2a280626237c963ac4454c04491998e84d052f62cb1eb54f44",
        ),
        (
            Variant::B,
            "89ec96dd0f3eec17651d0f91948955db35f17a90c733cb1dc2bb1d14741a999a",
        ),
        (
            Variant::C,
            "cf4db30170ac415c3bc6f169eba82d663d2446fe11c3a3daa6b47661974fb7ae",
        ),
    ] {
        let mut oracle = ledgers.record_agent(variant.as_str(), ScriptedAgent::Precedent);
        let plan = new_plan(variant, &[42, 123], 2);
        let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
        let steps = run.steps().map(|step| {
            let proposed = step.assisted.as_ref().map(|artifact| artifact.digest());
            let prompt = step.generated.answer.input_hash;
            format!(
                "{} {} {}\n",
                hex(&prompt),
                hex(&proposed.unwrap()),
                step.action
            )
        });
        let text: String = steps.collect();
        assert_eq!(hex(&sha256(text.as_bytes())), frozen, "{variant}");
    }
}
