//! The seeds of the fuzz targets: short pieces of `tests/vectors` in the form that each target reads.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use axilog_testkit::vectors::{
    AgentVector, ObservationVector, agents, decode, observations, vector,
};

use crate::process::{TaskResult, workspace_root};

/// The most bytes of a seed, except for those of the target `ledger`.
const LONGEST_SEED: usize = 1024;

/// Answers that a model may give.
const ANSWERS: [&str; 8] = [
    "{\"candidates\":[{\"action_request\":{\"action_type\":\"Notify\",\"fields\":{}},\"authority_citations\":[\"constitution:1#C\"]}]}",
    "Here it is:\r\n```json\r\n{ \"a\" : 1.50, \"b\": [true, null, \"\\u00e9\"] }\r\n```\r\n",
    "{\"a\":1} or {\"a\":2}",
    "[{\"a\":1}] says [1], not {\"a\":\"}\"}",
    "{\"a\":{\"b\":1}",
    "{\"a\":1,\"a\":2}",
    "{a:2} [x, {\"a\":-0.5e3}",
    "I would rather not.",
];

/// The seeds' contents by `TARGET/NAME`.
pub type Seeds = BTreeMap<String, Vec<u8>>;

/// Makes every seed.
///
/// # Errors
/// Where a vector cannot be read.
pub fn generate_seeds() -> TaskResult<Seeds> {
    let mut seeds = SeedBuilder::default();
    observations().iter().for_each(|v| seeds.add_observation(v));
    agents().iter().for_each(|v| seeds.add_agent(v));
    seeds.add_numbers()?;
    seeds.add_golden_ledger()?;
    let policies = fs::read(workspace_root().join("policies/default.json"))?;
    seeds.add("policies", "default", &policies);
    for (number, text) in ANSWERS.iter().enumerate() {
        seeds.add(
            "canonicalizer",
            &format!("answer-{number}"),
            text.as_bytes(),
        );
    }
    Ok(seeds.0)
}

/// Writes every seed into `directory`, in a folder for each target.
///
/// # Errors
/// As [`generate_seeds`], and where a file cannot be written.
pub fn write_seeds(directory: &Path) -> TaskResult {
    for (name, contents) in generate_seeds()? {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, contents)?;
    }
    Ok(())
}

#[derive(Default)]
struct SeedBuilder(Seeds);

impl SeedBuilder {
    fn add(&mut self, target: &str, name: &str, contents: &[u8]) {
        if contents.len() <= LONGEST_SEED {
            self.0.insert(format!("{target}/{name}"), contents.to_vec());
        }
    }

    fn add_observation(&mut self, v: &ObservationVector) {
        let (input, output) = (decode(&v.input_b64), decode(&v.output_b64));
        self.add("text", &v.name, &output);
        for (profile, record) in [(0, &v.rfc8785), (1, &v.oracle_1_1), (2, &v.oracle_1_2)] {
            if let Some(bytes) = record.as_ref().and_then(|record| record.bytes.as_ref()) {
                let name = format!("{}-{profile}", v.name);
                self.add("records", &name, bytes.as_bytes());
            }
        }
        // The target reads two bits for the failure; their fourth value stands for no failure.
        let failure = v.failure_type.wrapping_sub(1) & 3;
        let mut call = vec![
            v.completion_state | failure << 2,
            0,
            0,
            255,
            1,
            0,
            0,
            0,
            0,
            0,
        ];
        for part in [v.model_id.as_bytes(), v.oracle_id.as_bytes(), &input] {
            call.extend_from_slice(part);
            call.push(0xFF);
        }
        call.extend_from_slice(&output);
        self.add("admission", &v.name, &call);
    }

    fn add_agent(&mut self, v: &AgentVector) {
        let configuration = v.configuration.as_bytes();
        self.add("policies", &v.name, configuration);
        self.add("json", &format!("{}-configuration", v.name), configuration);
        for (number, step) in v.steps.iter().enumerate() {
            let name = format!("{}-{number}", v.name);
            self.add("json", &name, &decode(&step.output_b64));
            for (tag, record) in &step.records {
                let kind = match tag.as_str() {
                    "AX:POLICY:v1" => "policy",
                    "AX:TRANS:v1" => "transition",
                    _ => continue,
                };
                self.add("records", &format!("{name}-{kind}"), record.as_bytes());
            }
        }
    }

    fn add_numbers(&mut self) -> TaskResult {
        #[derive(serde::Deserialize)]
        struct File {
            decimal: Vec<(String, serde::de::IgnoredAny)>,
        }
        let file: File = serde_json::from_str(&vector("q16.json"))?;
        for (number, (spelling, _)) in file.decimal.iter().enumerate() {
            self.add("number", &format!("decimal-{number}"), spelling.as_bytes());
        }
        Ok(())
    }

    /// Adds the golden ledger as a file, and as records for which the target computes the chain.
    fn add_golden_ledger(&mut self) -> TaskResult {
        let file = vector("breach-alarm-recover.jsonl");
        let mut records = Vec::from(0x8000_0000u32.to_le_bytes());
        for (seq, line) in file.lines().enumerate() {
            let record = line.split_once(",\"record\":").and_then(|(_, rest)| {
                let (record, rest) = rest.rsplit_once(",\"seq\":")?;
                let (_, tag) = rest.split_once(",\"tag\":\"")?;
                Some((record, tag.strip_suffix("\"}")?))
            });
            let (record, tag) = record.ok_or(
                "a line of tests/vectors/breach-alarm-recover.jsonl has no record, seq and tag",
            )?;
            if tag != "AX:STATE:v1" {
                records.extend(format!("{tag} {record}\n").bytes());
            }
            self.add("records", &format!("line-{seq}"), line.as_bytes());
        }
        let whole = [&[0; 4], file.as_bytes()].concat();
        self.0.insert("ledger/file".into(), whole);
        self.0.insert("ledger/records".into(), records);
        Ok(())
    }
}
