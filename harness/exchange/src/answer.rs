//! The answers in a response of the provider: the texts that policies judge, and what a record keeps where there is
//! more than a text.

use axilog::hash::sha256;
use axilog::text::Text;
use axilog_ledger::encoding::hex;
use axilog_ledger::jcs::canonicalize;
use axilog_ledger::tool_calls::{ToolCall, list_tool_calls};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::interface::Interface;
use crate::stream::assemble;

/// What a response of the provider holds.
#[derive(Debug)]
pub struct Response {
    /// The answers, in their order.
    pub answers: Vec<RecordedAnswer>,
    /// The response without its answers, for the facts.
    pub rest: Map<String, Value>,
    /// Why each answer ended, where the provider says so.
    pub finish_reasons: Vec<Value>,
}

/// An answer, and what it asks the client to do.
#[derive(Debug)]
pub struct RecordedAnswer {
    /// The text where the answer holds nothing else and the text is admissible, else its canonical JSON.
    pub text: Vec<u8>,
    /// The tool calls, in their order.
    pub tool_calls: Vec<ToolCall>,
}

/// The most answers of one response.
const MAX_ANSWERS: usize = 128;

/// The member that holds the answers.
fn answers_member(interface: Interface) -> &'static str {
    match interface {
        Interface::ChatCompletions | Interface::Completions => "choices",
        Interface::Responses => "output",
        Interface::Embeddings => "data",
        Interface::Messages => "content",
    }
}

#[derive(Deserialize)]
struct Choice<'b> {
    #[serde(borrow)]
    message: Option<&'b RawValue>,
    #[serde(borrow)]
    text: Option<&'b RawValue>,
    finish_reason: Option<Value>,
}

impl Response {
    /// Reads the body of a successful response, which is JSON or a stream of events as its content type says.
    ///
    /// # Errors
    /// What is wrong with the body, in words.
    pub fn read_body(
        interface: Interface,
        content_type: &str,
        body: &[u8],
    ) -> Result<Response, String> {
        match is_stream(content_type) {
            true => Response::read(interface, &assemble(interface, body)?),
            false => Response::read(interface, body),
        }
    }

    /// Whether an answer or the arguments of a call are such that `is_found` says so.
    #[must_use]
    pub fn holds(&self, is_found: impl Fn(&[u8]) -> bool) -> bool {
        let mut answers = self.answers.iter();
        answers.any(|answer| {
            let mut calls = answer.tool_calls.iter();
            is_found(&answer.text) || calls.any(|call| is_found(&call.arguments))
        })
    }

    /// Reads a response that is JSON.
    ///
    /// # Errors
    /// What is wrong with the body, in words.
    pub fn read(interface: Interface, body: &[u8]) -> Result<Response, String> {
        let canonical = canonicalize(body).map_err(|error| {
            format!("it is not JSON: {} at byte {}", error.reason, error.offset)
        })?;
        let members: std::collections::BTreeMap<String, &RawValue> =
            serde_json::from_slice(&canonical).map_err(|_| "it is no JSON object".to_owned())?;
        let member = answers_member(interface);
        let held = members
            .get(member)
            .filter(|held| held.get().starts_with('['))
            .ok_or_else(|| format!("it has no array {member:?}"))?;
        let mut finish_reasons = Vec::new();
        let answers = match interface {
            Interface::ChatCompletions | Interface::Completions => {
                let choices: Vec<Choice<'_>> = serde_json::from_str(held.get())
                    .map_err(|_| "it has a choice that is no object".to_owned())?;
                let mut answers = Vec::new();
                for choice in choices {
                    let answer = match interface {
                        Interface::ChatCompletions => {
                            choice.message.map(read_message).transpose()?
                        }
                        _ => choice.text.map(read_text),
                    };
                    answers.push(answer.ok_or("it has a choice without an answer")?);
                    finish_reasons.extend(choice.finish_reason);
                }
                answers
            }
            Interface::Responses => vec![read_items(held, "message")?],
            Interface::Messages => vec![read_items(held, "text")?],
            Interface::Embeddings => vec![without_tools(describe_embeddings(body))],
        };
        if answers.is_empty() || answers.len() > MAX_ANSWERS {
            return Err(format!(
                "it has {} answers, expected 1 to {MAX_ANSWERS}",
                answers.len()
            ));
        }
        let rest = members.iter().filter(|(name, _)| *name != member);
        let rest = rest
            .filter_map(|(name, value)| {
                Some((name.clone(), serde_json::from_str(value.get()).ok()?))
            })
            .collect();
        Ok(Response {
            answers,
            rest,
            finish_reasons,
        })
    }
}

/// Whether the header `content-type` of a response says that its body is a stream of events.
#[must_use]
pub fn is_stream(content_type: &str) -> bool {
    let media_type = content_type.split(';').next();
    media_type.is_some_and(|name| name.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// The text of a JSON string where it is admissible as an answer, else the JSON.
fn read_text(value: &RawValue) -> RecordedAnswer {
    let text = admissible_text(value.get());
    without_tools(text.unwrap_or_else(|| value.get().as_bytes().to_vec()))
}

fn without_tools(text: Vec<u8>) -> RecordedAnswer {
    RecordedAnswer {
        text,
        tool_calls: Vec::new(),
    }
}

fn admissible_text(json: &str) -> Option<Vec<u8>> {
    let text: String = serde_json::from_str(json).ok()?;
    Text::check(text.as_bytes(), false).ok()?;
    Some(text.into_bytes())
}

/// The answer in a chat's message.
fn read_message(message: &RawValue) -> Result<RecordedAnswer, String> {
    Ok(RecordedAnswer {
        text: read_message_text(message),
        tool_calls: list_tool_calls(message).map_err(|error| error.to_string())?,
    })
}

/// The text of a chat's message that holds nothing else, else the message.
fn read_message_text(message: &RawValue) -> Vec<u8> {
    let whole = || message.get().as_bytes().to_vec();
    let Ok(Value::Object(members)) = serde_json::from_str(message.get()) else {
        return whole();
    };
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let holds_more = members
        .iter()
        .any(|(name, value)| !matches!(name.as_str(), "role" | "content") && !is_empty(value));
    let text = members.get("content").filter(|_| !holds_more);
    text.and_then(|text| admissible_text(&text.to_string()))
        .unwrap_or_else(whole)
}

/// The answer in a list of items.
fn read_items(items: &RawValue, kind: &str) -> Result<RecordedAnswer, String> {
    Ok(RecordedAnswer {
        text: read_items_text(items, kind),
        tool_calls: list_tool_calls(items).map_err(|error| error.to_string())?,
    })
}

/// The text of a list of items that is one text and nothing else, else the list. An item of the type `text` holds its
/// text; a `message` holds a list whose one item is an `output_text`.
fn read_items_text(items: &RawValue, kind: &str) -> Vec<u8> {
    let whole = || items.get().as_bytes().to_vec();
    let Ok(Value::Array(list)) = serde_json::from_str(items.get()) else {
        return whole();
    };
    let find_only = |list: &[Value], kind: &str| match list {
        [item] if item.get("type").and_then(Value::as_str) == Some(kind) => Some(item.clone()),
        _ => None,
    };
    let item = find_only(&list, kind).and_then(|item| match item.get("content") {
        Some(Value::Array(parts)) => find_only(parts, "output_text"),
        _ => Some(item),
    });
    let text = item.and_then(|item| item.get("text").map(Value::to_string));
    text.and_then(|text| admissible_text(&text))
        .unwrap_or_else(whole)
}

/// What is recorded of embeddings: the digest of the body.
fn describe_embeddings(body: &[u8]) -> Vec<u8> {
    json!({ "bytes": body.len(), "sha256": hex(&sha256(body)) })
        .to_string()
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(interface: Interface, body: Value, expected: &[&str]) {
        let response = Response::read(interface, body.to_string().as_bytes()).unwrap();
        let answers: Vec<&str> = response
            .answers
            .iter()
            .map(|answer| std::str::from_utf8(&answer.text).unwrap())
            .collect();
        assert_eq!(answers, expected);
    }

    #[test]
    fn an_answer_is_its_text_where_there_is_nothing_else() {
        let chat = |message: Value| json!({ "choices": [{ "message": message }] });
        let interface = Interface::ChatCompletions;
        let plain = json!({ "role": "assistant", "content": "{\"speed\":1}", "tool_calls": [], "refusal": null });
        read(interface, chat(plain), &["{\"speed\":1}"]);
        let called = json!({ "role": "assistant", "content": null, "tool_calls": [{ "function": { "name": "f" } }] });
        read(
            interface,
            chat(called),
            &[r#"{"content":null,"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}"#],
        );
        let tab = json!({ "content": "a\tb" });
        read(interface, chat(tab), &[r#"{"content":"a\tb"}"#]);
        let two = json!({ "choices": [{ "text": "a" }, { "text": "b" }] });
        read(Interface::Completions, two, &["a", "b"]);
        let message = json!({ "content": [{ "type": "text", "text": "hi" }] });
        read(Interface::Messages, message, &["hi"]);
        let tool = json!({ "content": [{ "type": "text", "text": "hi" }, { "type": "tool_use", "name": "f" }] });
        read(
            Interface::Messages,
            tool,
            &[r#"[{"text":"hi","type":"text"},{"name":"f","type":"tool_use"}]"#],
        );
        let item =
            json!({ "type": "message", "content": [{ "type": "output_text", "text": "hi" }] });
        read(Interface::Responses, json!({ "output": [item] }), &["hi"]);
    }

    #[test]
    fn numbers_beyond_the_doubles_stay_exact() {
        let body = br#"{"choices":[{"message":{"n":18446744073709551615}}]}"#;
        let response = Response::read(Interface::ChatCompletions, body).unwrap();
        let text = &response.answers[0].text;
        assert_eq!(text, br#"{"n":18446744073709551615}"#);
    }

    #[test]
    fn a_body_without_an_answer_is_refused() {
        for (body, expected) in [
            ("", "not JSON"),
            ("<html>", "not JSON"),
            ("[]", "no JSON object"),
            ("{}", "no array \"choices\""),
            ("{\"choices\":{}}", "no array"),
            ("{\"choices\":[]}", "0 answers"),
            ("{\"choices\":[{}]}", "without an answer"),
            ("{\"choices\":[1]}", "no object"),
            ("{\"choices\":[],\"choices\":[]}", "not JSON"),
        ] {
            let reason = Response::read(Interface::ChatCompletions, body.as_bytes()).unwrap_err();
            assert!(reason.contains(expected), "{body}: {reason}");
        }
    }
}
