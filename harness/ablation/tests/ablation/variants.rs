//! What each variant keeps, and what it does not.

use axilog_ablation::AblationError;
use axilog_ablation::agents::Agent;
use axilog_ablation::environment::{Environment, STEPS_PER_EPISODE};
use axilog_ablation::run::{Episode, Run};
use axilog_ablation::trap::CommitmentTrap;
use axilog_ablation::v310::Variant;

use crate::lab::{Lab, World, held, plan, run_plan, tiktoken};

fn trapped(variant: Variant, agent: Agent) -> Run {
    let lab = Lab::new();
    let mut world = CommitmentTrap::default();
    let frame = held(&world, tiktoken("o200k_base"));
    let mut live = lab.agent("l", agent);
    run_plan(&plan(variant, &[5], 2), &mut world, &frame, &mut live)
}

/// Whether each step of an episode was shown a precedent.
fn shown(episode: &Episode) -> Vec<bool> {
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
    let run = trapped(Variant::Baseline, Agent::Precedent);
    let episodes = &run.seeds[0].1;
    let mut expected = vec![true; 50];
    assert_eq!(shown(&episodes[1]), expected);
    expected[0] = false;
    assert_eq!(shown(&episodes[0]), expected);
    assert!(
        episodes
            .iter()
            .all(|e| e.written() == 50 && e.blocked() == 0)
    );
}

#[test]
fn run_b_writes_nothing_and_counts_the_attempts() {
    let run = trapped(Variant::B, Agent::Precedent);
    for episode in &run.seeds[0].1 {
        assert_eq!(shown(episode), vec![false; 50]);
        assert_eq!((episode.written(), episode.blocked()), (0, 50));
    }
}

#[test]
fn run_c_forgets_at_the_start_of_episodes_and_only_there() {
    let run = trapped(Variant::C, Agent::Precedent);
    let mut expected = vec![true; 50];
    expected[0] = false;
    for episode in &run.seeds[0].1 {
        assert_eq!(shown(episode), expected);
        assert_eq!(episode.written(), 50);
    }
}

#[test]
fn episodes_have_fifty_steps_and_never_less_than_three() {
    assert_eq!(
        CommitmentTrap::default().steps_per_episode(),
        STEPS_PER_EPISODE
    );
    assert_eq!(STEPS_PER_EPISODE, 50);
    let mut world = World::colliding();
    world.steps = 2;
    let refused = plan(Variant::C, &[1], 1).check(&world).unwrap_err();
    assert!(matches!(
        refused,
        AblationError::ShortEpisodes { steps: 2, .. }
    ));
    world.steps = 3;
    assert!(plan(Variant::C, &[1], 1).check(&world).is_ok());
    for (seeds, episodes) in [(vec![], 1), (vec![1], 0), (vec![1, 2, 1], 1)] {
        let refused = plan(Variant::C, &seeds, episodes).check(&world);
        assert!(refused.is_err(), "{seeds:?} {episodes}");
    }
}
