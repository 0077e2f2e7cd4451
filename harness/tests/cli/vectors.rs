//! The agent's golden vectors through the command, byte for byte.
//!
//! A vector is reproduced where the command can express it: its policies are a policy file, it
//! begins with a reset and a time, and its steps are times, control inputs and answers.

use std::collections::BTreeMap;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use base64::Engine;
use serde_json::{Value, json};

use crate::bench::Bench;

fn decode(value: &Value) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD
        .decode(value.as_str().unwrap())
        .unwrap()
}

enum Step {
    Time(u64),
    Control(&'static str),
    Answer(Vec<u8>),
}

fn step(step: &Value) -> Option<Step> {
    let output = decode(&step["output_b64"]);
    let text = String::from_utf8_lossy(&output).into_owned();
    match step["oracle_id"].as_str().unwrap() {
        "ax.time" => {
            let number = text.strip_prefix("{\"timestamp\":")?.strip_suffix('}')?;
            let time = number.parse().ok()?;
            (text == format!("{{\"timestamp\":{time}}}")).then_some(Step::Time(time))
        }
        "ax.control" => Some(Step::Control(match text.as_str() {
            "{\"input_class\":\"RESET_REQUEST\"}" => "reset",
            "{\"input_class\":\"POLICY_TRIGGER\"}" => "mitigate",
            "{\"input_class\":\"FAULT_SIGNAL\"}" => "fault",
            _ => return None,
        })),
        _ => Some(Step::Answer(output)),
    }
}

/// The policies as a file, where one can hold them.
fn policy_file(vector: &Value) -> Option<String> {
    let mut selectors: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for policy in vector["policies"].as_array().unwrap() {
        let comparison = policy["comparison"].as_str().unwrap();
        if !["GT", "LT", "GE", "LE"].contains(&comparison) {
            return None;
        }
        let entries = selectors.entry(policy["selector"].as_str().unwrap());
        entries.or_default().push(json!({
            "comparison": comparison,
            "enabled": policy["enabled"] == 1,
            "policy_id": policy["policy_id"],
            "threshold": policy["threshold"],
        }));
    }
    Some(json!(selectors).to_string())
}

/// Its manifest is the empty one, which no option of the command makes.
const EMPTY_MANIFEST: &str = "manifest";

#[test]
fn the_command_writes_the_golden_ledgers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/agent.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut reproduced = Vec::new();
    for vector in vectors.as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        if name == EMPTY_MANIFEST {
            continue;
        }
        let all = vector["steps"].as_array().unwrap();
        let steps: Option<Vec<Step>> = all.iter().map(step).collect();
        let (Some(policies), Some(steps)) = (policy_file(vector), steps) else {
            continue;
        };
        let [Step::Control("reset"), Step::Time(time), rest @ ..] = steps.as_slice() else {
            continue;
        };
        let bench = Bench::new();
        bench.write("loose.json", policies);
        bench.run("policy fmt loose.json -o policies.json").exits(0);
        let mut init = format!("init ledger.jsonl --policies policies.json --time {time}");
        for (field, option) in [
            ("stop_on_invalid", " --stop-on-invalid"),
            ("permit_truncated", " --permit-truncated"),
        ] {
            if vector[field] == true {
                init.push_str(option);
            }
        }
        bench.run(&init).exits(0);
        for (taken, expected) in rest.iter().zip(&all[2..]) {
            let run = match taken {
                Step::Time(time) => {
                    bench.run(&format!("time {time} --force --ledger ledger.jsonl --json"))
                }
                Step::Control(control) => {
                    bench.run(&format!("control {control} --ledger ledger.jsonl --json"))
                }
                Step::Answer(output) => {
                    bench.write("input", decode(&expected["input_b64"]));
                    let ids = format!(
                        "--oracle-id {} --model-id {}",
                        expected["oracle_id"].as_str().unwrap(),
                        expected["model_id"].as_str().unwrap()
                    );
                    bench.run_with(
                        &format!("observe --ledger ledger.jsonl {ids} --input input --json"),
                        output,
                    )
                }
            };
            let decision = run.json();
            assert_eq!(decision["health"], expected["health"], "{name}");
            assert_eq!(decision["fault_count"], expected["fault_count"], "{name}");
            assert_eq!(decision["head"], expected["head"], "{name}");
            let may_act = decision["permitted"] == true && decision["health"] == "ENABLED";
            let fine = match taken {
                Step::Answer(_) => may_act,
                _ => decision["permitted"] == true && decision["health"] != "STOPPED",
            };
            let of_oracle = matches!(taken, Step::Answer(_));
            assert_eq!(decision["may_act"], may_act && of_oracle, "{name}");
            assert_eq!(run.code, i32::from(!fine), "{name}");
        }
        let ledger = bench.read("ledger.jsonl");
        assert_eq!(hex(&sha256(&ledger)), vector["ledger_sha256"], "{name}");
        bench.run("replay ledger.jsonl").exits(0);
        reproduced.push(name.to_owned());
    }
    // All but those that begin otherwise, or hold what only another caller can say.
    let skipped = [
        "uninit-needs-reset",
        "bad-time",
        "unknown-control",
        "unknown-operator",
        "newline-after-time",
    ];
    let expected: Vec<&str> = vectors
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["name"].as_str().unwrap())
        .filter(|name| !skipped.contains(name) && *name != EMPTY_MANIFEST)
        .collect();
    assert_eq!(reproduced, expected);
}

#[test]
fn the_golden_ledger_verifies_and_replays_under_the_built_in_rules() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/vectors/breach-alarm-recover.jsonl"
    );
    let bench = Bench::new();
    bench.write("ledger.jsonl", std::fs::read(path).unwrap());
    bench
        .run("verify ledger.jsonl --expect-entries 20")
        .exits(0);
    let report = bench.run("replay ledger.jsonl --json").exits(0).json();
    assert_eq!(report["configuration_source"], "built-in");
    assert_eq!(report["health"], "ENABLED");
    assert_eq!(report["last_timestamp"], 2);
    // Its inputs are not beside it.
    let report = bench.run("verify ledger.jsonl --blobs --json").exits(1);
    assert_eq!(report.json()["blobs"]["missing_count"], 2);
}
