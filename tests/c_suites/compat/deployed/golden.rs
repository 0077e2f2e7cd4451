//! A writer of records and ledger lines as the deployed gateways make them, which knows nothing of the library but
//! SHA-256. It is held to the vectors: it writes each recorded record, and gives its recorded digest.

use axilog::hash::{Hash, sha256};
use axilog_testkit::vectors::{hex, unhex};
use serde_json::Value;

use super::vectors::expand;

/// The room that the deployed writer has for a text with its escapes; one that needs more is written as the empty one.
const ESCAPE_ROOM: usize = 129_024;

/// A record that the deployed gateway admitted, as a vector has it.
pub struct DayRecord {
    state: &'static str,
    failure: &'static str,
    input_hash: Hash,
    model_id: Vec<u8>,
    oracle_id: Vec<u8>,
    output: Vec<u8>,
    output_size: u64,
    params: [Option<i64>; 4],
}

impl DayRecord {
    /// The record that the vector's answer became, or the one of a refused answer: an ERROR without a text.
    pub fn read(vector: &Value) -> DayRecord {
        let given = &vector["in"];
        let record = match vector["rc"].as_i64() {
            Some(0) => &vector["record"],
            _ => given,
        };
        let refused = vector["rc"] != 0;
        let input = bytes(&given["input"]);
        let input_len = given["input_len"].as_u64().unwrap() as usize;
        let input_hash = match input {
            Some(input) if input_len > 0 => sha256(&input[..input_len]),
            _ => [0; 32],
        };
        let (state, failure) = match refused {
            true => (2, 2),
            false => (
                number(&record["completion_state"]),
                number(&record["failure_type"]),
            ),
        };
        let output = match refused {
            true => Vec::new(),
            false => bytes(&record["output"]).unwrap_or_default(),
        };
        DayRecord {
            state: name(&["COMPLETE", "TRUNCATED", "ERROR"], state),
            failure: match failure {
                0 => "null",
                failure => name(
                    &["\"TIMEOUT\"", "\"INVALID_OUTPUT\"", "\"TRANSPORT_ERROR\""],
                    failure - 1,
                ),
            },
            input_hash,
            model_id: bytes(&record["model_id"]).unwrap_or_default(),
            oracle_id: bytes(&record["oracle_id"]).unwrap_or_default(),
            output_size: match refused {
                true => 0,
                false => record["output_size"].as_u64().unwrap(),
            },
            output,
            params: match refused {
                true => [None; 4],
                false => read_params(&record["params"]),
            },
        }
    }

    /// The bytes of its texts.
    pub fn text_len(&self) -> usize {
        self.output.len() + self.model_id.len() + self.oracle_id.len()
    }

    pub fn write(&self, ledger_seq: u64, profile: Profile) -> Vec<u8> {
        let text = self.write_with(ledger_seq, "");
        let digest = match profile {
            Profile::Plain => sha256(&text),
            Profile::Tagged => commit("AX:OBS:v1", &text),
        };
        self.write_with(ledger_seq, &hex(&digest))
    }

    fn write_with(&self, ledger_seq: u64, obs_hash: &str) -> Vec<u8> {
        let [max_tokens, seed, temperature, top_p] = self
            .params
            .map(|value| value.map_or("null".to_owned(), |value| value.to_string()));
        [
            format!(
                "{{\"completion_state\":\"{}\",\"failure_type\":{},\"input_hash\":\"{}\",\"ledger_seq\":{ledger_seq},\"model_id\":\"",
                self.state,
                self.failure,
                hex(&self.input_hash)
            )
            .into_bytes(),
            escape(&self.model_id),
            format!("\",\"obs_hash\":\"{obs_hash}\",\"oracle_id\":\"").into_bytes(),
            escape(&self.oracle_id),
            b"\",\"output\":\"".to_vec(),
            escape(&self.output),
            format!(
                "\",\"output_size\":{},\"params\":{{\"max_tokens\":{max_tokens},\"seed\":{seed},\"temperature\":{temperature},\"top_p\":{top_p}}},\"schema_version\":\"AX:OBS:v1\"}}",
                self.output_size
            )
            .into_bytes(),
        ]
        .concat()
    }
}

/// The hash of a record: SHA-256, or the tagged commitment.
#[derive(Clone, Copy)]
pub enum Profile {
    Plain,
    Tagged,
}

fn name(names: &[&'static str], number: i64) -> &'static str {
    let index = usize::try_from(number).ok();
    match index.and_then(|index| names.get(index)) {
        Some(name) => name,
        None if names.contains(&"ERROR") => "UNKNOWN",
        None => "\"UNKNOWN\"",
    }
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

/// The bytes of an expression, `None` for NULL.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    value.as_str().map(expand)
}

/// Numbers that stand for null are null.
fn read_params(params: &Value) -> [Option<i64>; 4] {
    let read = |name: &str, null: i64| {
        let value = params[name].as_i64().unwrap_or(null);
        (value != null).then_some(value)
    };
    [
        read("max_tokens", -1),
        read("seed", -1),
        read("temperature", i32::MIN.into()),
        read("top_p", i32::MIN.into()),
    ]
}

/// Both profiles of rigs have these escapes. Bytes that are not UTF-8 stay as they are.
fn escape(text: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::new();
    for &byte in text {
        match byte {
            b'"' | b'\\' => escaped.extend([b'\\', byte]),
            0..0x20 => escaped.extend(format!("\\u{byte:04x}").into_bytes()),
            _ => escaped.push(byte),
        }
    }
    match escaped.len() < ESCAPE_ROOM {
        true => escaped,
        false => Vec::new(),
    }
}

/// SHA-256 over a tag, the length of a record and the record.
fn commit(tag: &str, record: &[u8]) -> Hash {
    let length = (record.len() as u64).to_le_bytes();
    sha256(&[tag.as_bytes(), &length, record].concat())
}

/// The lines of a ledger, and the chain value of the last.
pub struct GoldenLedger {
    pub lines: Vec<u8>,
    pub head: Hash,
    pub records: u64,
}

impl GoldenLedger {
    /// The ledger that holds its genesis.
    pub fn begin() -> GoldenLedger {
        let mut ledger = GoldenLedger {
            lines: Vec::new(),
            head: [0; 32],
            records: 0,
        };
        ledger.append(
            "AX:STATE:v1",
            b"{\"component\":\"axilog-core\",\"evidence_type\":\"AX:STATE:v1\",\"is_terminal\":false,\"platform\":\"universal\",\"state_hash\":\"0000000000000000000000000000000000000000000000000000000000000000\"}",
        );
        ledger
    }

    pub fn append(&mut self, tag: &str, record: &[u8]) {
        let commitment = commit(tag, record);
        self.head = match self.records {
            0 => sha256(&[b"AX:LEDGER:v1".as_slice(), &commitment].concat()),
            _ => sha256(&[b"AX:LEDGER:v1".as_slice(), &self.head, &commitment].concat()),
        };
        let before = format!(
            "{{\"chain\":\"{}\",\"commit\":\"{}\",\"record\":",
            hex(&self.head),
            hex(&commitment)
        );
        let behind = format!(",\"seq\":{},\"tag\":\"{tag}\"}}\n", self.records);
        self.lines.extend_from_slice(before.as_bytes());
        self.lines.extend_from_slice(record);
        self.lines.extend_from_slice(behind.as_bytes());
        self.records += 1;
    }

    /// Appends the recorded transition of one state to the next, with another sequence.
    pub fn append_transition(&mut self, template: &str, ledger_seq: u64) {
        let (before, behind) = template.split_once("\"ledger_seq\":").unwrap();
        let (_, behind) = behind.split_once(',').unwrap();
        let record = format!("{before}\"ledger_seq\":{ledger_seq},{behind}");
        self.append("AX:TRANS:v1", record.as_bytes());
    }
}

/// The writer gives the recorded length, hash and digest of a vector's record.
pub fn hold_to_vector(record: &DayRecord, vector: &Value, profile: Profile) {
    let case = &vector["case"];
    let recorded = &vector["record"];
    let digest = |value: &Value| unhex(value.as_str().unwrap());
    assert_eq!(record.input_hash, digest(&recorded["input_hash"]), "{case}");
    let written = record.write(recorded["ledger_seq"].as_u64().unwrap(), profile);
    assert_eq!(
        written.len() as i64,
        number(&vector["canonical_len"]),
        "{case}"
    );
    assert_eq!(
        sha256(&written),
        digest(&vector["canonical_sha256"]),
        "{case}"
    );
}
