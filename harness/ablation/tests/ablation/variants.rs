//! What each variant leaves of the precedent memory.

use axilog_ablation::AblationError;
use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::environment::{Environment, STEPS_PER_EPISODE};
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::run::{Episode, Run};
use axilog_ablation::variant::Variant;

use crate::support::{
    LedgerDir, OneActionWorld, build_padded_frame, new_plan, open_tiktoken, run_to_end,
};

/// Runs two episodes of the commitment trap.
fn run_in_trap(variant: Variant, agent: ScriptedAgent) -> Run {
    let ledgers = LedgerDir::new();
    let mut world = open_harbour().unwrap();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let mut oracle = ledgers.record_agent("l", agent);
    run_to_end(&new_plan(variant, &[5], 2), &mut world, &frame, &mut oracle)
}

/// Whether the prompt of each step of an episode held a precedent.
fn list_precedent_shown(episode: &Episode) -> Vec<bool> {
    let measures = episode
        .steps
        .iter()
        .map(|step| step.generated.measures.unwrap());
    measures
        .map(|measures| measures.precedent_tokens > 0)
        .collect()
}

#[test]
fn the_baseline_keeps_precedents_across_episodes() {
    let run = run_in_trap(Variant::Baseline, ScriptedAgent::Precedent);
    let episodes = &run.seeds[0].1;
    let mut expected = vec![true; 50];
    assert_eq!(list_precedent_shown(&episodes[1]), expected);
    expected[0] = false;
    assert_eq!(list_precedent_shown(&episodes[0]), expected);
    assert!(
        episodes
            .iter()
            .all(|e| e.written_count() == 50 && e.blocked_count() == 0)
    );
}

#[test]
fn run_b_writes_nothing_and_counts_the_attempts() {
    let run = run_in_trap(Variant::B, ScriptedAgent::Precedent);
    for episode in &run.seeds[0].1 {
        assert_eq!(list_precedent_shown(episode), vec![false; 50]);
        assert_eq!((episode.written_count(), episode.blocked_count()), (0, 50));
    }
}

#[test]
fn run_c_forgets_at_the_start_of_episodes_and_only_there() {
    let run = run_in_trap(Variant::C, ScriptedAgent::Precedent);
    let mut expected = vec![true; 50];
    expected[0] = false;
    for episode in &run.seeds[0].1 {
        assert_eq!(list_precedent_shown(episode), expected);
        assert_eq!(episode.written_count(), 50);
    }
}

#[test]
fn episodes_have_fifty_steps_and_never_less_than_three() {
    assert_eq!(
        open_harbour().unwrap().steps_per_episode(),
        STEPS_PER_EPISODE
    );
    assert_eq!(STEPS_PER_EPISODE, 50);
    let mut world = OneActionWorld::colliding();
    world.steps = 2;
    let error = new_plan(Variant::C, &[1], 1).check(&world).unwrap_err();
    assert!(matches!(
        error,
        AblationError::EpisodeTooShort { steps: 2, .. }
    ));
    world.steps = 3;
    assert!(new_plan(Variant::C, &[1], 1).check(&world).is_ok());
    for (seeds, episodes) in [(vec![], 1), (vec![1], 0), (vec![1, 2, 1], 1)] {
        let checked = new_plan(Variant::C, &seeds, episodes).check(&world);
        assert!(checked.is_err(), "{seeds:?} {episodes}");
    }
}
