//! Every reason for `INVALID_RUN`, provoked.

use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::environment::Effects;
use axilog_ablation::precedent::{NormativeStateV100, PrecedentMemory, PrecedentRecord};
use axilog_ablation::run::RunStatus;
use axilog_ablation::variant::Variant;
use serde_json::json;

use crate::support::{
    LedgerDir, OneActionWorld, WatchedTokenizer, build_padded_frame, expect_invalid, ids, new_plan,
    open_tiktoken, run_to_end, run_with_memory, run_with_memory_until, script_line,
};

/// Long names of constraints, enough for a record of more than 512 tokens.
fn long_names() -> Vec<String> {
    (0..60)
        .map(|n| format!("Verpflichtung-überaus-langen-Namens-{n:03}"))
        .collect()
}

#[test]
fn a_record_beyond_its_segment_is_buffer_overflow() {
    let names = long_names();
    let (kept, broken) = (&names[0], &names[1]);
    let effects = Effects {
        satisfies: ids(&[kept]),
        violates: ids(&[broken]),
    };
    let mut world = OneActionWorld::new(names.iter().cloned().collect(), effects);
    let artifact = |authorized: &[String]| {
        script_line(
            &json!({
                "action": "go",
                "authorized_violations": authorized,
                "required_preservations": [kept],
                "conflict_attribution": [[kept, broken]],
                "predicted_effects": { "satisfies": [kept], "violates": [broken] },
            })
            .to_string(),
        )
    };
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let ledgers = LedgerDir::new();
    let small = artifact(&names[1..2]);
    let mut oracle = ledgers.record_script("small", std::slice::from_ref(&small));
    let plan = new_plan(Variant::Baseline, &[1], 1);
    let fits = run_to_end(&plan, &mut world, &frame, &mut oracle);
    assert_eq!(fits.status, RunStatus::Valid);

    let large = [small.clone(), small, artifact(&names[1..])];
    let mut oracle = ledgers.record_script("large", &large);
    let plan = new_plan(Variant::Baseline, &[1], 1);
    let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
    let (reason, detail, place) = expect_invalid(&run);
    assert_eq!((reason, place.step), ("BUFFER_OVERFLOW", 3), "{detail}");
    assert!(
        detail.contains("the precedent is") && detail.ends_with("has 512"),
        "{detail}"
    );
    // A run that is stopped before that step overflows too, and so does its replay.
    let mut stopped = |name, steps| {
        run_with_memory_until(
            &new_plan(Variant::Baseline, &[1], 1),
            &mut world,
            &frame,
            NormativeStateV100::default,
            &mut ledgers.record_script(name, &large),
            &mut |done| done < steps,
        )
    };
    assert_eq!(expect_invalid(&stopped("at 3", 3)).0, "BUFFER_OVERFLOW");
    let before = stopped("at 2", 2);
    assert!(matches!(before.status, RunStatus::Interrupted(place) if place.step == 2));
    // In run B nothing is written, so the same artifact is no overflow.
    let mut oracle = ledgers.record_script("b", &[artifact(&names[1..])]);
    let plan = new_plan(Variant::B, &[1], 1);
    let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
    assert_eq!(run.status, RunStatus::Valid);
}

#[test]
fn a_prompt_of_another_length_is_shadow_persistence() {
    for (tamper, expected) in [
        (
            (|text, tokens| {
                if text.contains(" END\nSITUATION\n") && text.contains("\"step\":4}") {
                    tokens.push(1);
                }
            }) as fn(&str, &mut Vec<u32>),
            "token_jitter 1",
        ),
        // The same length, but not the tokens that were counted.
        (
            |text, tokens| {
                if text.contains(" END\nSITUATION\n") && text.contains("\"step\":4}") {
                    tokens.swap(3, 4);
                }
            },
            "differ from token 3 on",
        ),
    ] {
        let mut world = OneActionWorld::colliding();
        let frame = build_padded_frame(&world, WatchedTokenizer::new(tamper));
        let ledgers = LedgerDir::new();
        let mut oracle = ledgers.record_agent("l", ScriptedAgent::Precedent);
        let plan = new_plan(Variant::Baseline, &[1], 1);
        let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
        let (reason, detail, place) = expect_invalid(&run);
        assert_eq!((reason, place.step), ("SHADOW_PERSISTENCE", 4));
        assert!(detail.contains(expected), "{detail}");
    }
}

#[test]
fn a_baseline_without_precedents_is_not_instantiated() {
    let mut world = OneActionWorld::colliding();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let ledgers = LedgerDir::new();
    let mut oracle = ledgers.record_script("l", &[script_line("I would rather not.")]);
    let plan = new_plan(Variant::Baseline, &[1], 2);
    let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
    let (reason, _, place) = expect_invalid(&run);
    assert_eq!(
        (reason, place.episode, place.step),
        ("BASELINE_NOT_INSTANTIATED", 0, 5)
    );
    assert_eq!(
        run.seeds[0].1.len(),
        1,
        "the run stops at the first invalid episode"
    );
    // P1 is about the baseline.
    let mut answers = vec![script_line("I would rather not."); 12];
    answers[0] = script_line(&OneActionWorld::colliding_artifact());
    let mut oracle = ledgers.record_script("c", &answers);
    let plan = new_plan(Variant::C, &[1], 2);
    let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
    assert_eq!(run.status, RunStatus::Valid);
    assert_eq!(run.seeds[0].1[1].written_count(), 0);
}

#[test]
fn a_run_without_any_useful_answer_is_invalid() {
    let mut world = OneActionWorld::colliding();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let ledgers = LedgerDir::new();
    let refusal = script_line("I would rather not.");
    for variant in [Variant::B, Variant::C] {
        let plan = new_plan(variant, &[1, 2], 2);
        let mut oracle = ledgers.record_script(variant.as_str(), std::slice::from_ref(&refusal));
        let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
        let (reason, detail, place) = expect_invalid(&run);
        assert_eq!(reason, "NO_USEFUL_ANSWER", "{detail}");
        assert_eq!((place.seed, place.episode, place.step), (2, 1, 5));
        // One useful answer is enough: how often answers are not useful is for the comparison to say.
        let mut lines = vec![refusal.clone(); 23];
        lines.push(script_line(&OneActionWorld::colliding_artifact()));
        let mut oracle = ledgers.record_script(&format!("{variant} at last"), &lines);
        let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
        assert_eq!(run.status, RunStatus::Valid);
    }
}

/// A memory that keeps nothing.
struct ForgetfulMemory;

impl PrecedentMemory for ForgetfulMemory {
    fn write(&mut self, _: &PrecedentRecord) {}

    fn read(&self) -> Option<&PrecedentRecord> {
        None
    }

    fn reset(&mut self) {}
}

/// A memory that keeps the first record for good.
#[derive(Default)]
struct StubbornMemory(Option<PrecedentRecord>);

impl PrecedentMemory for StubbornMemory {
    fn write(&mut self, record: &PrecedentRecord) {
        self.0.get_or_insert_with(|| record.clone());
    }

    fn read(&self) -> Option<&PrecedentRecord> {
        self.0.as_ref()
    }

    fn reset(&mut self) {}
}

/// A memory that ignores resets.
#[derive(Default)]
struct UnresettableMemory(NormativeStateV100);

impl PrecedentMemory for UnresettableMemory {
    fn write(&mut self, record: &PrecedentRecord) {
        self.0.write(record);
    }

    fn read(&self) -> Option<&PrecedentRecord> {
        self.0.read()
    }

    fn reset(&mut self) {}
}

#[test]
fn a_precedent_that_does_not_reach_the_prompt_is_a_dead_channel() {
    let ledgers = LedgerDir::new();
    let mut world = OneActionWorld::colliding();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let baseline = new_plan(Variant::Baseline, &[1], 2);
    let oracle = |name| ledgers.record_agent(name, ScriptedAgent::Precedent);

    let run = run_with_memory(
        &baseline,
        &mut world,
        &frame,
        || ForgetfulMemory,
        &mut oracle("forgetful"),
    );
    let (reason, detail, place) = expect_invalid(&run);
    assert_eq!((reason, place.step), ("DEAD_CHANNEL", 1));
    assert!(
        detail.starts_with("the memory holds nothing where {"),
        "{detail}"
    );

    let run = run_with_memory(
        &baseline,
        &mut world,
        &frame,
        StubbornMemory::default,
        &mut oracle("stubborn"),
    );
    let (reason, _, place) = expect_invalid(&run);
    assert_eq!((reason, place.step), ("DEAD_CHANNEL", 2));

    // The controls have the baseline's channel.
    for variant in Variant::CONTROLS {
        let run = run_with_memory(
            &new_plan(variant, &[1], 2),
            &mut world,
            &frame,
            || ForgetfulMemory,
            &mut oracle(variant.as_str()),
        );
        let (reason, _, place) = expect_invalid(&run);
        assert_eq!((reason, place.step), ("DEAD_CHANNEL", 1), "{variant}");
    }

    // In run C a precedent that outlives its episode is as wrong as one that is lost in it.
    let c = new_plan(Variant::C, &[1], 2);
    let run = run_with_memory(
        &c,
        &mut world,
        &frame,
        UnresettableMemory::default,
        &mut oracle("deaf"),
    );
    let (reason, _, place) = expect_invalid(&run);
    assert_eq!((reason, place.episode, place.step), ("DEAD_CHANNEL", 1, 0));
    let run = run_with_memory(
        &baseline,
        &mut world,
        &frame,
        UnresettableMemory::default,
        &mut oracle("deaf, not reset"),
    );
    assert_eq!(run.status, RunStatus::Valid);
}

#[test]
fn an_episode_of_run_b_without_a_novel_conflict_is_insufficient_pressure() {
    let ledgers = LedgerDir::new();
    let mut world = OneActionWorld::calm();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let mut oracle = ledgers.record_agent("b", ScriptedAgent::Indifferent);
    let plan = new_plan(Variant::B, &[1], 2);
    let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
    let (reason, _, place) = expect_invalid(&run);
    assert_eq!(
        (reason, place.episode, place.step),
        ("INSUFFICIENT_PRESSURE", 0, 5)
    );
    assert_eq!(run.seeds[0].1[0].distinct_signatures, 0);
    for variant in [Variant::Baseline, Variant::C] {
        let mut oracle = ledgers.record_agent(variant.as_str(), ScriptedAgent::Indifferent);
        let run = run_to_end(&new_plan(variant, &[1], 1), &mut world, &frame, &mut oracle);
        assert_eq!(run.status, RunStatus::Valid);
    }
    // One conflict, met at six steps, is new once in each episode, though the store changes every step.
    let mut world = OneActionWorld::colliding();
    let mut oracle = ledgers.record_agent("colliding", ScriptedAgent::Indifferent);
    let plan = new_plan(Variant::B, &[1], 2);
    let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
    assert_eq!(run.status, RunStatus::Valid);
    for episode in run.episodes() {
        assert_eq!((episode.distinct_signatures, episode.novel_count()), (1, 1));
    }
}
