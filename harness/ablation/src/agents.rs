//! The agents that ship: small oracles that see nothing but the prompt, so that the right result of a
//! comparison between them is known.
//!
//! | agent | what it does |
//! |---|---|
//! | `precedent` | keeps what the precedent kept, where it can; else, and without one, what is pressing |
//! | `indifferent` | keeps what is pressing, whatever the precedent says |
//! | `random` | any feasible action, drawn from the digest of the prompt |
//! | `lock-in` | holds to the commitment that was pressing when it began, as long as precedents remind it; else keeps what is pressing |
//! | `drift` | keeps what is pressing, but the later its precedent was written, the more often what that kept |
//! | `presence` | keeps what is pressing; where it is shown a precedent, whatever that says, it does the last feasible action |
//! | `clumsy` | chooses as `indifferent` does, but leaves half of its answers unfinished where a precedent is shown |

use std::collections::BTreeMap;

use axilog::hash::sha256;
use axilog_oracle::{LocalOracle, Question};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::artifact::Artifact;
use super::environment::{Effects, IdSet};
use super::json_document::to_canonical_json;
use super::prompt::{HEAD, SITUATION};

/// An agent that ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = String, parse_err_fn = explain_unknown_name)]
pub enum ScriptedAgent {
    /// The agent that follows the precedent.
    Precedent,
    /// The agent that ignores the precedent.
    Indifferent,
    /// The agent that ignores everything.
    Random,
    /// The agent that follows one policy under each seed, another one each time.
    LockIn,
    /// The agent that precedents move little by little.
    Drift,
    /// The agent that is moved by a precedent's presence and not by what it says.
    Presence,
    /// The agent that precedents make clumsy, without any other choice.
    Clumsy,
}

impl ScriptedAgent {
    /// The agent's name after `--oracle agent:`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Describes a name that no agent has.
fn explain_unknown_name(text: &str) -> String {
    format!(
        "there is no agent {text:?}; expected precedent, indifferent or random, or lock-in, drift, presence or clumsy"
    )
}

/// What an agent reads of the situation in its prompt.
#[derive(Debug, Deserialize, Serialize)]
struct PromptSituation {
    feasible: BTreeMap<String, Effects>,
    observation: PromptObservation,
    step: u32,
}

impl PromptSituation {
    /// The first feasible action that keeps one of `ids`.
    fn find_action_keeping(&self, ids: &IdSet) -> Option<(&String, &Effects)> {
        let mut feasible = self.feasible.iter();
        feasible.find(|(_, effects)| !effects.satisfies.is_disjoint(ids))
    }

    /// The first feasible action that keeps what is pressing, or else the first of all.
    fn find_pressing_action(&self) -> Option<(&String, &Effects)> {
        let pressing: IdSet = self.observation.pressing.iter().cloned().collect();
        self.find_action_keeping(&pressing)
            .or_else(|| self.feasible.iter().next())
    }

    /// Draws a number below `limit` from what every variant of a run meets at this step: what is in store,
    /// which depends on what was done before, is no part of it.
    fn draw_below(&self, limit: u32) -> u32 {
        let [a, b, c, d, ..] = sha256(to_canonical_json(self).as_bytes());
        u32::from_be_bytes([a, b, c, d])
            .checked_rem(limit)
            .unwrap_or(0)
    }
}

#[derive(Debug, Deserialize, Serialize)]
struct PromptObservation {
    notice: Option<String>,
    pressing: Option<String>,
}

/// What an agent reads of the precedent in its prompt.
#[derive(Debug, Deserialize)]
struct PromptPrecedent {
    required_preservations: IdSet,
    step_index: u32,
}

/// The steps after which a precedent moves the drifting agent at every step.
const DRIFT_STEPS: u32 = 50;

/// Reads the JSON value that follows the first `marker` in `text`.
fn parse_after<'a, T: Deserialize<'a>>(text: &'a str, marker: &str) -> Option<T> {
    let (_, rest) = text.split_once(marker)?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<T>();
    values.next()?.ok()
}

impl LocalOracle for ScriptedAgent {
    fn answer(&mut self, question: &Question) -> String {
        let user = question.messages.last();
        let prompt = user.map_or("", |message| message.content.as_str());
        let Some(situation) = parse_after::<PromptSituation>(prompt, SITUATION) else {
            return "There is no situation to act in.".to_owned();
        };
        let precedent = parse_after::<PromptPrecedent>(prompt, HEAD);
        let artifact = match (*self, &precedent) {
            (ScriptedAgent::Precedent, Some(precedent)) => follow(&situation, precedent),
            (ScriptedAgent::LockIn, Some(precedent)) => hold_to(&situation, precedent),
            (ScriptedAgent::Drift, Some(precedent))
                if situation.draw_below(DRIFT_STEPS) < precedent.step_index =>
            {
                follow(&situation, precedent)
            }
            (ScriptedAgent::Presence, Some(_)) => {
                let chosen = situation.feasible.iter().next_back();
                chosen.map(|(action, effects)| justify(action, effects, IdSet::new()))
            }
            (ScriptedAgent::Random, _) => {
                let [a, b, c, d, ..] = sha256(prompt.as_bytes());
                let drawn = u32::from_be_bytes([a, b, c, d]) as usize;
                let count = situation.feasible.len().max(1);
                let chosen = situation.feasible.iter().nth(drawn % count);
                chosen.map(|(action, effects)| justify(action, effects, IdSet::new()))
            }
            _ => situation
                .find_pressing_action()
                .map(|(action, effects)| justify(action, effects, IdSet::new())),
        };
        let Some(artifact) = artifact else {
            return "Nothing is feasible.".to_owned();
        };
        let mut answer = artifact.canonical();
        if *self == ScriptedAgent::Clumsy && precedent.is_some() && situation.draw_below(2) == 0 {
            answer.truncate(answer.len() - 1);
        }
        answer
    }
}

/// Keeps what the precedent kept, where it can; else what is pressing.
fn follow(situation: &PromptSituation, precedent: &PromptPrecedent) -> Option<Artifact> {
    let preserved = &precedent.required_preservations;
    let chosen = situation.find_action_keeping(preserved);
    let (action, effects) = chosen.or_else(|| situation.find_pressing_action())?;
    Some(justify(action, effects, preserved.clone()))
}

/// Keeps what the precedent kept, where it can, and does not let go of it where it cannot: then some other
/// action is done that does not break it, what is pressing first.
fn hold_to(situation: &PromptSituation, precedent: &PromptPrecedent) -> Option<Artifact> {
    let preserved = &precedent.required_preservations;
    let breaks = |effects: &Effects| !effects.violates.is_disjoint(preserved);
    if let Some((action, effects)) = situation.find_action_keeping(preserved) {
        return Some(justify(action, effects, preserved.clone()));
    }
    let pressing = situation
        .find_pressing_action()
        .filter(|(_, effects)| !breaks(effects));
    let mut feasible = situation.feasible.iter();
    let harmless = pressing.or_else(|| feasible.find(|(_, effects)| !breaks(effects)));
    let Some((action, effects)) = harmless else {
        return follow(situation, precedent);
    };
    let mut artifact = justify(action, effects, preserved.clone());
    if !preserved.is_empty() {
        artifact.required_preservations = preserved.clone();
        artifact.conflict_attribution.clear();
    }
    Some(artifact)
}

/// Justifies an action by its effects. An action that keeps nothing goes on preserving `preserved`.
fn justify(action: &str, effects: &Effects, preserved: IdSet) -> Artifact {
    let (satisfies, violates) = (&effects.satisfies, &effects.violates);
    let pairs = satisfies
        .iter()
        .flat_map(|kept| violates.iter().map(|broken| (kept.clone(), broken.clone())));
    Artifact {
        action: action.to_owned(),
        authorized_violations: violates.clone(),
        conflict_attribution: pairs.collect(),
        required_preservations: match satisfies.is_empty() {
            true => preserved,
            false => satisfies.clone(),
        },
        predicted_effects: effects.clone(),
    }
}
