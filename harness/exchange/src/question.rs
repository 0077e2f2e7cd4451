//! What a request asks: the canonical form of its body, the model, and the parameters that records have.
//!
//! The question is the canonical JSON (RFC 8785) of the body, which two requests have in common that say the same in
//! another order or with other spaces. A body with text that is not in Unicode's normalization form C has no canonical
//! text that a record may name; its question is the object with the one member `base64`, the canonical JSON in Base64.

use std::collections::BTreeMap;

use axilog::evidence::observation::Params;
use axilog::json::number::decimal_to_q16;
use axilog::q16::ONE;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::jcs::canonicalize;
use axilog_ledger::session::check_identities;
use serde_json::value::RawValue;

use crate::interface::Interface;
use crate::kept_input::keep_json;
use crate::oracles::ANSWER_ORACLE;

/// What a request asks.
#[derive(Debug)]
pub struct RecordedQuestion {
    /// The canonical form.
    pub input: CanonicalInput,
    /// The model that is asked for.
    pub model: String,
    /// The parameters, as far as records have a place for them.
    pub params: Params,
    /// Whether the answer is wanted as a stream of events.
    pub streams: bool,
}

impl RecordedQuestion {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// What is wrong with the body, in words for its sender.
    pub fn read(interface: Interface, body: &[u8]) -> Result<RecordedQuestion, String> {
        let canonical = canonicalize(body).map_err(|error| {
            format!(
                "the body is not JSON that can be recorded: {} at byte {}; nothing was recorded",
                error.reason, error.offset
            )
        })?;
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_slice(&canonical).map_err(|error| {
                format!("the body is no JSON object: {error}; nothing was recorded")
            })?;
        let member = |name: &str| members.get(name).copied();
        let model = read_model(member("model"))?;
        let streams = interface != Interface::Embeddings
            && member("stream").is_some_and(|stream| stream.get() == "true");
        let tokens = ["max_completion_tokens", "max_output_tokens", "max_tokens"];
        Ok(RecordedQuestion {
            input: keep_json(&canonical)?,
            streams,
            model,
            params: Params {
                max_tokens: tokens.iter().find_map(|name| read_integer(member(name))),
                seed: read_integer(member("seed")),
                temperature: read_fraction(member("temperature"), i32::MAX),
                top_p: read_fraction(member("top_p"), ONE),
            },
        })
    }
}

fn read_model(member: Option<&RawValue>) -> Result<String, String> {
    let model = member.and_then(|model| serde_json::from_str::<String>(model.get()).ok());
    let model = model
        .ok_or("the body names no model; expected a string as \"model\"; nothing was recorded")?;
    match check_identities(ANSWER_ORACLE, &model) {
        Ok(()) => Ok(model),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads an integer that a record may hold; `None` for anything else, which the question holds all the same.
fn read_integer<T: TryFrom<i64>>(member: Option<&RawValue>) -> Option<T> {
    let number: i64 = member?.get().parse().ok()?;
    T::try_from(number).ok().filter(|_| number >= 0)
}

fn read_fraction(member: Option<&RawValue>, most: i32) -> Option<i32> {
    decimal_to_q16(member?.get().as_bytes()).filter(|raw| (0..=most).contains(raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<RecordedQuestion, String> {
        RecordedQuestion::read(Interface::ChatCompletions, body.as_bytes())
    }

    #[test]
    fn the_question_is_the_canonical_form_and_the_parameters_are_those_of_records() {
        let question = read(
            r#"{"top_p": 0.5, "model": "m-1", "seed": 7, "temperature":1.5, "max_tokens": 9, "x": 1.0}"#,
        )
        .unwrap();
        assert_eq!(
            question.input.bytes(),
            br#"{"max_tokens":9,"model":"m-1","seed":7,"temperature":1.5,"top_p":0.5,"x":1}"#
        );
        assert_eq!(question.model, "m-1");
        let expected = Params {
            max_tokens: Some(9),
            seed: Some(7),
            temperature: Some(98304),
            top_p: Some(32768),
        };
        assert_eq!(question.params, expected);
        let odd = read(r#"{"model":"m","seed":-1,"temperature":"hot","top_p":2,"max_tokens":3e9}"#);
        assert_eq!(odd.unwrap().params, Params::NULL);
    }

    #[test]
    fn what_cannot_be_asked_is_told() {
        for (body, expected) in [
            ("", "is not JSON"),
            (
                "{\"model\":\"a\",\"model\":\"b\"}",
                "is not JSON that can be recorded",
            ),
            ("[1]", "no JSON object"),
            ("{}", "names no model"),
            ("{\"model\":7}", "names no model"),
            ("{\"model\":\"a b\"}", "U+0020"),
        ] {
            let reason = read(body).unwrap_err();
            assert!(reason.contains(expected), "{body}: {reason}");
            assert!(reason.contains("nothing was recorded"), "{reason}");
        }
        assert!(!read("{\"model\":\"m\",\"stream\":false}").unwrap().streams);
        assert!(read("{\"model\":\"m\",\"stream\":true}").unwrap().streams);
    }
}
