//! The agents that ship: small oracles that see nothing but the prompt, so that the right result of a
//! comparison between them is known.
//!
//! | agent | what it does |
//! |---|---|
//! | `precedent` | keeps what the precedent kept, where it can; else, and without one, what is pressing |
//! | `indifferent` | keeps what is pressing, whatever the precedent says |
//! | `random` | any feasible action, drawn from the digest of the prompt |

use std::collections::BTreeMap;
use std::str::FromStr;

use axilog::hash::sha256;
use axilog_oracle::{LocalOracle, Question};
use serde::Deserialize;

use super::artifact::Artifact;
use super::environment::{Effects, IdSet};
use super::prompt::{HEAD, SITUATION};

/// An agent that ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// The agent that follows the precedent.
    Precedent,
    /// The agent that ignores the precedent.
    Indifferent,
    /// The agent that ignores everything.
    Random,
}

impl Agent {
    /// The agent's name behind `--oracle agent:`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Agent::Precedent => "precedent",
            Agent::Indifferent => "indifferent",
            Agent::Random => "random",
        }
    }
}

impl FromStr for Agent {
    type Err = String;

    fn from_str(text: &str) -> Result<Agent, String> {
        [Agent::Precedent, Agent::Indifferent, Agent::Random]
            .into_iter()
            .find(|agent| agent.as_str() == text)
            .ok_or_else(|| {
                format!("there is no agent {text:?}; expected precedent, indifferent or random")
            })
    }
}

/// What an agent reads of the situation in its prompt.
#[derive(Debug, Deserialize)]
struct PromptSituation {
    feasible: BTreeMap<String, Effects>,
    observation: PromptObservation,
}

#[derive(Debug, Deserialize)]
struct PromptObservation {
    pressing: Option<String>,
}

/// What an agent reads of the precedent in its prompt.
#[derive(Debug, Deserialize)]
struct PromptPrecedent {
    required_preservations: IdSet,
}

/// Reads the JSON value that follows the first `marker` in `text`.
fn parse_after<'a, T: Deserialize<'a>>(text: &'a str, marker: &str) -> Option<T> {
    let (_, rest) = text.split_once(marker)?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<T>();
    values.next()?.ok()
}

impl LocalOracle for Agent {
    fn answer(&mut self, question: &Question) -> String {
        let user = question.messages.last();
        let prompt = user.map_or("", |message| message.content.as_str());
        let Some(situation) = parse_after::<PromptSituation>(prompt, SITUATION) else {
            return "There is no situation to act in.".to_owned();
        };
        let preserved = match self {
            Agent::Precedent => parse_after::<PromptPrecedent>(prompt, HEAD)
                .map(|precedent| precedent.required_preservations)
                .unwrap_or_default(),
            Agent::Indifferent | Agent::Random => IdSet::new(),
        };
        let action_keeping = |ids: &IdSet| {
            let mut feasible = situation.feasible.iter();
            feasible.find(|(_, effects)| !effects.satisfies.is_disjoint(ids))
        };
        let pressing: IdSet = situation.observation.pressing.iter().cloned().collect();
        let chosen = match self {
            Agent::Random => {
                let [a, b, c, d, ..] = sha256(prompt.as_bytes());
                let drawn = u32::from_be_bytes([a, b, c, d]) as usize;
                let count = situation.feasible.len().max(1);
                situation.feasible.iter().nth(drawn % count)
            }
            _ => action_keeping(&preserved)
                .or_else(|| action_keeping(&pressing))
                .or_else(|| situation.feasible.iter().next()),
        };
        match chosen {
            Some((action, effects)) => justify(action, effects, preserved).canonical(),
            None => "Nothing is feasible.".to_owned(),
        }
    }
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
