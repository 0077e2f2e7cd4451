//! What a manifest declares of a running value, and whether it can be computed.

use std::collections::BTreeMap;
use std::fmt;

use axilog::agent::stimulus::is_reserved;
use axilog::evidence::observation::is_valid_id;
use axilog_policyc::{COUNT, EMBEDDED, find_path_fault, split_scale};
use serde::{Deserialize, Serialize};

use crate::jcs::canonicalize;

/// The model of every running value.
pub const MODEL_ID: &str = "axilog";

/// The most running values of a ledger.
pub const MAX_RUNNING_VALUES: usize = 64;

/// The most characters of a running value's name.
const MAX_NAME: usize = 64;

/// The running values of a ledger, by the oracle id under which they are recorded: `ax.sum.NAME`, `ax.count.NAME` or
/// `ax.change.NAME`.
pub type RunningValues = BTreeMap<String, RunningValue>;

/// What a running value is computed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunningValue {
    /// The oracle whose answers count.
    pub oracle: String,
    /// The path of the number in its answers, as a policy has it, without `~#`, `~j` and `~eN`. A sum adds up all numbers
    /// that the path leads to; a change takes one. A count has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How long an answer counts, in the unit of the ledger's times; for good where it is absent. A change has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// How a running value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningValueKind {
    /// The sum of the numbers, the answer's own included.
    Sum,
    /// The number of answers, this one included.
    Count,
    /// The difference to the number of the last answer that counted; 0 for the first.
    Change,
}

impl RunningValueKind {
    /// All kinds, with the beginnings of the oracle ids under which they are recorded.
    const PREFIXES: [(&str, RunningValueKind); 3] = [
        ("ax.sum.", RunningValueKind::Sum),
        ("ax.count.", RunningValueKind::Count),
        ("ax.change.", RunningValueKind::Change),
    ];

    /// The kind that an oracle id says; `None` where it is no running value's.
    #[must_use]
    pub fn of_id(oracle_id: &str) -> Option<RunningValueKind> {
        let mut prefixes = RunningValueKind::PREFIXES.into_iter();
        let (_, kind) = prefixes.find(|(prefix, _)| oracle_id.starts_with(prefix))?;
        Some(kind)
    }
}

/// Whether an oracle id is one that only the ledger itself gives to what it computes.
#[must_use]
pub fn is_running_value_id(oracle_id: &str) -> bool {
    RunningValueKind::of_id(oracle_id).is_some()
}

/// Why running values cannot be declared so, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRunningValue {
    id: String,
    reason: String,
}

impl fmt::Display for InvalidRunningValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the running value {:?}: {}", self.id, self.reason)
    }
}

/// Reads running values from a JSON object, as the manifest has it.
///
/// # Errors
/// What is wrong, in words: text that is not JSON, a member that occurs twice, is unknown or is missing. Whether they
/// can be declared so, [`check_running_values`] says.
pub fn parse_running_values(json: &[u8]) -> Result<RunningValues, String> {
    // serde_json takes the last of two members of one name.
    let canonical = canonicalize(json)
        .map_err(|error| format!("found at byte {}: {}", error.offset, error.reason))?;
    serde_json::from_slice(&canonical).map_err(|error| error.to_string())
}

/// Checks running values: their number, and of each the id, the oracle, the path and the window.
///
/// # Errors
/// [`InvalidRunningValue`], the first in the order of the ids.
pub fn check_running_values(values: &RunningValues) -> Result<(), InvalidRunningValue> {
    for (index, (id, value)) in values.iter().enumerate() {
        let fault = match index < MAX_RUNNING_VALUES {
            true => find_fault(id, value),
            false => Some(format!("a ledger has at most {MAX_RUNNING_VALUES}")),
        };
        if let Some(reason) = fault {
            return Err(InvalidRunningValue {
                id: id.clone(),
                reason,
            });
        }
    }
    Ok(())
}

fn find_fault(id: &str, value: &RunningValue) -> Option<String> {
    use RunningValueKind::{Change, Count, Sum};
    let name = id.splitn(3, '.').nth(2).unwrap_or_default();
    let is_name = (1..=MAX_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let (Some(kind), true) = (RunningValueKind::of_id(id), is_name) else {
        return Some(format!(
            "expected the id ax.sum.NAME, ax.count.NAME or ax.change.NAME, and a name of 1 to {MAX_NAME} characters of A-Z a-z 0-9 - _ ."
        ));
    };
    if let Some(reason) = find_oracle_fault(&value.oracle) {
        return Some(reason);
    }
    match (kind, &value.path) {
        (Sum | Change, None) => {
            return Some("the path is missing: where the number is in the answer".to_owned());
        }
        (Count, Some(_)) => return Some("a count has no path; leave it out".to_owned()),
        (Sum | Change, Some(path)) => {
            let has = |step: &str| path.split('/').any(|own| own == step);
            let is_scaled = split_scale(path).0.len() < path.len();
            if has(COUNT) || has(EMBEDDED) || is_scaled {
                return Some(format!(
                    "found the path {path:?}, expected one without ~#, ~j and ~eN"
                ));
            }
            if let Some(expected) = find_path_fault(path) {
                return Some(format!("found the path {path:?}, expected {expected}"));
            }
        }
        (Count, None) => {}
    }
    match (kind, value.window) {
        (Change, Some(_)) => Some("a change has no window; leave it out".to_owned()),
        (_, Some(0)) => Some("found the window 0, expected at least 1".to_owned()),
        _ => None,
    }
}

fn find_oracle_fault(oracle: &str) -> Option<String> {
    if is_running_value_id(oracle) {
        return Some(format!(
            "found the oracle {oracle:?}, which is a running value itself; expected an oracle that answers"
        ));
    }
    let is_visible = oracle.bytes().all(|byte| byte.is_ascii_graphic());
    let is_id = is_visible && is_valid_id(oracle.as_bytes()) && !is_reserved(oracle.as_bytes());
    (!is_id).then(|| {
        format!(
            "found the oracle {oracle:?}, expected 1 to 256 visible ASCII characters that are neither ax.time nor ax.control"
        )
    })
}
