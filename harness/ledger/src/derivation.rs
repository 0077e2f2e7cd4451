//! Derived inputs: questions that are made from earlier answers.
//!
//! formats.md §5 (Derived inputs); SRS-004 §10.1 (SHALL-039) and §11.2 (SHALL-014); decision D31. The input of such a call
//! is a canonical JSON object with the member `derived_from`: the `obs_hash`es of the answers in the order of their use.
//! So the derivation is in the `input_hash` of the observation. A refused answer feeds nothing, unless the input says so
//! by the member `even_refused` with the value `true`. Determinism: D1.

use axilog::admission::InputKind;
use axilog::hash::{Hash, HexHash, unhex};
use serde_json::{Map, Value, json};

use crate::encoding::hex;
use crate::input::CanonicalInput;
use crate::jcs::canonicalize;

/// The member of an input that names the answers it was derived from.
pub const SOURCES_MEMBER: &str = "derived_from";

/// The member of an input that says, where it is `true`, that it may be derived from refused answers.
pub const EVEN_REFUSED_MEMBER: &str = "even_refused";

/// What an input says of the answers that it was derived from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The answers' `obs_hash`es in the order of use, at least one.
    pub sources: Vec<Hash>,
    /// Whether it says that there are refused ones among them.
    pub even_refused: bool,
}

/// The member of a derived input that holds a text.
pub const TEXT_MEMBER: &str = "input";

/// Makes the input of a call that uses earlier answers. A JSON object gets the member [`SOURCES_MEMBER`]; a text
/// becomes the member [`TEXT_MEMBER`] of a new object, and an empty text becomes no member. Where the derivation is
/// from refused answers too, the input also gets the member [`EVEN_REFUSED_MEMBER`].
///
/// # Errors
/// Why there is no such input, in words: no sources, JSON that is no object or has one of the members already, or what
/// [`CanonicalInput::new`] refuses.
pub fn derive_input(
    question: &[u8],
    kind: InputKind,
    derivation: &Derivation,
) -> Result<CanonicalInput, String> {
    if derivation.sources.is_empty() {
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
    for member in [SOURCES_MEMBER, EVEN_REFUSED_MEMBER] {
        if members.contains_key(member) {
            return Err(format!(
                "it has a member {member} already, which says what it is derived from; leave the member out, or do not name answers beside it"
            ));
        }
    }
    let sources: Vec<String> = derivation.sources.iter().map(hex).collect();
    members.insert(SOURCES_MEMBER.to_owned(), json!(sources));
    if derivation.even_refused {
        members.insert(EVEN_REFUSED_MEMBER.to_owned(), Value::Bool(true));
    }
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

/// Finds what an input says in its member [`SOURCES_MEMBER`]; `None` where the input has no such member. The inner error
/// says why it cannot be read.
#[must_use]
pub fn find_derivation(input: &[u8]) -> Option<Result<Derivation, &'static str>> {
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
        Value::Array(sources) if sources.is_empty() => {
            return Some(Err(
                "derived_from is empty; it names at least one answer, or is left out",
            ));
        }
        Value::Array(sources) => sources,
        _ => return Some(Err("derived_from is no array")),
    };
    let read_hash = |source: &Value| {
        let digits = HexHash::try_from(source.as_str()?.as_bytes()).ok()?;
        unhex(&digits)
    };
    let sources: Option<Vec<Hash>> = sources.iter().map(read_hash).collect();
    let derivation = sources.map(|sources| Derivation {
        sources,
        even_refused: members.get(EVEN_REFUSED_MEMBER) == Some(&Value::Bool(true)),
    });
    Some(
        derivation
            .ok_or("derived_from holds something that is no obs_hash of 64 hexadecimal digits"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_input_names_its_sources_in_their_order() {
        let derivation = Derivation {
            sources: vec![[0xbb; 32], [0xaa; 32]],
            even_refused: false,
        };
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
            let input = derive_input(question.as_bytes(), kind, &derivation).unwrap();
            let expected = format!("{named}{rest}");
            assert_eq!(String::from_utf8_lossy(input.bytes()), expected);
            assert_eq!(find_derivation(input.bytes()), Some(Ok(derivation.clone())));
        }
        let even_refused = Derivation {
            even_refused: true,
            ..derivation
        };
        let input = derive_input(b"", InputKind::Text, &even_refused).unwrap();
        let expected = format!(r#"{named},"even_refused":true}}"#);
        assert_eq!(String::from_utf8_lossy(input.bytes()), expected);
        assert_eq!(find_derivation(input.bytes()), Some(Ok(even_refused)));
        // Nothing but `true` says it.
        let other = expected.replace("true", "1");
        let found = find_derivation(other.as_bytes()).unwrap().unwrap();
        assert!(!found.even_refused);
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
            (
                r#"{"even_refused":true}"#,
                InputKind::Json,
                vec![[1; 32]],
                "a member even_refused already",
            ),
            ("e\u{301}", InputKind::Text, vec![[1; 32]], "form C"),
        ] {
            let derivation = Derivation {
                sources,
                even_refused: false,
            };
            let told = derive_input(question.as_bytes(), kind, &derivation).unwrap_err();
            assert!(told.contains(reason), "{told}");
        }
        let empty = find_derivation(br#"{"derived_from":[]}"#).unwrap();
        assert!(empty.unwrap_err().contains("derived_from is empty"));
    }
}
