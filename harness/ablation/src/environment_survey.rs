//! What the steps of an environment are like: how many have a conflict, how many conflicts are new, and how often each
//! constraint can be kept and is pressing.
//!
//! Nothing of it depends on what is done, so that it holds for every run under the same seeds. Determinism: D1.

use std::collections::BTreeMap;

use super::environment::{Environment, IdSet, Place};
use super::novelty::{ConflictHistory, sign_situation};

/// What was met in the steps of some episodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvironmentSurvey {
    /// How many steps there were.
    pub steps: u64,
    /// How many of them had a conflict.
    pub conflicts: u64,
    /// How many different conflicts each episode had, in ascending order.
    pub distinct: Vec<usize>,
    /// At how many of the steps with a conflict each constraint could be kept.
    pub keepable: BTreeMap<String, u64>,
    /// At how many of the steps with a conflict each constraint was pressing.
    pub pressing: BTreeMap<String, u64>,
}

/// Goes through `episodes` episodes of `environment` under each of `seeds`.
pub fn survey_environment(
    environment: &mut dyn Environment,
    seeds: &[u64],
    episodes: u32,
) -> EnvironmentSurvey {
    let ids = environment.constraints().iter();
    let zeros: BTreeMap<String, u64> = ids.map(|id| (id.clone(), 0)).collect();
    let mut found = EnvironmentSurvey {
        keepable: zeros.clone(),
        pressing: zeros,
        ..EnvironmentSurvey::default()
    };
    let places = seeds
        .iter()
        .flat_map(|seed| (0..episodes).map(move |episode| (*seed, episode)));
    for (seed, episode) in places {
        environment.begin_episode(Place {
            seed,
            episode,
            step: 0,
        });
        let mut history = ConflictHistory::default();
        for _ in 0..environment.steps_per_episode() {
            let situation = environment.situation();
            let signature = sign_situation(&situation);
            history.record(signature);
            found.steps += 1;
            if signature.is_some() {
                found.conflicts += 1;
                let effects = situation.feasible.values();
                let kept: IdSet = effects.flat_map(|it| &it.satisfies).cloned().collect();
                for id in kept {
                    *found.keepable.entry(id).or_default() += 1;
                }
                let pressing = situation.observation.get("pressing");
                if let Some(id) = pressing.and_then(|id| id.as_str()) {
                    *found.pressing.entry(id.to_owned()).or_default() += 1;
                }
            }
            let first = situation.feasible.keys().next();
            environment.execute(first.map_or("", String::as_str));
        }
        found.distinct.push(history.distinct_count());
    }
    found.distinct.sort_unstable();
    found
}
