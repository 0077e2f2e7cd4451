//! Derived inputs: questions that are made from earlier answers.
//!
//! formats.md §5 (Derived inputs); SRS-004 §10.1 (SHALL-039); decision D31. The input of such a call is a canonical JSON
//! object with the member `derived_from`: the `obs_hash`es of the answers in the order of their use. So the derivation
//! is in the `input_hash` of the observation. Determinism: D1.

use axilog::admission::InputKind;
use axilog::hash::{Hash, HexHash, unhex};
use serde_json::{Map, Value, json};

use crate::encoding::hex;
use crate::input::CanonicalInput;
use crate::jcs::canonicalize;

/// The member of an input that names the answers it was derived from.
pub const SOURCES_MEMBER: &str = "derived_from";

/// The member of a derived input that holds a text.
pub const TEXT_MEMBER: &str = "input";

/// Makes the input of a call that uses earlier answers. A JSON object gets the member [`SOURCES_MEMBER`]; a text
/// becomes the member [`TEXT_MEMBER`] of a new object, and an empty text becomes no member.
///
/// # Errors
/// Why there is no such input, in words: no sources, JSON that is no object or has the member already, or what
/// [`CanonicalInput::new`] refuses.
pub fn derive_input(
    question: &[u8],
    kind: InputKind,
    sources: &[Hash],
) -> Result<CanonicalInput, String> {
    if sources.is_empty() {
        return Err("it is derived from nothing; name at least one answer".to_owned());
    }
    let canonical = CanonicalInput::new(question, kind)?;
    let mut members = match kind {
        InputKind::Json => read_object(canonical.bytes())?,
        InputKind::Text if canonical.bytes().is_empty() => Map::new(),
        InputKind::Text => {
            let text = String::from_utf8_lossy(canonical.bytes()).into_owned();
            Map::from_iter([(TEXT_MEMBER.to_owned(), Value::String(text))])
        }
    };
    if members.contains_key(SOURCES_MEMBER) {
        return Err(format!(
            "it has a member {SOURCES_MEMBER} already, which the answers would replace; leave one out"
        ));
    }
    let sources: Vec<String> = sources.iter().map(hex).collect();
    members.insert(SOURCES_MEMBER.to_owned(), json!(sources));
    let text = serde_json::to_vec(&members).map_err(|error| error.to_string())?;
    let derived = canonicalize(&text).map_err(|error| error.reason)?;
    CanonicalInput::new(&derived, InputKind::Json)
}

fn read_object(canonical: &[u8]) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(canonical) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(format!(
            "it is JSON but no object, and only an object can have the member {SOURCES_MEMBER}"
        )),
        Err(error) => Err(error.to_string()),
    }
}

/// Finds the `obs_hash`es in the member [`SOURCES_MEMBER`] of an input; `None` where the input has no such member. The
/// inner error says why they cannot be read.
#[must_use]
pub fn find_sources(input: &[u8]) -> Option<Result<Vec<Hash>, &'static str>> {
    const NAME: &[u8] = b"\"derived_from\"";
    if !input.windows(NAME.len()).any(|window| window == NAME) {
        return None;
    }
    let members = match serde_json::from_slice(input) {
        Ok(Value::Object(members)) => members,
        // Only an object has members; an input that begins like one and cannot be read could hide them.
        Err(_) if input.starts_with(b"{") => {
            return Some(Err("names derived_from, and cannot be read as JSON"));
        }
        _ => return None,
    };
    let sources = match members.get(SOURCES_MEMBER)? {
        Value::Array(sources) => sources,
        _ => return Some(Err("derived_from is no array")),
    };
    let read_hash = |source: &Value| {
        let digits = HexHash::try_from(source.as_str()?.as_bytes()).ok()?;
        unhex(&digits)
    };
    let sources: Option<Vec<Hash>> = sources.iter().map(read_hash).collect();
    Some(sources.ok_or("derived_from holds something that is no obs_hash of 64 hexadecimal digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_input_names_its_sources_in_their_order() {
        let sources = [[0xbb; 32], [0xaa; 32]];
        let named = format!(
            r#"{{"derived_from":["{}","{}"]"#,
            "bb".repeat(32),
            "aa".repeat(32)
        );
        for (question, kind, rest) in [
            (r#"{"q":1,"~":2}"#, InputKind::Json, r#","q":1,"~":2}"#),
            ("how\r\nfast?", InputKind::Text, r#","input":"how\nfast?"}"#),
            ("", InputKind::Text, "}"),
        ] {
            let input = derive_input(question.as_bytes(), kind, &sources).unwrap();
            let expected = format!("{named}{rest}");
            assert_eq!(String::from_utf8_lossy(input.bytes()), expected);
            assert_eq!(find_sources(input.bytes()), Some(Ok(sources.to_vec())));
        }
    }

    #[test]
    fn what_cannot_name_its_sources_is_refused() {
        for (question, kind, sources, reason) in [
            ("{}", InputKind::Json, vec![], "derived from nothing"),
            ("[]", InputKind::Json, vec![[1; 32]], "no object"),
            ("{ }", InputKind::Json, vec![[1; 32]], "not canonical JSON"),
            (
                r#"{"derived_from":[]}"#,
                InputKind::Json,
                vec![[1; 32]],
                "a member derived_from already",
            ),
            ("e\u{301}", InputKind::Text, vec![[1; 32]], "form C"),
        ] {
            let told = derive_input(question.as_bytes(), kind, &sources).unwrap_err();
            assert!(told.contains(reason), "{told}");
        }
    }
}
