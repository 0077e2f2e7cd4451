//! What a run is of: everything that its document follows from, beside the ledger.

use serde::{Deserialize, Serialize};

use super::calibration::Basis;
use super::prompt::Lengths;
use super::run::Plan;
use super::v310::Variant;

/// The head of a run document, and the file `header.json` beside the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The form of the document: 1.
    pub axilog_ablation_run: u32,
    /// What is taken away.
    pub variant: Variant,
    /// Who answers: `openai`, `agent:…`, and so on.
    pub provider: String,
    /// The model, as its server names it.
    pub model_id: String,
    /// The environment's id.
    pub environment: String,
    /// SHA-256 of what is the same in every prompt, in hexadecimal.
    pub skeleton_hash: String,
    /// Steps in an episode, at least 3.
    pub steps_per_episode: u32,
    /// Episodes under each seed.
    pub episodes: u32,
    /// The seeds, in order.
    pub seeds: Vec<u64>,
    /// How the length is held; `None` for the base harness.
    pub held: Option<Held>,
}

impl Header {
    /// What was run.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan {
            variant: self.variant,
            seeds: self.seeds.clone(),
            episodes: self.episodes,
        }
    }
}

/// How the length of prompts is held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// SHA-256 that ends the calibration file.
    pub calibration: String,
    /// N.
    pub precedent_length: u64,
    /// M.
    pub situation_length: u64,
    /// The tokenizer's id.
    pub tokenizer: String,
    /// Its version.
    pub tokenizer_version: String,
    /// The padding.
    pub pad: String,
    /// Its tokens.
    pub pad_tokens: Vec<u32>,
}

impl Held {
    /// The lengths.
    #[must_use]
    pub fn lengths(&self) -> Lengths {
        Lengths {
            precedent: self.precedent_length,
            situation: self.situation_length,
        }
    }

    /// By a calibration with this digest and these lengths.
    #[must_use]
    pub fn new(calibration: String, lengths: Lengths, basis: &Basis) -> Held {
        Held {
            calibration,
            precedent_length: lengths.precedent,
            situation_length: lengths.situation,
            tokenizer: basis.tokenizer.clone(),
            tokenizer_version: basis.tokenizer_version.clone(),
            pad: basis.pad.clone(),
            pad_tokens: basis.pad_tokens.clone(),
        }
    }
}
