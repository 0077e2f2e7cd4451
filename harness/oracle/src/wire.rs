//! The JSON of OpenAI-compatible chat completion: the request that is sent and the response that comes back.
//! Streaming is never asked for.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exchange::{ModelAnswer, TokenUsage};
use crate::question::{GrammarDialect, Question};

/// The number of raw units of Q16.16 in one.
const UNITS_PER_ONE: f64 = 65536.0;

/// The body of a request. Its members are in the order of their names, which tests rely on.
#[derive(Serialize)]
struct RequestBody<'q> {
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<&'q str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<i32>,
    messages: Vec<RequestMessage<'q>>,
    model: &'q str,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_outputs: Option<StructuredOutputs<'q>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
}

#[derive(Serialize)]
struct RequestMessage<'q> {
    content: &'q str,
    role: &'static str,
}

#[derive(Serialize)]
struct StructuredOutputs<'q> {
    grammar: &'q str,
}

/// Writes the body of the request for `question`.
pub(super) fn write_request(question: &Question) -> Vec<u8> {
    let messages = question.messages.iter().map(|message| RequestMessage {
        content: &message.content,
        role: message.role.as_str(),
    });
    let grammar = |constraint| match &question.grammar {
        Some((wanted, text)) if *wanted == constraint => Some(text.as_str()),
        _ => None,
    };
    let params = &question.params;
    let body = RequestBody {
        grammar: grammar(GrammarDialect::LlamaCpp),
        max_tokens: params.max_tokens,
        messages: messages.collect(),
        model: &question.model,
        seed: params.seed,
        stream: false,
        structured_outputs: grammar(GrammarDialect::Vllm)
            .map(|grammar| StructuredOutputs { grammar }),
        temperature: params.temperature.map(|raw| f64::from(raw) / UNITS_PER_ONE),
        top_p: params.top_p.map(|raw| f64::from(raw) / UNITS_PER_ONE),
    };
    // Serialising fails for maps with keys other than text only, and there are none.
    serde_json::to_vec(&body).unwrap_or_default()
}

/// Reads the answer in the body of a successful response.
///
/// # Errors
/// What is wrong with the body, in words.
pub(super) fn read_answer(body: &[u8]) -> Result<ModelAnswer, String> {
    let body: Value = serde_json::from_slice(body).map_err(|error| format!("not JSON: {error}"))?;
    let choice = body
        .pointer("/choices/0")
        .ok_or("there is no choices[0]".to_owned())?;
    let message = choice
        .get("message")
        .filter(|message| message.is_object())
        .ok_or("choices[0] has no message".to_owned())?;
    // A model that refuses may say so in a member of its own. An empty answer may be null.
    let text = match (message.get("content"), message.get("refusal")) {
        (Some(Value::String(text)), _) => text.clone(),
        (None | Some(Value::Null), Some(Value::String(refusal))) => refusal.clone(),
        (Some(Value::Null), _) => String::new(),
        _ => return Err("the content of choices[0].message is no text".to_owned()),
    };
    let string = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    Ok(ModelAnswer {
        text,
        model: string(body.get("model")),
        system_fingerprint: string(body.get("system_fingerprint")),
        finish_reason: string(choice.get("finish_reason")),
        usage: body
            .get("usage")
            .and_then(|usage| TokenUsage::deserialize(usage).ok()),
    })
}

/// Reads the message in the body of an error response, shortened to one line of 200 characters.
pub(super) fn read_error_message(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let message = body.pointer("/error/message").or(body.get("error"))?;
    let words = message.as_str()?.split_whitespace();
    let words: Vec<&str> = words.collect();
    Some(words.join(" ").chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog::evidence::observation::Params;

    #[test]
    fn a_request_holds_what_is_recorded_and_nothing_else() {
        let params = Params {
            max_tokens: Some(2048),
            seed: None,
            temperature: Some(0),
            top_p: Some(45_875),
        };
        let question = Question::new("m", "rules", "task", params);
        assert_eq!(
            String::from_utf8(write_request(&question)).unwrap(),
            concat!(
                r#"{"max_tokens":2048,"messages":[{"content":"rules","role":"system"},"#,
                r#"{"content":"task","role":"user"}],"model":"m","stream":false,"#,
                r#""temperature":0.0,"top_p":0.6999969482421875}"#
            )
        );
        let bare = write_request(&Question::new("m", "", "", Params::NULL));
        let bare: Value = serde_json::from_slice(&bare).unwrap();
        assert_eq!(bare.as_object().unwrap().len(), 3);
        let grammar = "root ::= \"a\"";
        for (constraint, place) in [
            (GrammarDialect::LlamaCpp, "/grammar"),
            (GrammarDialect::Vllm, "/structured_outputs/grammar"),
        ] {
            let constrained = Question {
                grammar: Some((constraint, grammar.to_owned())),
                ..Question::new("m", "", "", Params::NULL)
            };
            let body: Value = serde_json::from_slice(&write_request(&constrained)).unwrap();
            assert_eq!(body.pointer(place), Some(&Value::from(grammar)));
            assert_eq!(body.as_object().unwrap().len(), 4);
        }
    }

    #[test]
    fn answers_are_read_and_other_bodies_are_refused() {
        let read = |body: &str| read_answer(body.as_bytes());
        let whole = read(
            r#"{"model":"m-1","system_fingerprint":"fp_1","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],
                "usage":{"prompt_tokens":7,"completion_tokens":2}}"#,
        );
        let expected = ModelAnswer {
            text: "hi".to_owned(),
            model: Some("m-1".to_owned()),
            system_fingerprint: Some("fp_1".to_owned()),
            finish_reason: Some("stop".to_owned()),
            usage: Some(TokenUsage {
                prompt_tokens: 7,
                completion_tokens: 2,
            }),
        };
        assert_eq!(whole, Ok(expected));
        for (message, text) in [
            (r#"{"content":null}"#, ""),
            (r#"{"content":null,"refusal":"No."}"#, "No."),
            (r#"{"content":"yes","refusal":null}"#, "yes"),
        ] {
            let answer = read(&format!(
                r#"{{"choices":[{{"message":{message}}}],"usage":{{}}}}"#
            ));
            let answer = answer.unwrap();
            assert_eq!(answer.text, text);
            assert_eq!(answer.usage, None);
        }
        for (body, reason) in [
            ("<html>", "not JSON"),
            ("{}", "no choices[0]"),
            (r#"{"choices":[]}"#, "no choices[0]"),
            (r#"{"choices":[{"text":"x"}]}"#, "no message"),
            (r#"{"choices":[{"message":{"content":[]}}]}"#, "no text"),
            (r#"{"choices":[{"message":{}}]}"#, "no text"),
        ] {
            let error = read(body).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn error_messages_are_shortened_to_one_line() {
        let body = format!(r#"{{"error":{{"message":"a\n {}"}}}}"#, "b".repeat(400));
        let text = read_error_message(body.as_bytes()).unwrap();
        assert!(text.starts_with("a b") && text.chars().count() == 200);
        assert_eq!(
            read_error_message(br#"{"error":"busy"}"#).as_deref(),
            Some("busy")
        );
        assert_eq!(read_error_message(b"<html>"), None);
    }
}
