//! Every reason for `INVALID_RUN`, provoked.

use axilog_ablation::agents::Agent;
use axilog_ablation::environment::Effects;
use axilog_ablation::record::{Memory, NormativeStateV100, PrecedentRecord};
use axilog_ablation::run::Status;
use axilog_ablation::v310::Variant;
use serde_json::json;

use crate::lab::{
    Lab, Watched, World, answer, held, ids, invalid, plan, run_plan, run_until, run_with, tiktoken,
};

/// As many constraints with long names as give a record beyond 512 tokens.
fn names() -> Vec<String> {
    (0..60)
        .map(|n| format!("Verpflichtung-überaus-langen-Namens-{n:03}"))
        .collect()
}

#[test]
fn a_record_beyond_its_segment_is_buffer_overflow() {
    let names = names();
    let (kept, broken) = (&names[0], &names[1]);
    let effects = Effects {
        satisfies: ids(&[kept]),
        violates: ids(&[broken]),
    };
    let mut world = World::new(names.iter().cloned().collect(), effects);
    let artifact = |authorized: &[String]| {
        answer(
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
    let frame = held(&world, tiktoken("o200k_base"));
    let lab = Lab::new();
    let small = artifact(&names[1..2]);
    let mut live = lab.script("small", std::slice::from_ref(&small));
    let fits = run_plan(
        &plan(Variant::Baseline, &[1], 1),
        &mut world,
        &frame,
        &mut live,
    );
    assert_eq!(fits.status, Status::Valid);

    let large = [small.clone(), small, artifact(&names[1..])];
    let mut live = lab.script("large", &large);
    let run = run_plan(
        &plan(Variant::Baseline, &[1], 1),
        &mut world,
        &frame,
        &mut live,
    );
    let (reason, detail, place) = invalid(&run);
    assert_eq!((reason, place.step), ("BUFFER_OVERFLOW", 3), "{detail}");
    assert!(
        detail.contains("the precedent is") && detail.ends_with("has 512"),
        "{detail}"
    );
    // A run that is stopped before that step has met it too, as its replay will.
    let mut stopped = |name, steps| {
        run_until(
            &plan(Variant::Baseline, &[1], 1),
            &mut world,
            &frame,
            NormativeStateV100::default,
            &mut lab.script(name, &large),
            &mut |done| done < steps,
        )
    };
    assert_eq!(invalid(&stopped("at 3", 3)).0, "BUFFER_OVERFLOW");
    let before = stopped("at 2", 2);
    assert!(matches!(before.status, Status::Interrupted(place) if place.step == 2));
    // What would not have been injected is not held against it: nothing is written in run B.
    let mut live = lab.script("b", &[artifact(&names[1..])]);
    let run = run_plan(&plan(Variant::B, &[1], 1), &mut world, &frame, &mut live);
    assert_eq!(run.status, Status::Valid);
}

#[test]
fn a_prompt_of_another_length_is_shadow_persistence() {
    for (tamper, told) in [
        (
            (|text, tokens| {
                if text.starts_with("PRECEDENT\n") && text.contains("\"step\":4}") {
                    tokens.push(1);
                }
            }) as fn(&str, &mut Vec<u32>),
            "token_jitter 1",
        ),
        // The same length, but not the tokens that were counted.
        (
            |text, tokens| {
                if text.starts_with("PRECEDENT\n") && text.contains("\"step\":4}") {
                    tokens.swap(3, 4);
                }
            },
            "differ from token 3 on",
        ),
    ] {
        let mut world = World::colliding();
        let frame = held(&world, Watched::new(tamper));
        let lab = Lab::new();
        let mut live = lab.agent("l", Agent::Precedent);
        let run = run_plan(
            &plan(Variant::Baseline, &[1], 1),
            &mut world,
            &frame,
            &mut live,
        );
        let (reason, detail, place) = invalid(&run);
        assert_eq!((reason, place.step), ("SHADOW_PERSISTENCE", 4));
        assert!(detail.contains(told), "{detail}");
    }
}

#[test]
fn a_baseline_without_precedents_is_not_instantiated() {
    let mut world = World::colliding();
    let frame = held(&world, tiktoken("o200k_base"));
    let lab = Lab::new();
    let mut live = lab.script("l", &[answer("I would rather not.")]);
    let run = run_plan(
        &plan(Variant::Baseline, &[1], 2),
        &mut world,
        &frame,
        &mut live,
    );
    let (reason, _, place) = invalid(&run);
    assert_eq!(
        (reason, place.episode, place.step),
        ("BASELINE_NOT_INSTANTIATED", 0, 5)
    );
    assert_eq!(run.seeds[0].1.len(), 1, "it stopped there");
    // P1 is about the baseline.
    let mut live = lab.script("c", &[answer("I would rather not.")]);
    let run = run_plan(&plan(Variant::C, &[1], 1), &mut world, &frame, &mut live);
    assert_eq!(run.status, Status::Valid);
}

/// Keeps nothing.
struct Forgetful;

impl Memory for Forgetful {
    fn write(&mut self, _: &PrecedentRecord) {}

    fn read(&self) -> Option<&PrecedentRecord> {
        None
    }

    fn reset(&mut self) {}
}

/// Keeps the first record for good.
#[derive(Default)]
struct Stubborn(Option<PrecedentRecord>);

impl Memory for Stubborn {
    fn write(&mut self, record: &PrecedentRecord) {
        self.0.get_or_insert_with(|| record.clone());
    }

    fn read(&self) -> Option<&PrecedentRecord> {
        self.0.as_ref()
    }

    fn reset(&mut self) {}
}

/// Keeps everything but is deaf to resets.
#[derive(Default)]
struct Deaf(NormativeStateV100);

impl Memory for Deaf {
    fn write(&mut self, record: &PrecedentRecord) {
        self.0.write(record);
    }

    fn read(&self) -> Option<&PrecedentRecord> {
        self.0.read()
    }

    fn reset(&mut self) {}
}

#[test]
fn a_precedent_that_does_not_come_through_is_a_dead_channel() {
    let lab = Lab::new();
    let mut world = World::colliding();
    let frame = held(&world, tiktoken("o200k_base"));
    let baseline = plan(Variant::Baseline, &[1], 2);
    let live = |name| lab.agent(name, Agent::Precedent);

    let run = run_with(
        &baseline,
        &mut world,
        &frame,
        || Forgetful,
        &mut live("forgetful"),
    );
    let (reason, detail, place) = invalid(&run);
    assert_eq!((reason, place.step), ("DEAD_CHANNEL", 1));
    assert!(
        detail.starts_with("the memory holds nothing where {"),
        "{detail}"
    );

    let run = run_with(
        &baseline,
        &mut world,
        &frame,
        Stubborn::default,
        &mut live("stubborn"),
    );
    let (reason, _, place) = invalid(&run);
    assert_eq!((reason, place.step), ("DEAD_CHANNEL", 2));

    // In run C what outlives the episode is as wrong as what is lost in it.
    let c = plan(Variant::C, &[1], 2);
    let run = run_with(&c, &mut world, &frame, Deaf::default, &mut live("deaf"));
    let (reason, _, place) = invalid(&run);
    assert_eq!((reason, place.episode, place.step), ("DEAD_CHANNEL", 1, 0));
    let run = run_with(
        &baseline,
        &mut world,
        &frame,
        Deaf::default,
        &mut live("deaf, not reset"),
    );
    assert_eq!(run.status, Status::Valid);
}

#[test]
fn an_episode_of_run_b_without_a_novel_conflict_is_insufficient_pressure() {
    let lab = Lab::new();
    let mut world = World::calm();
    let frame = held(&world, tiktoken("o200k_base"));
    let mut live = lab.agent("b", Agent::Indifferent);
    let run = run_plan(&plan(Variant::B, &[1], 2), &mut world, &frame, &mut live);
    let (reason, _, place) = invalid(&run);
    assert_eq!(
        (reason, place.episode, place.step),
        ("INSUFFICIENT_PRESSURE", 0, 5)
    );
    assert_eq!(run.seeds[0].1[0].distinct_signatures, 0);
    for variant in [Variant::Baseline, Variant::C] {
        let mut live = lab.agent(variant.as_str(), Agent::Indifferent);
        let run = run_plan(&plan(variant, &[1], 1), &mut world, &frame, &mut live);
        assert_eq!(run.status, Status::Valid);
    }
    let mut world = World::colliding();
    let mut live = lab.agent("colliding", Agent::Indifferent);
    let run = run_plan(&plan(Variant::B, &[1], 2), &mut world, &frame, &mut live);
    assert_eq!(run.status, Status::Valid);
    assert_eq!(run.seeds[0].1[1].distinct_signatures, 6);
}
