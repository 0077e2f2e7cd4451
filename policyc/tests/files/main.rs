//! Policy files one by one: what is accepted, and the exact message and
//! position where one is not (formats.md sections 4 and 5).

mod limits;
mod selectors;
mod shape;
mod spelling;
mod text;

use axilog_policyc::{PolicyFileError, PolicySet};

/// The example of SRS-004 section 17.3.
const VELOCITY: &str =
    r#"{"comparison":"GT","enabled":true,"policy_id":"POL-001-MAX-VELOCITY","threshold":4587520}"#;

fn entry(comparison: &str, id: &str, threshold: i64) -> String {
    format!(
        r#"{{"comparison":"{comparison}","enabled":true,"policy_id":"{id}","threshold":{threshold}}}"#
    )
}

fn message<T: std::fmt::Debug>(result: Result<T, PolicyFileError>) -> String {
    result.unwrap_err().to_string()
}

/// Refused by both readers with the same words.
fn refused(file: impl AsRef<[u8]>, expected: &str) {
    let file = file.as_ref();
    assert_eq!(message(PolicySet::parse(file)), expected);
    assert_eq!(message(PolicySet::parse_lenient(file)), expected);
}
