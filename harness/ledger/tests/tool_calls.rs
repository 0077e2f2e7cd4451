//! The golden vectors of `tests/vectors/tool_calls.json`: what an assistant's message asks for.

use axilog_ledger::tool_calls::split_tool_calls;
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    split: Vec<SplitVector>,
    refused: Vec<RefusedVector>,
}

#[derive(Deserialize)]
struct SplitVector {
    name: String,
    message: String,
    calls: Vec<ExpectedCall>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct ExpectedCall {
    oracle_id: String,
    arguments: String,
}

#[derive(Deserialize)]
struct RefusedVector {
    message: String,
    told: String,
}

fn read_vectors() -> Vectors {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/vectors/tool_calls.json"
    );
    let vectors: Vectors = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(vectors.split.len() >= 30 && vectors.refused.len() >= 26);
    vectors
}

#[test]
fn a_message_is_split_into_its_calls() {
    for vector in read_vectors().split {
        let calls = split_tool_calls(vector.message.as_bytes());
        let calls = calls.unwrap_or_else(|error| panic!("{}: {error}", vector.name));
        let found: Vec<_> = calls
            .into_iter()
            .map(|call| ExpectedCall {
                oracle_id: call.oracle_id(),
                arguments: String::from_utf8(call.arguments).unwrap(),
            })
            .collect();
        assert_eq!(found, vector.calls, "{}", vector.name);
    }
}

/// Spaces and lines of the message are not part of what it asks for.
#[test]
fn the_spelling_of_a_message_changes_nothing() {
    for vector in read_vectors().split {
        let message: serde_json::Value = serde_json::from_str(&vector.message).unwrap();
        let pretty = serde_json::to_vec_pretty(&message).unwrap();
        let calls = split_tool_calls(vector.message.as_bytes());
        assert_eq!(split_tool_calls(&pretty), calls, "{}", vector.name);
    }
}

#[test]
fn a_message_whose_calls_cannot_be_told_is_refused() {
    for RefusedVector { message, told } in read_vectors().refused {
        let error = split_tool_calls(message.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(&told), "{message}: {error}");
    }
}
