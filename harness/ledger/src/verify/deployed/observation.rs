//! Observations as deployed gateways write them, whatever they hold.

use axilog::evidence::observation::{MAX_RECORD_BYTES, Params, is_valid_id};
use axilog::hash::{Tag, commit, sha256};
use axilog::json::writer;
use axilog::profile::Profile;
use axilog::text;
use serde::Deserialize;

use super::departure::Departure;
use crate::encoding::{ByteBuffer, hex};

/// The record of a deployed gateway, byte for byte as its writer makes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeployedObservation {
    completion_state: String,
    failure_type: Option<String>,
    input_hash: String,
    ledger_seq: u64,
    model_id: String,
    obs_hash: String,
    oracle_id: String,
    output: String,
    output_size: u64,
    params: DeployedParams,
    schema_version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeployedParams {
    max_tokens: Option<i32>,
    seed: Option<i64>,
    temperature: Option<i32>,
    top_p: Option<i32>,
}

const STATES: [&str; 4] = ["COMPLETE", "TRUNCATED", "ERROR", "UNKNOWN"];
const FAILURES: [&str; 4] = ["TIMEOUT", "INVALID_OUTPUT", "TRANSPORT_ERROR", "UNKNOWN"];

impl DeployedObservation {
    /// Reads a record whose bytes are those of the deployed writer.
    pub(super) fn read(record: &[u8]) -> Option<DeployedObservation> {
        let read: DeployedObservation = serde_json::from_slice(record).ok()?;
        let failure = read.failure_type.as_deref();
        let is_named = STATES.contains(&read.completion_state.as_str())
            && failure.is_none_or(|name| FAILURES.contains(&name))
            && read.schema_version == "AX:OBS:v1"
            && [&read.input_hash, &read.obs_hash]
                .iter()
                .all(|digits| digits.len() == 64 && digits.bytes().all(is_hex_digit));
        (is_named && read.write(&read.obs_hash) == record).then_some(read)
    }

    /// The bytes of the record, with these digits as its hash.
    fn write(&self, obs_hash: &str) -> Vec<u8> {
        let escape = |text: &str| {
            let mut bytes = ByteBuffer::default();
            writer::string(text.as_bytes(), Profile::Oracle1_2, &mut bytes);
            String::from_utf8_lossy(&bytes.0).into_owned()
        };
        let failure = match &self.failure_type {
            Some(failure) => format!("\"{failure}\""),
            None => "null".to_owned(),
        };
        let mut params = ByteBuffer::default();
        self.params().write(&mut params);
        format!(
            "{{\"completion_state\":\"{}\",\"failure_type\":{failure},\"input_hash\":\"{}\",\"ledger_seq\":{},\"model_id\":{},\"obs_hash\":\"{obs_hash}\",\"oracle_id\":{},\"output\":{},\"output_size\":{},\"params\":{},\"schema_version\":\"AX:OBS:v1\"}}",
            self.completion_state,
            self.input_hash,
            self.ledger_seq,
            escape(&self.model_id),
            escape(&self.oracle_id),
            escape(&self.output),
            self.output_size,
            String::from_utf8_lossy(&params.0),
        )
        .into_bytes()
    }

    fn params(&self) -> Params {
        let DeployedParams {
            max_tokens,
            seed,
            temperature,
            top_p,
        } = self.params;
        Params {
            max_tokens,
            seed,
            temperature,
            top_p,
        }
    }

    /// The profile under which the record has its hash.
    pub(super) fn profile(&self) -> Option<Profile> {
        let hashed = self.write("");
        if hex(&sha256(&hashed)) == self.obs_hash {
            return Some(Profile::Oracle1_1);
        }
        let tagged = commit(Tag::Obs.as_str().as_bytes(), &hashed);
        (hex(&tagged) == self.obs_hash).then_some(Profile::Oracle1_2)
    }

    pub(super) fn list_departures(&self, record_len: usize) -> Vec<Departure> {
        let has_failure = self.failure_type.is_some();
        let is_consistent = match self.completion_state.as_str() {
            "COMPLETE" | "TRUNCATED" => !has_failure,
            "ERROR" => has_failure && self.failure_type.as_deref() != Some("UNKNOWN"),
            _ => false,
        };
        let held = self.output.len() as u64;
        let size_fits = match self.completion_state.as_str() {
            "COMPLETE" => self.output_size == held,
            "TRUNCATED" => self.output_size >= held,
            "ERROR" => held > 0 || self.output_size == 0,
            _ => true,
        };
        let ids = [&self.oracle_id, &self.model_id];
        let Params {
            max_tokens,
            seed,
            temperature,
            top_p,
        } = self.params();
        let is_negative = max_tokens.is_some_and(|n| n < 0) || seed.is_some_and(|n| n < 0);
        let in_range = Params {
            temperature,
            top_p,
            ..Params::NULL
        };
        let is_normal = text::is_nfc(self.output.as_bytes());
        let has_row = !is_normal && text::is_nfc(split_rows_of_marks(&self.output).as_bytes());
        let is_identity = |id: &&String| id.is_empty() || is_valid_id(id.as_bytes());
        let found = [
            (!is_normal && !has_row, Departure::NotNormalized),
            (has_row, Departure::MarksInARow),
            (
                text::has_forbidden_control(self.output.as_bytes(), false),
                Departure::ControlCharacters,
            ),
            (ids.iter().any(|id| id.is_empty()), Departure::NoIdentity),
            (!ids.iter().all(is_identity), Departure::Identity),
            (is_negative, Departure::NegativeParameter),
            (!in_range.is_valid(), Departure::ParameterRange),
            (!is_consistent, Departure::States),
            (!size_fits, Departure::OutputSize),
            (record_len > MAX_RECORD_BYTES, Departure::TooLong),
        ];
        let found = found.into_iter().filter(|(is_so, _)| *is_so);
        found.map(|(_, departure)| departure).collect()
    }
}

fn is_hex_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

/// The text with a starter that composes with nothing (U+034F) after each 30th mark of a row, as the Stream-Safe Text
/// Format has it: in Normalization Form C where the text is, and without the rows that no reader takes.
fn split_rows_of_marks(text: &str) -> String {
    let mut split = String::with_capacity(text.len());
    let mut row = 0;
    for character in text.chars() {
        row = if is_mark(character) { row + 1 } else { 0 };
        if row > 30 {
            split.push('\u{34F}');
            row = 1;
        }
        split.push(character);
    }
    split
}

/// Whether a character counts towards a row of marks: the library takes 30 of it in a row, and not 31.
fn is_mark(character: char) -> bool {
    let row = |length| character.to_string().repeat(length);
    !character.is_ascii() && !text::is_nfc(row(31).as_bytes()) && text::is_nfc(row(30).as_bytes())
}
