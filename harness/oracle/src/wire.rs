//! The JSON of OpenAI-compatible chat completion: the request that is sent and the response that comes back.
//! Streaming is never asked for.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::exchange::{ModelAnswer, TokenUsage};
use crate::question::{AnswerConstraint, GrammarDialect, Question};
use crate::token_limit::TokenLimitMember;

/// The number of raw units of Q16.16 in one.
pub(super) const UNITS_PER_ONE: f64 = 65536.0;

/// The body of a request. Its members are in the order of their names, which tests rely on.
#[derive(Serialize)]
struct RequestBody<'q> {
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<&'q str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<i32>,
    messages: Vec<RequestMessage<'q>>,
    model: &'q str,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
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

/// Writes the body of the request for `question`, with the limit of the answer's tokens as `token_limit`.
pub(super) fn write_request(question: &Question, token_limit: TokenLimitMember) -> Vec<u8> {
    let messages = question.messages.iter().map(|message| RequestMessage {
        content: &message.content,
        role: message.role.as_str(),
    });
    let grammar = |dialect| match &question.constraint {
        Some(AnswerConstraint::Grammar(wanted, text)) if *wanted == dialect => Some(text.as_str()),
        _ => None,
    };
    let params = &question.params;
    let limit = |member| params.max_tokens.filter(|_| member == token_limit);
    let body = RequestBody {
        grammar: grammar(GrammarDialect::LlamaCpp),
        max_completion_tokens: limit(TokenLimitMember::MaxCompletionTokens),
        max_tokens: limit(TokenLimitMember::MaxTokens),
        messages: messages.collect(),
        model: &question.model,
        response_format: question.constraint.as_ref().and_then(write_format),
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

/// The `response_format` for a constraint that is sent as one.
fn write_format(constraint: &AnswerConstraint) -> Option<Value> {
    match constraint {
        AnswerConstraint::Grammar(..) => None,
        AnswerConstraint::JsonObject => Some(json!({ "type": "json_object" })),
        AnswerConstraint::JsonSchema(schema) => Some(json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "schema": schema.value(), "strict": true },
        })),
    }
}

/// The complaint about a server that streams unasked.
pub(super) const STREAMED: &str = "a stream of events, though the request says \"stream\": false; ask the server itself, or set its proxy not to stream";

/// Parses the body of a successful response, which may be a stream though it does not say so.
pub(super) fn parse_body(body: &[u8]) -> Result<Value, String> {
    let begins = |prefix: &[u8]| body.trim_ascii_start().starts_with(prefix);
    if begins(b"data:") || begins(b"event:") {
        return Err(STREAMED.to_owned());
    }
    serde_json::from_slice(body).map_err(|error| format!("not JSON: {error}"))
}

/// Reads the answer in the body of a successful response.
///
/// # Errors
/// What is wrong with the body, in words.
pub(super) fn read_answer(body: &[u8]) -> Result<ModelAnswer, String> {
    let body = parse_body(body)?;
    let choice = body
        .pointer("/choices/0")
        .ok_or("there is no choices[0]".to_owned())?;
    if choice.get("delta").is_some() {
        return Err(STREAMED.to_owned());
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::AnswerSchema;
    use axilog::evidence::observation::Params;

    const MAX_TOKENS: TokenLimitMember = TokenLimitMember::MaxTokens;

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
            String::from_utf8(write_request(&question, MAX_TOKENS)).unwrap(),
            concat!(
                r#"{"max_tokens":2048,"messages":[{"content":"rules","role":"system"},"#,
                r#"{"content":"task","role":"user"}],"model":"m","stream":false,"#,
                r#""temperature":0.0,"top_p":0.6999969482421875}"#
            )
        );
        let bare = write_request(&Question::new("m", "", "", Params::NULL), MAX_TOKENS);
        let bare: Value = serde_json::from_slice(&bare).unwrap();
        assert_eq!(bare.as_object().unwrap().len(), 3);
    }

    #[test]
    fn the_limit_of_tokens_has_one_of_two_names() {
        let params = Params {
            max_tokens: Some(7),
            ..Params::NULL
        };
        let question = Question::new("m", "", "", params);
        let names = ["max_tokens", "max_completion_tokens"];
        for (name, other) in [(names[0], names[1]), (names[1], names[0])] {
            let body = write_request(&question, name.parse().unwrap());
            let body: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body[name], 7);
            assert_eq!(body.get(other), None);
        }
    }

    #[test]
    fn a_constraint_has_its_place_in_the_request() {
        let grammar = "root ::= \"a\"";
        let schema = json!({ "type": "object" });
        let sent = json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema, "strict": true } });
        for (constraint, place, value) in [
            (
                AnswerConstraint::Grammar(GrammarDialect::LlamaCpp, grammar.to_owned()),
                "/grammar",
                Value::from(grammar),
            ),
            (
                AnswerConstraint::Grammar(GrammarDialect::Vllm, grammar.to_owned()),
                "/structured_outputs/grammar",
                Value::from(grammar),
            ),
            (
                AnswerConstraint::JsonObject,
                "/response_format",
                json!({ "type": "json_object" }),
            ),
            (
                AnswerConstraint::JsonSchema(AnswerSchema::parse(&schema.to_string()).unwrap()),
                "/response_format",
                sent,
            ),
        ] {
            let constrained = Question {
                constraint: Some(constraint),
                ..Question::new("m", "", "", Params::NULL)
            };
            let body: Value =
                serde_json::from_slice(&write_request(&constrained, MAX_TOKENS)).unwrap();
            assert_eq!(body.pointer(place), Some(&value));
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
            ("data: {}\n\ndata: [DONE]\n", "a stream of events"),
            (
                r#"{"choices":[{"delta":{"content":"x"}}]}"#,
                "a stream of events",
            ),
            (r#"{"choices":[{"message":{"content":[]}}]}"#, "no text"),
            (r#"{"choices":[{"message":{}}]}"#, "no text"),
        ] {
            let error = read(body).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
