//! What counts as a new conflict in the world that ships (Q6).

use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::environment::{Environment, Place};
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::novelty::{ConflictHistory, sign_conflict, sign_situation};
use axilog_ablation::run::Run;
use axilog_ablation::variant::Variant;

use crate::support::{LedgerDir, build_padded_frame, new_plan, open_tiktoken, run_to_end};

/// Runs an agent under two seeds, two episodes each.
fn run_agent(agent: ScriptedAgent, variant: Variant) -> Run {
    let ledgers = LedgerDir::new();
    let mut world = open_harbour().unwrap();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let mut oracle = ledgers.record_agent("l", agent);
    let plan = new_plan(variant, &[1, 2], 2);
    run_to_end(&plan, &mut world, &frame, &mut oracle)
}

/// The conflicts of a run do not depend on what was done before, so that every variant and every oracle
/// meets the same ones: what is in store differs between these runs, what is at stake does not.
#[test]
fn every_run_meets_the_same_conflicts() {
    let signatures = |run: &Run| -> Vec<_> { run.steps().map(|step| step.novelty).collect() };
    let (one, other) = (
        run_agent(ScriptedAgent::Precedent, Variant::Baseline),
        run_agent(ScriptedAgent::Random, Variant::B),
    );
    let actions = |run: &Run| -> Vec<String> { run.steps().map(|s| s.action.clone()).collect() };
    assert_ne!(actions(&one), actions(&other));
    assert!(signatures(&one) == signatures(&other));
    // Conflicts come back within an episode.
    for episode in one.episodes() {
        let conflicts = episode.steps.iter();
        let conflicts = conflicts.filter(|step| step.novelty.signature.is_some());
        let (count, distinct) = (conflicts.count(), episode.distinct_signatures);
        assert_eq!(episode.novel_count(), distinct as u64);
        assert!(
            (10..=count - 5).contains(&distinct),
            "{distinct} of {count}"
        );
    }
}

/// What the page says of the eight seeds and three episodes that a run has by default.
#[test]
fn the_trap_has_the_conflicts_that_the_page_counts() {
    let mut trap = open_harbour().unwrap();
    let (mut conflicts, mut of_stores) = (0, 0);
    let mut distinct = Vec::new();
    for (seed, episode) in (1..=8).flat_map(|seed| (0..3).map(move |episode| (seed, episode))) {
        trap.begin_episode(Place {
            seed,
            episode,
            step: 0,
        });
        let (mut history, mut with_stores) =
            (ConflictHistory::default(), ConflictHistory::default());
        for _ in 0..trap.steps_per_episode() {
            let situation = trap.situation();
            let signature = sign_situation(&situation);
            history.record(signature);
            conflicts += u32::from(signature.is_some());
            let constraints = situation.conflicting_constraints();
            with_stores
                .record(signature.map(|_| sign_conflict(&constraints, &situation.resources)));
            let first = situation.feasible.keys().next().unwrap();
            trap.execute(first);
        }
        distinct.push(history.distinct_count());
        of_stores += with_stores.distinct_count();
    }
    distinct.sort_unstable();
    let novel: usize = distinct.iter().sum();
    assert_eq!((conflicts, of_stores, novel), (1070, 1070, 343));
    assert_eq!((distinct[0], distinct[12], distinct[23]), (12, 14, 18));
}
