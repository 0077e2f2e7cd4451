//! The client for Anthropic's messages API.
//!
//! The interface differs from chat completion in these ways: the key is in the header `x-api-key`, the version of
//! the interface in `anthropic-version`; the system message is a member of the request; the limit of the answer's
//! tokens must be there; there is no seed; and the tokens of a prompt are counted in three numbers, which add up.

use std::fmt;

use reqwest::header::HeaderName;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::OracleError;
use crate::exchange::{Exchange, ModelAnswer, TokenUsage};
use crate::http_client::{ClientLimits, HttpClient, Protocol};
use crate::key::{ANTHROPIC_KEY_VARIABLE, ApiKey};
use crate::question::{Question, Role};
use crate::wire::{UNITS_PER_ONE, parse_body};

/// The base URL of Anthropic's own server.
pub const ANTHROPIC_BASE_URL: &str = "https://api.anthropic.com/v1";

/// The version of the interface.
const VERSION: &str = "2023-06-01";

/// A client bound to one base URL.
pub struct AnthropicClient {
    http: HttpClient,
}

impl AnthropicClient {
    /// Creates a client for `base_url`, the part of the URL before `/messages`. Key and proxy are used as by
    /// [`OpenAiClient::new`](crate::OpenAiClient::new).
    ///
    /// # Errors
    /// [`OracleError::InvalidBaseUrl`], also for a key that would be sent unencrypted or stands in the URL;
    /// [`OracleError::MissingApiKey`]; [`OracleError::ClientSetup`].
    pub fn new(
        base_url: &str,
        key: Option<ApiKey>,
        limits: ClientLimits,
    ) -> Result<AnthropicClient, OracleError> {
        let protocol = Protocol {
            path: "messages",
            key_variable: ANTHROPIC_KEY_VARIABLE,
            read_answer,
        };
        let secret = key.clone();
        let mut http = HttpClient::new(base_url, protocol, key, limits)?;
        if let Some(key) = secret {
            http.add_secret_header(HeaderName::from_static("x-api-key"), key.text())?;
        }
        http.add_header(HeaderName::from_static("anthropic-version"), VERSION);
        Ok(AnthropicClient { http })
    }

    /// Refuses a question that may not be sent, or a part of which has no place in a request. Otherwise the record
    /// would say that the part was sent.
    ///
    /// # Errors
    /// [`OracleError::QuestionHoldsApiKey`]; [`OracleError::Unsupported`].
    pub(super) fn check_question(&self, question: &Question) -> Result<(), OracleError> {
        let unsupported = |part, advice| OracleError::Unsupported {
            server: "Anthropic's messages API",
            part,
            advice,
        };
        if question.params.seed.is_some() {
            return Err(unsupported("seed", "ask without one"));
        }
        if question.params.max_tokens.is_none() {
            let advice = "give the question a limit of the answer's tokens";
            return Err(unsupported("question without max_tokens", advice));
        }
        if question.constraint.is_some() {
            let advice = "leave --send-grammar and --response-format out; the answer is checked all the same";
            return Err(unsupported("grammar or response_format", advice));
        }
        self.http.check_for_key(question)
    }

    /// The HTTP client.
    pub(super) fn http(&self) -> &HttpClient {
        &self.http
    }

    /// Asks until there is an answer, a fault that is not transient, or no attempt left.
    pub(super) fn ask(&mut self, question: &Question) -> Exchange {
        self.http.ask(&write_request(question), &|_, _| None)
    }
}

impl fmt::Debug for AnthropicClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnthropicClient")
            .field("http", &self.http)
            .finish()
    }
}

/// Writes the body of the request for `question`.
fn write_request(question: &Question) -> Vec<u8> {
    let messages = question.messages.iter();
    let of_role = |role| messages.clone().filter(move |message| message.role == role);
    let system: Vec<&str> = of_role(Role::System).map(|m| m.content.as_str()).collect();
    let user: Vec<Value> = of_role(Role::User)
        .map(|message| json!({ "role": "user", "content": message.content }))
        .collect();
    let params = &question.params;
    let decimal = |raw: Option<i32>| raw.map(|raw| json!(f64::from(raw) / UNITS_PER_ONE));
    let mut body = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    add("model", Some(json!(question.model)));
    add("max_tokens", params.max_tokens.map(Value::from));
    let has_system = !system.is_empty();
    add("system", has_system.then(|| json!(system.join("\n\n"))));
    add("messages", Some(json!(user)));
    add("stream", Some(json!(false)));
    add("temperature", decimal(params.temperature));
    add("top_p", decimal(params.top_p));
    Value::from(body).to_string().into_bytes()
}

/// The usage in a response. What was read from a cache or written to one is not among the input tokens.
#[derive(Deserialize)]
struct MessageUsage {
    input_tokens: u64,
    output_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
}

impl From<MessageUsage> for TokenUsage {
    fn from(usage: MessageUsage) -> TokenUsage {
        let cached = [
            usage.cache_creation_input_tokens,
            usage.cache_read_input_tokens,
        ];
        let cached = cached.into_iter().flatten();
        TokenUsage {
            prompt_tokens: cached.fold(usage.input_tokens, u64::saturating_add),
            completion_tokens: usage.output_tokens,
        }
    }
}

/// Reads the answer in the body of a successful response: the text blocks, one after the other.
fn read_answer(body: &[u8]) -> Result<ModelAnswer, String> {
    let body = parse_body(body)?;
    let blocks = body
        .get("content")
        .and_then(Value::as_array)
        .ok_or("there is no array `content`".to_owned())?;
    let kind = |block: &Value| block.get("type").and_then(Value::as_str).map(str::to_owned);
    let mut text = String::new();
    for block in blocks {
        match kind(block).as_deref() {
            Some("text") => {
                let part = block.get("text").and_then(Value::as_str);
                text.push_str(part.ok_or("a text block of `content` has no text".to_owned())?);
            }
            // What a model thinks before it answers is not its answer.
            Some(_) => {}
            None => return Err("a block of `content` has no type".to_owned()),
        }
    }
    let string = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let usage = body.get("usage");
    Ok(ModelAnswer {
        text,
        model: string("model"),
        // The interface has none.
        system_fingerprint: None,
        finish_reason: string("stop_reason"),
        usage: usage
            .and_then(|usage| MessageUsage::deserialize(usage).ok())
            .map(TokenUsage::from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::AnswerConstraint;
    use axilog::evidence::observation::Params;

    const PARAMS: Params = Params {
        max_tokens: Some(2048),
        seed: None,
        temperature: Some(0),
        top_p: None,
    };

    fn client() -> AnthropicClient {
        let key = ApiKey::new("sk-ant-abcdefgh".to_owned()).unwrap();
        AnthropicClient::new(ANTHROPIC_BASE_URL, Some(key), ClientLimits::default()).unwrap()
    }

    #[test]
    fn the_system_message_is_a_member_of_the_request() {
        let question = Question::new("claude", "rules", "task", PARAMS);
        let body: Value = serde_json::from_slice(&write_request(&question)).unwrap();
        assert_eq!(
            body,
            json!({
                "model": "claude",
                "max_tokens": 2048,
                "system": "rules",
                "messages": [{ "role": "user", "content": "task" }],
                "stream": false,
                "temperature": 0.0,
            })
        );
    }

    #[test]
    fn what_has_no_place_in_a_request_is_refused() {
        let ask = |question: &Question| client().check_question(question);
        let question = Question::new("claude", "rules", "task", PARAMS);
        assert!(ask(&question).is_ok());
        let mut seeded = question.clone();
        seeded.params.seed = Some(1);
        let mut unlimited = question.clone();
        unlimited.params.max_tokens = None;
        let mut constrained = question.clone();
        constrained.constraint = Some(AnswerConstraint::JsonObject);
        let leaking = Question::new("claude", "", "is it sk-ant-abcdefgh?", PARAMS);
        for (question, part) in [
            (seeded, "takes no seed"),
            (unlimited, "without max_tokens"),
            (constrained, "response_format"),
            (leaking, "holds the API key, in a message"),
        ] {
            let error = ask(&question).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
            assert!(!error.contains("abcdefgh"), "{error}");
        }
    }

    #[test]
    fn the_key_is_named_where_it_is_missing_and_shown_nowhere() {
        let missing = AnthropicClient::new(ANTHROPIC_BASE_URL, None, ClientLimits::default());
        let error = missing.unwrap_err().to_string();
        assert!(error.starts_with("ANTHROPIC_API_KEY is not set"), "{error}");
        let client = client();
        let request = client.http.build_request(Vec::new());
        let shown = format!("{client:?} {request:?}");
        assert!(!shown.contains("abcdefgh"), "{shown}");
    }

    #[test]
    fn answers_are_read_and_other_bodies_are_refused() {
        let whole = json!({
            "type": "message", "role": "assistant", "model": "claude-1", "stop_reason": "end_turn",
            "content": [
                { "type": "thinking", "thinking": "Well." },
                { "type": "text", "text": "{\"a\"" },
                { "type": "text", "text": ":1}" },
            ],
            "usage": { "input_tokens": 5, "cache_creation_input_tokens": 20,
                       "cache_read_input_tokens": 300, "output_tokens": 7 },
        });
        let answer = read_answer(whole.to_string().as_bytes()).unwrap();
        assert_eq!(answer.text, "{\"a\":1}");
        assert_eq!(answer.model.as_deref(), Some("claude-1"));
        assert_eq!(answer.finish_reason.as_deref(), Some("end_turn"));
        let usage = TokenUsage {
            prompt_tokens: 325,
            completion_tokens: 7,
        };
        assert_eq!(answer.usage, Some(usage));
        for (usage, read) in [
            (
                json!({ "input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": null }),
                true,
            ),
            (json!({ "input_tokens": 5 }), false),
            (json!({ "prompt_tokens": 5, "completion_tokens": 7 }), false),
        ] {
            let body = json!({ "content": [], "usage": usage }).to_string();
            let answer = read_answer(body.as_bytes()).unwrap();
            assert_eq!((answer.text.as_str(), answer.usage.is_some()), ("", read));
        }
        for (body, reason) in [
            ("<html>", "not JSON"),
            ("{}", "no array `content`"),
            (r#"{"content":"hi"}"#, "no array `content`"),
            (r#"{"content":[{}]}"#, "has no type"),
            (r#"{"content":[{"type":"text"}]}"#, "has no text"),
            ("event: message_start\ndata: {}\n\n", "a stream of events"),
        ] {
            let error = read_answer(body.as_bytes()).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
