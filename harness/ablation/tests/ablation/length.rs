//! The length of prompts, measured on what the ledger holds.

use std::collections::BTreeSet;

use axilog_ablation::agents::Agent;
use axilog_ablation::environment::Environment;
use axilog_ablation::run::Status;
use axilog_ablation::trap::CommitmentTrap;
use axilog_ablation::v310::Variant;
use axilog_ledger::file::blobs::Blobs;
use axilog_oracle::tokens::{Tiktoken, Tokenizer};
use serde_json::Value;

use crate::lab::{Lab, Watched, held, plan, run_plan, tiktoken};

/// The prompts of a whole baseline run, read from the blobs beside the ledger, are all of one length for the
/// model's tokenizer, and hold records that are not ASCII.
#[test]
fn every_prompt_of_a_baseline_run_has_the_same_length() {
    for name in ["cl100k_base", "o200k_base"] {
        let lab = Lab::new();
        let mut world = CommitmentTrap::default();
        let frame = held(&world, tiktoken(name));
        let mut live = lab.agent("l", Agent::Precedent);
        let run = run_plan(
            &plan(Variant::Baseline, &[1, 2], 2),
            &mut world,
            &frame,
            &mut live,
        );
        assert_eq!(run.status, Status::Valid);
        let blobs = Blobs::beside(&lab.path("l"));
        let own = Tiktoken::named(name).unwrap();
        let (mut lengths, mut prompts, mut foreign) = (BTreeSet::new(), 0, 0);
        let episodes = run.seeds.iter().flat_map(|(_, episodes)| episodes);
        for step in episodes.flat_map(|episode| &episode.steps) {
            let answered = &step.generated.answered;
            let input = blobs.get(&answered.input_hash, 1 << 20).unwrap().unwrap();
            let messages: Value = serde_json::from_slice(&input).unwrap();
            let part = |n: usize, name| messages[n][name].as_str().unwrap();
            let chat = [0, 1].map(|n| (part(n, "role"), part(n, "content")));
            let length = own.count_chat(&chat).unwrap();
            assert_eq!(length, step.generated.measures.unwrap().prompt_tokens);
            lengths.insert(length);
            prompts += 1;
            let record = chat[1].1.split(" END").next().unwrap();
            foreign += usize::from(!record.is_ascii());
        }
        assert_eq!((prompts, lengths.len()), (200, 1), "{name}: {lengths:?}");
        assert!(foreign > 50, "{name}: {foreign}");
    }
}

/// A record, a situation and the finished prompt: three texts at each step, and none ever again.
#[test]
fn no_step_counts_anything_twice() {
    let tokenizer = Watched::new(|_, _| {});
    let lab = Lab::new();
    let mut world = CommitmentTrap::default();
    let frame = held(&world, tokenizer.clone());
    tokenizer.seen.lock().unwrap().clear();
    let mut live = lab.agent("l", Agent::Precedent);
    let run = run_plan(
        &plan(Variant::Baseline, &[3], 1),
        &mut world,
        &frame,
        &mut live,
    );
    assert_eq!(run.status, Status::Valid);
    let seen = tokenizer.seen.lock().unwrap();
    assert_eq!(seen.len(), 3 * world.steps_per_episode() as usize);
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len());
}
