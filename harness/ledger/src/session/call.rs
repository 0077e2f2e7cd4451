//! The call and the reply that a session records, and the check of their identities.
//!
//! SRS-004 §7.2 and §8; formats.md §3, Admission 3.

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Failure, Params, is_valid_id};

use crate::error::LedgerError;
use crate::input::CanonicalInput;
use crate::running_values::is_running_value_id;
use crate::visible_text::is_deceptive;

/// A call of an oracle: the oracle, its model and the input.
#[derive(Clone, Debug)]
pub struct OracleCall {
    /// The id of the oracle.
    pub oracle_id: String,
    /// The id of the oracle's model, version included.
    pub model_id: String,
    /// The sampling parameters.
    pub params: Params,
    /// The input.
    pub input: CanonicalInput,
}

/// The reply to a call.
#[derive(Clone, Copy, Debug)]
pub enum OracleReply<'a> {
    /// An answer, admissible or not.
    Answer(&'a [u8]),
    /// An answer, admissible or not, of which the oracle said that it is cut off: its longest length was reached.
    CutAnswer(&'a [u8]),
    /// A failure without an answer.
    Failure(Failure),
}

/// Checks that these ids of an oracle and its model may be recorded: 1 to 256 visible ASCII characters, so that
/// no two look alike by what is not seen or not ASCII. Records may hold more (formats.md §3); ledgers of other
/// programs do.
///
/// # Errors
/// [`LedgerError::ReservedOracleId`] for the ids of time and control, [`LedgerError::RunningValueId`] for those of
/// running values, [`LedgerError::InvalidIdentity`].
pub fn check_identities(oracle_id: &str, model_id: &str) -> Result<(), LedgerError> {
    for (id, command) in [(TIME_ORACLE, "time"), (CONTROL_ORACLE, "control")] {
        if oracle_id == id {
            return Err(LedgerError::ReservedOracleId {
                id: id.to_owned(),
                command,
            });
        }
    }
    if is_running_value_id(oracle_id) {
        let id = oracle_id.chars().take(EXCERPT).collect();
        return Err(LedgerError::RunningValueId { id });
    }
    for (field, value) in [("oracle_id", oracle_id), ("model_id", model_id)] {
        if let Some(reason) = find_identity_fault(value) {
            return Err(LedgerError::InvalidIdentity {
                field,
                start: value.chars().take(EXCERPT).collect(),
                reason,
            });
        }
    }
    Ok(())
}

/// The most characters of a refused id that an error shows.
const EXCERPT: usize = 64;

/// Describes why an id is not visible ASCII of the length that a record may hold; `None` where it is.
fn find_identity_fault(id: &str) -> Option<String> {
    let mut characters = (1u64..).zip(id.chars());
    if let Some((place, c)) = characters.find(|(_, c)| !c.is_ascii_graphic()) {
        let name = match c {
            ' ' => ", a space",
            _ if is_deceptive(c) => ", which is not seen",
            _ => "",
        };
        return Some(format!("character {place} is U+{:04X}{name}", u32::from(c)));
    }
    match id.len() {
        0 => Some("it is empty".to_owned()),
        length if !is_valid_id(id.as_bytes()) => Some(format!("it has {length} characters")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_visible_ascii_is_an_identity() {
        for c in '\0'..=char::MAX {
            let fault = find_identity_fault(&format!("ab{c}"));
            let expected = format!("character 3 is U+{:04X}", u32::from(c));
            match c {
                '!'..='~' => assert_eq!(fault, None),
                _ => assert!(fault.unwrap().starts_with(&expected), "{expected}"),
            }
        }
    }

    #[test]
    fn a_refused_identity_is_told_with_character_place_and_advice() {
        let told = |id: &str| check_identities("o", id).unwrap_err().to_string();
        assert_eq!(
            told("gpt\u{200b}-1"),
            "the model_id \"gpt\\u{200b}-1\" is not admissible: character 4 is U+200B, which is not seen; \
             expected 1 to 256 visible ASCII characters (U+0021 to U+007E), like `planner-1`; give such an id; \
             nothing was recorded"
        );
        assert!(told("g\u{440}t").contains("character 2 is U+0440; "));
        assert!(told("a b").contains("character 2 is U+0020, a space; "));
        assert!(told("").contains("it is empty; "));
        let long = told(&"x".repeat(257));
        assert!(
            long.contains("it has 257 characters; ") && long.len() < 300,
            "{long}"
        );
        assert!(check_identities(&"x".repeat(256), "!~").is_ok());
    }
}
