//! What the lengths of a calibration depend on, the greatest length, and the fewest seeds.

use serde::{Deserialize, Serialize};

/// The greatest length of a segment, in tokens: more than a situation and a record can have. The
/// self-test of the padding takes time with the square of it.
pub const MAX_LENGTH: u64 = 1 << 15;

/// How many seeds a calibration takes at least.
pub const MIN_SEEDS: usize = 3;

/// What the lengths depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrationBasis {
    /// The environment's id.
    pub environment: String,
    /// SHA-256 of the environment's file, in hexadecimal; absent for the one that every release has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment_hash: Option<String>,
    /// SHA-256 of what is the same in every prompt, in hexadecimal.
    pub skeleton_hash: String,
    /// The tokenizer's id.
    pub tokenizer: String,
    /// The tokenizer's version.
    pub tokenizer_version: String,
    /// The padding's text.
    pub pad: String,
    /// The padding's tokens.
    pub pad_tokens: Vec<u32>,
}
