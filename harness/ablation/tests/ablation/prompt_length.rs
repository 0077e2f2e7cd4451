//! The length of prompts, measured on what the ledger holds.

use std::collections::BTreeSet;

use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::environment::Environment;
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::run::RunStatus;
use axilog_ablation::variant::Variant;
use axilog_ledger::file::blobs::BlobStore;
use axilog_oracle::tokens::{Tiktoken, Tokenizer};
use serde_json::Value;

use crate::support::{
    LedgerDir, WatchedTokenizer, build_padded_frame, new_plan, open_tiktoken, run_to_end,
};

/// The prompts of a whole baseline run, read from the blobs beside the ledger, are all of one length for the
/// model's tokenizer, and hold records that are not ASCII.
#[test]
fn every_prompt_of_a_baseline_run_has_the_same_length() {
    for name in ["cl100k_base", "o200k_base"] {
        let ledgers = LedgerDir::new();
        let mut world = open_harbour().unwrap();
        let frame = build_padded_frame(&world, open_tiktoken(name));
        let mut oracle = ledgers.record_agent("l", ScriptedAgent::Precedent);
        let plan = new_plan(Variant::Baseline, &[1, 2], 2);
        let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
        assert_eq!(run.status, RunStatus::Valid);
        let blobs = BlobStore::of_ledger(&ledgers.path("l"));
        let tokenizer = Tiktoken::for_name(name).unwrap();
        let (mut lengths, mut prompts, mut foreign) = (BTreeSet::new(), 0, 0);
        let episodes = run.seeds.iter().flat_map(|(_, episodes)| episodes);
        for step in episodes.flat_map(|episode| &episode.steps) {
            let answer = &step.generated.answer;
            let input = blobs.read(&answer.input_hash, 1 << 20).unwrap().unwrap();
            let messages: Value = serde_json::from_slice(&input).unwrap();
            let part = |n: usize, name| messages[n][name].as_str().unwrap();
            let chat = [0, 1].map(|n| (part(n, "role"), part(n, "content")));
            let length = tokenizer.count_chat(&chat).unwrap();
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

/// Each step splits three texts into tokens: a record, a situation and the finished prompt. No text comes
/// twice.
#[test]
fn no_step_splits_a_text_twice() {
    let tokenizer = WatchedTokenizer::new(|_, _| {});
    let ledgers = LedgerDir::new();
    let mut world = open_harbour().unwrap();
    let frame = build_padded_frame(&world, tokenizer.clone());
    tokenizer.encoded.lock().unwrap().clear();
    let mut oracle = ledgers.record_agent("l", ScriptedAgent::Precedent);
    let plan = new_plan(Variant::Baseline, &[3], 1);
    let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
    assert_eq!(run.status, RunStatus::Valid);
    let encoded = tokenizer.encoded.lock().unwrap();
    assert_eq!(encoded.len(), 3 * world.steps_per_episode() as usize);
    assert_eq!(encoded.iter().collect::<BTreeSet<_>>().len(), encoded.len());
}
