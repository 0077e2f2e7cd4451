//! The header of a run: everything that its document follows from, besides the ledger.

use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use axilog_oracle::TransportSettings;
use serde::{Deserialize, Serialize};

use super::calibration_basis::{CalibrationBasis, MAX_LENGTH};
use super::endpoint::StudyEndpoint;
use super::error::AblationError;
use super::json_document::{parse_document, to_canonical_json};
use super::prompt_frame::SegmentLengths;
use super::run::RunPlan;
use super::sampling::Sampling;
use super::variant::Variant;

/// The head of a run document, and the file `header.json` beside the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunHeader {
    /// The version of the document's form: 1.
    pub axilog_ablation_run: u32,
    /// The variant.
    pub variant: Variant,
    /// The kind of oracle that answers: `openai`, `agent:…`, and so on.
    pub provider: String,
    /// The model, as its server names it.
    pub model_id: String,
    /// The environment's id.
    pub environment: String,
    /// SHA-256 of the environment's file, in hexadecimal; absent for the one that every release has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment_hash: Option<String>,
    /// SHA-256 of what is the same in every prompt, in hexadecimal.
    pub skeleton_hash: String,
    /// How many steps an episode has, at least 3.
    pub steps_per_episode: u32,
    /// How many episodes are run under each seed.
    pub episodes: u32,
    /// The seeds, in order.
    pub seeds: Vec<u64>,
    /// How the prompt's length is held constant; `None` for the base harness.
    #[serde(rename = "held")]
    pub constant_length: Option<ConstantLength>,
    /// How a server's calls are made; absent for an oracle that is no server, and in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TransportSettings>,
    /// How the model is asked to choose its words; absent where it is as in v3.0.
    #[serde(default, skip_serializing_if = "Sampling::is_default")]
    pub sampling: Sampling,
    /// The endpoint that was declared primary before the run; absent in runs of earlier versions and of the base
    /// harness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary: Option<StudyEndpoint>,
}

impl RunHeader {
    /// The plan of the run.
    #[must_use]
    pub fn plan(&self) -> RunPlan {
        RunPlan {
            variant: self.variant,
            seeds: self.seeds.clone(),
            episodes: self.episodes,
        }
    }

    /// The environment's id, and SHA-256 of its file where its id alone does not say which one it is.
    #[must_use]
    pub fn environment_key(&self) -> (&str, Option<&str>) {
        (&self.environment, self.environment_hash.as_deref())
    }

    /// The text of the file: a line of canonical JSON.
    #[must_use]
    pub fn to_file_text(&self) -> String {
        to_canonical_json(self) + "\n"
    }

    /// Reads a header file, and gives the SHA-256 of its bytes in hexadecimal too.
    ///
    /// # Errors
    /// [`FileError::Io`](axilog_ledger::error::FileError::Io), [`AblationError::Document`].
    pub fn read(path: &Path) -> Result<(RunHeader, String), AblationError> {
        const HINT: &str = "take the file as `axilog ablation run` wrote it";
        let bytes = read_input(path, "read", MAX_INPUT_BYTES)?;
        let header: RunHeader = parse_document(path, &bytes, "a run header", HINT)?;
        let refuse = |reason: String| AblationError::Document {
            path: path.to_owned(),
            reason: format!("{reason}; {HINT}"),
        };
        let version = header.axilog_ablation_run;
        if version != 1 {
            return Err(refuse(format!("has version {version}; expected version 1")));
        }
        let longest = header
            .constant_length
            .iter()
            .map(|held| held.lengths().max());
        if longest.max() > Some(MAX_LENGTH) {
            return Err(refuse(format!(
                "has segments of more than {MAX_LENGTH} tokens"
            )));
        }
        Ok((header, hex(&sha256(&bytes))))
    }
}

/// How the length of a run's prompts is held constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstantLength {
    /// The digest that stands in the calibration file.
    pub calibration: String,
    /// N.
    pub precedent_length: u64,
    /// M.
    pub situation_length: u64,
    /// The tokenizer's id.
    pub tokenizer: String,
    /// The tokenizer's version.
    pub tokenizer_version: String,
    /// The padding's text.
    pub pad: String,
    /// The padding's tokens.
    pub pad_tokens: Vec<u32>,
}

impl ConstantLength {
    /// Takes the lengths of the calibration whose digest is `calibration`.
    #[must_use]
    pub fn new(
        calibration: String,
        lengths: SegmentLengths,
        basis: &CalibrationBasis,
    ) -> ConstantLength {
        ConstantLength {
            calibration,
            precedent_length: lengths.precedent,
            situation_length: lengths.situation,
            tokenizer: basis.tokenizer.clone(),
            tokenizer_version: basis.tokenizer_version.clone(),
            pad: basis.pad.clone(),
            pad_tokens: basis.pad_tokens.clone(),
        }
    }

    /// The lengths of the segments.
    #[must_use]
    pub fn lengths(&self) -> SegmentLengths {
        SegmentLengths {
            precedent: self.precedent_length,
            situation: self.situation_length,
        }
    }
}
