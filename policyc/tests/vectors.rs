//! The golden configurations of `tests/vectors/agent.json`.

use axilog_policyc::PolicySet;
use serde_json::{Map, Value, json};

/// Its operator is one that no file can hold.
const NOT_A_FILE: &str = "unknown-operator";

#[test]
fn configurations_are_the_golden_ones() {
    let vectors: Vec<Value> =
        serde_json::from_str(include_str!("../../tests/vectors/agent.json")).unwrap();
    let mut compared = 0;
    for vector in &vectors {
        let name = vector["name"].as_str().unwrap();
        let expected = vector["configuration"].as_str().unwrap();
        let mut groups = Map::new();
        for policy in vector["policies"].as_array().unwrap() {
            let group = groups
                .entry(policy["selector"].as_str().unwrap())
                .or_insert(json!([]));
            group.as_array_mut().unwrap().push(json!({
                "comparison": policy["comparison"],
                "enabled": policy["enabled"] == 1,
                "policy_id": policy["policy_id"],
                "threshold": policy["threshold"],
            }));
        }
        let file = Value::Object(groups).to_string();
        let parsed = PolicySet::parse_lenient(file.as_bytes());
        let configuration = PolicySet::parse_configuration(expected.as_bytes());
        if name == NOT_A_FILE {
            assert!(
                parsed
                    .unwrap_err()
                    .reason
                    .starts_with("found the string \"NE\"")
            );
            assert!(
                configuration
                    .unwrap_err()
                    .reason
                    .starts_with("found the string \"UNKNOWN\"")
            );
            continue;
        }
        let set = parsed.unwrap();
        let permit_truncated = vector["permit_truncated"].as_bool().unwrap();
        let stop_on_invalid = vector["stop_on_invalid"].as_bool().unwrap();
        let read = configuration.unwrap();
        assert_eq!(read.to_canonical(), expected, "{name}");
        let manifest = read.manifest.map(|hash| {
            let digits = hash.iter().map(|byte| format!("{byte:02x}"));
            digits.collect::<String>()
        });
        assert_eq!(json!(manifest), vector["manifest"], "{name}");
        if manifest.is_none() {
            let written = set.configuration(permit_truncated, stop_on_invalid);
            assert_eq!(written, expected, "{name}");
        }
        assert_eq!(read.policies, set, "{name}");
        assert_eq!(read.permit_truncated, permit_truncated);
        assert_eq!(read.stop_on_invalid, stop_on_invalid);
        compared += 1;
    }
    assert_eq!(compared, vectors.len() - 1);
}
