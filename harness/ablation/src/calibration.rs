//! Calibration: how long the two segments of the prompt are (Q1), and the file that freezes it.
//!
//! A run takes its lengths from such a file and from nowhere else. The file names everything that the
//! lengths depend on, and its own digest.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::input_file::read_input;
use axilog_oracle::TransportSettings;
use axilog_oracle::tokens::{Tokenizer, open_recorded_tokenizer};
use serde::{Deserialize, Serialize};

use super::calibration_basis::{CalibrationBasis, MAX_LENGTH, MIN_SEEDS};
use super::declared_environment::DeclaredEnvironment;
use super::environment_source::{environment_path, open_recorded_environment};
use super::error::AblationError;
use super::header::RunHeader;
use super::json_document::{parse_document, to_canonical_json};
use super::prompt_frame::{MIN_LENGTH, SegmentLengths};
use super::sampling::Sampling;

/// The version of the file's form.
const VERSION: u32 = 2;

/// The longest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Computes a segment's length from its longest content: `max(512, ceil_to_32(1.25 × longest))`, in
/// integers.
#[must_use]
pub fn segment_length(longest: u64) -> u64 {
    longest
        .saturating_mul(5)
        .div_ceil(4)
        .div_ceil(32)
        .saturating_mul(32)
        .max(MIN_LENGTH)
}

/// A calibration, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The version of the file's form: 2. Version 1 named no ledger.
    pub axilog_ablation_calibration: u32,
    /// What the lengths depend on.
    pub basis: CalibrationBasis,
    /// The kind of oracle that answered: `openai`, `agent:…`, and so on.
    pub provider: String,
    /// The model that was asked.
    pub model_id: String,
    /// How a server's calls were made; absent for an oracle that is no server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TransportSettings>,
    /// How the model was asked to choose its words; absent where it is as in v3.0.
    #[serde(default, skip_serializing_if = "Sampling::is_default")]
    pub sampling: Sampling,
    /// The chain value of the last record of the ledger that holds the answers, in hexadecimal. The ledger lies
    /// beside the file and has its name, with `.ledger.jsonl` after it.
    pub ledger_head: String,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// How many episodes were run under each seed.
    pub episodes: u32,
    /// How many steps each episode had.
    pub steps_per_episode: u32,
    /// How many records were written.
    pub records: u64,
    /// How many tokens the longest record has in a prompt.
    pub max_precedent_tokens: u64,
    /// How many tokens the longest situation has.
    pub max_situation_tokens: u64,
    /// N.
    pub precedent_length: u64,
    /// M.
    pub situation_length: u64,
    /// SHA-256 of the canonical JSON without this member, in hexadecimal; `None` but in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// What a calibration measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentMeasures {
    /// How many records were written.
    pub records: u64,
    /// How many tokens the longest record has in a prompt.
    pub max_precedent_tokens: u64,
    /// How many tokens the longest situation has.
    pub max_situation_tokens: u64,
}

impl Calibration {
    /// The calibration by the run of `header`, whose ledger ends in `ledger_head`.
    #[must_use]
    pub fn new(
        header: &RunHeader,
        basis: CalibrationBasis,
        measures: SegmentMeasures,
        ledger_head: String,
    ) -> Calibration {
        let header = header.clone();
        Calibration {
            axilog_ablation_calibration: VERSION,
            basis,
            provider: header.provider,
            model_id: header.model_id,
            transport: header.transport,
            sampling: header.sampling,
            ledger_head,
            seeds: header.seeds,
            episodes: header.episodes,
            steps_per_episode: header.steps_per_episode,
            records: measures.records,
            max_precedent_tokens: measures.max_precedent_tokens,
            max_situation_tokens: measures.max_situation_tokens,
            precedent_length: segment_length(measures.max_precedent_tokens),
            situation_length: segment_length(measures.max_situation_tokens),
            hash: None,
        }
    }

    /// The path of the ledger that belongs to the calibration file `path`.
    #[must_use]
    pub fn ledger_path(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(".ledger.jsonl");
        PathBuf::from(name)
    }

    /// The path of the copy of the tokenizer's file, where a file describes the tokenizer, that belongs to the
    /// calibration file `path`.
    #[must_use]
    pub fn tokenizer_path(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(".tokenizer.json");
        PathBuf::from(name)
    }

    /// Opens the tokenizer of the calibration in the file at `path`: of one that a file describes the copy beside
    /// `path`, or where there is none the file that was named.
    ///
    /// # Errors
    /// [`AblationError::Tokens`].
    pub fn open_tokenizer(&self, path: &Path) -> Result<Arc<dyn Tokenizer>, AblationError> {
        let (id, version) = (&self.basis.tokenizer, &self.basis.tokenizer_version);
        let copy = Some(Calibration::tokenizer_path(path)).filter(|copy| copy.exists());
        let opened = open_recorded_tokenizer(id, version, copy.as_deref())?;
        Ok(Arc::from(opened))
    }

    /// Opens the environment of the calibration in the file at `path`.
    ///
    /// # Errors
    /// As [`open_recorded_environment`].
    pub fn open_environment(&self, path: &Path) -> Result<DeclaredEnvironment, AblationError> {
        let basis = &self.basis;
        let named = (
            basis.environment.as_str(),
            basis.environment_hash.as_deref(),
        );
        open_recorded_environment(path, named, &environment_path(path))
    }

    /// The lengths of the segments.
    #[must_use]
    pub fn lengths(&self) -> SegmentLengths {
        SegmentLengths {
            precedent: self.precedent_length,
            situation: self.situation_length,
        }
    }

    /// Computes the digest that stands in the file.
    #[must_use]
    pub fn digest(&self) -> String {
        let unsigned = Calibration {
            hash: None,
            ..self.clone()
        };
        hex(&sha256(to_canonical_json(&unsigned).as_bytes()))
    }

    /// The text of the file: a line of canonical JSON.
    #[must_use]
    pub fn to_file_text(&self) -> String {
        let with_digest = Calibration {
            hash: Some(self.digest()),
            ..self.clone()
        };
        to_canonical_json(&with_digest) + "\n"
    }

    /// Reads a file. Its digest must be right, and its lengths must follow from its measures.
    ///
    /// # Errors
    /// [`FileError::Io`](axilog_ledger::error::FileError::Io); [`AblationError::Document`].
    pub fn read(path: &Path) -> Result<Calibration, AblationError> {
        const HINT: &str = "make it with `axilog ablation calibrate` and leave it as it is";
        let refuse = |reason: String| AblationError::Document {
            path: path.to_owned(),
            reason: format!("{reason}; {HINT}"),
        };
        let bytes = read_input(path, "read", MAX_FILE_BYTES)?;
        let mut calibration: Calibration = parse_document(path, &bytes, "a calibration", HINT)?;
        let version = calibration.axilog_ablation_calibration;
        if version != VERSION {
            return Err(refuse(format!(
                "has version {version}; expected version {VERSION}"
            )));
        }
        let (found, expected) = (calibration.hash.take(), calibration.digest());
        if found.as_ref() != Some(&expected) {
            let found = found.unwrap_or_else(|| "nothing".to_owned());
            return Err(refuse(format!(
                "was changed: its hash is {found}, and its content has {expected}"
            )));
        }
        let lengths = SegmentLengths {
            precedent: segment_length(calibration.max_precedent_tokens),
            situation: segment_length(calibration.max_situation_tokens),
        };
        if calibration.lengths() != lengths {
            return Err(refuse(format!(
                "has the lengths {} and {}, and its measures give {} and {}",
                calibration.precedent_length,
                calibration.situation_length,
                lengths.precedent,
                lengths.situation
            )));
        }
        let seeds = calibration.seeds.iter().collect::<BTreeSet<_>>().len();
        if seeds < MIN_SEEDS {
            return Err(refuse(format!(
                "has {seeds} different seeds; expected at least {MIN_SEEDS}"
            )));
        }
        if lengths.max() > MAX_LENGTH {
            return Err(refuse(format!(
                "has segments of more than {MAX_LENGTH} tokens"
            )));
        }
        Ok(calibration)
    }

    /// Checks that the calibration, read from `path`, was made for `expected`.
    ///
    /// # Errors
    /// [`AblationError::CalibrationMismatch`] with the first property that differs.
    pub fn check_basis(
        &self,
        path: &Path,
        expected: &CalibrationBasis,
    ) -> Result<(), AblationError> {
        let found = &self.basis;
        let tokens = |basis: &CalibrationBasis| format!("{:?}", basis.pad_tokens);
        let hash = |basis: &CalibrationBasis| basis.environment_hash.clone().unwrap_or_default();
        for (property, found, expected) in [
            ("environment", &found.environment, &expected.environment),
            ("environment's SHA-256", &hash(found), &hash(expected)),
            ("tokenizer", &found.tokenizer, &expected.tokenizer),
            (
                "tokenizer version",
                &found.tokenizer_version,
                &expected.tokenizer_version,
            ),
            ("padding", &found.pad, &expected.pad),
            ("padding tokens", &tokens(found), &tokens(expected)),
            ("skeleton", &found.skeleton_hash, &expected.skeleton_hash),
        ] {
            if found != expected {
                return Err(AblationError::CalibrationMismatch {
                    path: path.to_owned(),
                    property,
                    found: found.clone(),
                    expected: expected.clone(),
                });
            }
        }
        Ok(())
    }
}
