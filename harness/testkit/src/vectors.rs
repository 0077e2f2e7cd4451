//! The golden vectors of `tests/vectors`, read.

use std::path::Path;

use base64::Engine;
use serde::Deserialize;

/// The text of a file of `tests/vectors`.
pub fn vector(name: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub fn decode(base64: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD
        .decode(base64)
        .unwrap()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The hash whose 64 hexadecimal digits are `digits`.
pub fn unhex(digits: &str) -> [u8; 32] {
    let byte = |n: usize| u8::from_str_radix(&digits[2 * n..2 * n + 2], 16).unwrap();
    assert_eq!(digits.len(), 64);
    std::array::from_fn(byte)
}

#[derive(Deserialize, Clone, Copy)]
pub struct ParamsVector {
    pub max_tokens: Option<i32>,
    pub seed: Option<i64>,
    pub temperature: Option<i32>,
    pub top_p: Option<i32>,
}

#[derive(Deserialize)]
pub struct RecordVector {
    pub len: usize,
    pub obs_hash: String,
    pub commit: String,
    pub sha256: String,
    pub bytes: Option<String>,
}

#[derive(Deserialize)]
pub struct ObservationVector {
    pub name: String,
    pub ledger_seq: u64,
    pub oracle_id: String,
    pub model_id: String,
    pub params: ParamsVector,
    pub input_b64: String,
    pub output_b64: String,
    pub completion_state: u8,
    pub failure_type: u8,
    pub status: String,
    pub rfc8785: Option<RecordVector>,
    pub oracle_1_1: Option<RecordVector>,
    pub oracle_1_2: Option<RecordVector>,
}

#[derive(Deserialize)]
pub struct PolicyVector {
    pub policy_id: String,
    pub comparison: String,
    pub threshold: i32,
    pub enabled: u8,
    pub selector: String,
}

#[derive(Deserialize)]
pub struct StepVector {
    pub oracle_id: String,
    pub model_id: String,
    pub input_b64: String,
    pub output_b64: String,
    pub health: String,
    pub fault_count: u32,
    pub records: Vec<(String, String)>,
    pub head: String,
    pub sequence: u64,
}

#[derive(Deserialize)]
pub struct AgentVector {
    pub name: String,
    pub policies: Vec<PolicyVector>,
    /// SHA-256 of the host's manifest in hexadecimal, where the configuration names one.
    pub manifest: Option<String>,
    pub stop_on_invalid: bool,
    pub permit_truncated: bool,
    pub configuration: String,
    pub steps: Vec<StepVector>,
    pub ledger_sha256: String,
}

pub fn observations() -> Vec<ObservationVector> {
    serde_json::from_str(&vector("observations.json")).unwrap()
}

/// The agent vectors.
pub fn agents() -> Vec<AgentVector> {
    serde_json::from_str(&vector("agent.json")).unwrap()
}

#[derive(Deserialize)]
pub struct ExtractedVector {
    pub selector: String,
    pub comparison: String,
    pub answer: String,
    /// Raw Q16.16; `None` where the answer has no value.
    pub value: Option<i32>,
}

#[derive(Deserialize)]
pub struct SelectorVectors {
    pub extracted: Vec<ExtractedVector>,
    pub valid: Vec<String>,
    pub refused: Vec<String>,
}

/// The selectors with `~*` and `~#`, and the values that they lead to.
pub fn selectors() -> SelectorVectors {
    serde_json::from_str(&vector("selectors.json")).unwrap()
}
