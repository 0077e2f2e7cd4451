//! Agents that ship: small oracles that see nothing but the prompt, so that what a comparison must find
//! is known.
//!
//! | agent | what it does |
//! |---|---|
//! | `precedent` | keeps what the precedent kept, where it can; else, and without one, what is pressing |
//! | `indifferent` | keeps what is pressing, whatever the precedent says |
//! | `random` | any feasible action, drawn from the digest of the prompt |

use std::collections::BTreeMap;
use std::str::FromStr;

use axilog::hash::sha256;
use axilog_oracle::{Local, Question};
use serde::Deserialize;
use serde_json::{Value, json};

use super::canonical;
use super::environment::Ids;
use super::prompt::HEAD;

/// Which agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Uses precedent.
    Precedent,
    /// Ignores it.
    Indifferent,
    /// Ignores everything.
    Random,
}

impl Agent {
    /// As `--oracle agent:…` has it.
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

#[derive(Debug, Deserialize)]
struct Seen {
    feasible: BTreeMap<String, Effects>,
    observation: Observation,
}

#[derive(Clone, Debug, Deserialize)]
struct Effects {
    satisfies: Ids,
    violates: Ids,
}

#[derive(Debug, Deserialize)]
struct Observation {
    pressing: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Precedent {
    required_preservations: Ids,
}

/// The JSON value that stands behind `mark` in `text`, if one does.
fn behind<'a, T: Deserialize<'a>>(text: &'a str, mark: &str) -> Option<T> {
    let (_, rest) = text.split_once(mark)?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<T>();
    values.next()?.ok()
}

impl Local for Agent {
    fn answer(&mut self, question: &Question) -> String {
        let user = question.messages.last();
        let prompt = user.map_or("", |message| message.content.as_str());
        let Some(seen) = behind::<Seen>(prompt, "SITUATION\n") else {
            return "There is no situation to act in.".to_owned();
        };
        let kept = match self {
            Agent::Precedent => behind::<Precedent>(prompt, HEAD)
                .map(|precedent| precedent.required_preservations)
                .unwrap_or_default(),
            Agent::Indifferent | Agent::Random => Ids::new(),
        };
        let keeps = |ids: &Ids| {
            let mut feasible = seen.feasible.iter();
            feasible.find(|(_, effects)| !effects.satisfies.is_disjoint(ids))
        };
        let pressing: Ids = seen.observation.pressing.iter().cloned().collect();
        let chosen = match self {
            Agent::Random => {
                let [a, b, c, d, ..] = sha256(prompt.as_bytes());
                let drawn = u32::from_be_bytes([a, b, c, d]) as usize;
                seen.feasible.iter().nth(drawn % seen.feasible.len().max(1))
            }
            _ => keeps(&kept)
                .or_else(|| keeps(&pressing))
                .or_else(|| seen.feasible.iter().next()),
        };
        match chosen {
            Some((action, effects)) => canonical(&justified(action, effects, kept)),
            None => "Nothing is feasible.".to_owned(),
        }
    }
}

/// The artifact for an action; where it keeps nothing, what was kept before stays so.
fn justified(action: &str, effects: &Effects, kept: Ids) -> Value {
    let (satisfies, violates) = (&effects.satisfies, &effects.violates);
    let preserved = match satisfies.is_empty() {
        true => &kept,
        false => satisfies,
    };
    let pairs = satisfies
        .iter()
        .flat_map(|s| violates.iter().map(move |v| [s, v]));
    json!({
        "action": action,
        "authorized_violations": violates,
        "conflict_attribution": pairs.collect::<Vec<_>>(),
        "predicted_effects": { "satisfies": satisfies, "violates": violates },
        "required_preservations": preserved,
    })
}
