//! Calibration: how long the two segments are (Q1), and the file that freezes it.
//!
//! A run takes its lengths from such a file and from nowhere else. The file names everything that they
//! depend on and ends with its own digest.

use std::collections::BTreeSet;
use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::error::FileError;
use axilog_ledger::file::hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::canonical;
use super::error::AblationError;
use super::prompt::Lengths;

/// No segment is shorter.
pub const FLOOR: u64 = 512;

/// No segment is longer: it is more than a situation and what follows from an answer can have, and the
/// self-test of the padding takes the square of it.
pub const MAX_LENGTH: u64 = 1 << 15;

/// As few seeds as may be.
pub const MIN_SEEDS: usize = 3;

/// The longest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// `max(512, ceil_to_32(1.25 × longest))`, in integers.
#[must_use]
pub fn length(longest: u64) -> u64 {
    longest
        .saturating_mul(5)
        .div_ceil(4)
        .div_ceil(32)
        .saturating_mul(32)
        .max(FLOOR)
}

/// What the lengths depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// The environment's id.
    pub environment: String,
    /// SHA-256 of what is the same in every prompt, in hexadecimal.
    pub skeleton_hash: String,
    /// The tokenizer's id.
    pub tokenizer: String,
    /// Its version.
    pub tokenizer_version: String,
    /// The padding.
    pub pad: String,
    /// Its tokens.
    pub pad_tokens: Vec<u32>,
}

/// A calibration as its file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The form of the file: 1.
    pub axilog_ablation_calibration: u32,
    /// What it holds for.
    pub basis: Basis,
    /// Who answered: `openai`, `agent:…`, and so on.
    pub provider: String,
    /// The model.
    pub model_id: String,
    /// Under which seeds.
    pub seeds: Vec<u64>,
    /// Episodes under each.
    pub episodes: u32,
    /// Steps in each.
    pub steps_per_episode: u32,
    /// How many records were written.
    pub records: u64,
    /// Tokens of the longest record, as injected.
    pub max_precedent_tokens: u64,
    /// Tokens of the longest situation.
    pub max_situation_tokens: u64,
    /// N.
    pub precedent_length: u64,
    /// M.
    pub situation_length: u64,
}

impl Calibration {
    /// The lengths.
    #[must_use]
    pub fn lengths(&self) -> Lengths {
        Lengths {
            precedent: self.precedent_length,
            situation: self.situation_length,
        }
    }

    /// SHA-256 of the canonical form without the digest itself, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> String {
        hex(&sha256(self.canonical(None).as_bytes()))
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> String {
        self.canonical(Some(self.hash())) + "\n"
    }

    fn canonical(&self, hash: Option<String>) -> String {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let (Some(hash), Some(object)) = (hash, value.as_object_mut()) {
            object.insert("hash".to_owned(), hash.into());
        }
        canonical(&value)
    }

    /// Reads a file. Its digest must be right, and its lengths those that the measures give.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`AblationError::File`].
    pub fn read(path: &Path) -> Result<Calibration, AblationError> {
        let refused = |reason: String| AblationError::File {
            path: path.to_owned(),
            reason: format!(
                "{reason}; make the file with `axilog ablation calibrate` and leave it as it is"
            ),
        };
        let length_of = std::fs::metadata(path)
            .map_err(FileError::at(path, "read"))?
            .len();
        if length_of > MAX_FILE_BYTES {
            return Err(refused("is too long for a calibration".to_owned()).into());
        }
        let bytes = std::fs::read(path).map_err(FileError::at(path, "read"))?;
        let mut value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| refused(format!("is no calibration: {error}")))?;
        let hash = value
            .as_object_mut()
            .and_then(|object| object.remove("hash"));
        let found: Calibration = serde_json::from_value(value)
            .map_err(|error| refused(format!("is no calibration: {error}")))?;
        if found.axilog_ablation_calibration != 1 {
            return Err(refused("is of another version".to_owned()).into());
        }
        if hash.as_ref().and_then(Value::as_str) != Some(&found.hash()) {
            return Err(refused("was changed: its hash is another".to_owned()).into());
        }
        let lengths = Lengths {
            precedent: length(found.max_precedent_tokens),
            situation: length(found.max_situation_tokens),
        };
        if found.lengths() != lengths
            || found.seeds.iter().collect::<BTreeSet<_>>().len() < MIN_SEEDS
        {
            return Err(refused("has lengths that its measures do not give".to_owned()).into());
        }
        if lengths.precedent.max(lengths.situation) > MAX_LENGTH {
            return Err(refused(format!("has segments of more than {MAX_LENGTH} tokens")).into());
        }
        Ok(found)
    }

    /// Whether it may be used for `basis`. `path` is for the message.
    ///
    /// # Errors
    /// [`AblationError::OtherCalibration`] with the first thing that differs.
    pub fn check(&self, path: &Path, basis: &Basis) -> Result<(), AblationError> {
        let own = &self.basis;
        let tokens = |basis: &Basis| format!("{:?}", basis.pad_tokens);
        for (what, found, wanted) in [
            ("environment", &own.environment, &basis.environment),
            ("tokenizer", &own.tokenizer, &basis.tokenizer),
            (
                "tokenizer version",
                &own.tokenizer_version,
                &basis.tokenizer_version,
            ),
            ("padding", &own.pad, &basis.pad),
            ("padding tokens", &tokens(own), &tokens(basis)),
            ("skeleton", &own.skeleton_hash, &basis.skeleton_hash),
        ] {
            if found != wanted {
                return Err(AblationError::OtherCalibration {
                    path: path.to_owned(),
                    what,
                    found: found.clone(),
                    wanted: wanted.clone(),
                });
            }
        }
        Ok(())
    }
}
