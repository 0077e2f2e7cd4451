//! What is recorded of the provider beside its answers: who answered, what it used, how long it took. It is an
//! observation of its own, which no policy judges.

use axilog::text::Text;
use axilog_ledger::jcs::canonicalize;
use serde_json::{Map, Value, json};

use crate::answer::Response;
use crate::interface::Interface;

/// The members of a response that are recorded as they are.
const RECORDED: [&str; 6] = [
    "id",
    "model",
    "service_tier",
    "stop_reason",
    "system_fingerprint",
    "usage",
];

/// The most bytes of a member that is recorded.
const MAX_MEMBER: usize = 4096;

/// What is known of one exchange with the provider.
#[derive(Debug, Clone)]
pub struct Facts(Map<String, Value>);

impl Facts {
    /// The facts of every exchange.
    #[must_use]
    pub fn new(interface: Interface, model: &str, milliseconds: u128) -> Facts {
        let mut facts = Map::new();
        facts.insert("interface".to_owned(), interface.path().into());
        facts.insert("requested_model".to_owned(), model.into());
        let milliseconds = u64::try_from(milliseconds).unwrap_or(u64::MAX);
        facts.insert("milliseconds".to_owned(), milliseconds.into());
        Facts(facts)
    }

    /// Adds the status of the provider's response.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Facts {
        self.0.insert("status".to_owned(), status.into());
        self
    }

    /// Adds why there is no response that can be used.
    #[must_use]
    pub fn with_fault(mut self, fault: &str) -> Facts {
        self.0.insert("fault".to_owned(), fault.into());
        self
    }

    /// Adds what the response says beside its answers. A member that is long, or no text that a record may hold, is
    /// `null`.
    #[must_use]
    pub fn with_response(mut self, response: &Response) -> Facts {
        for name in RECORDED {
            if let Some(value) = response.rest.get(name) {
                self.0.insert(name.to_owned(), keep_plain(value));
            }
        }
        if !response.finish_reasons.is_empty() {
            let reasons = Value::Array(response.finish_reasons.clone());
            self.0
                .insert("finish_reasons".to_owned(), keep_plain(&reasons));
        }
        self
    }

    /// The canonical JSON.
    #[must_use]
    pub fn to_canonical(&self) -> Vec<u8> {
        let text = Value::Object(self.0.clone()).to_string();
        canonicalize(text.as_bytes()).unwrap_or_else(|_| json!({}).to_string().into_bytes())
    }
}

fn keep_plain(value: &Value) -> Value {
    let text = value.to_string();
    let is_plain = text.len() <= MAX_MEMBER
        && canonicalize(text.as_bytes()).is_ok_and(|text| Text::check(&text, false).is_ok());
    if is_plain { value.clone() } else { Value::Null }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_record_may_hold_is_null() {
        let body = json!({
            "choices": [{ "message": { "content": "a" }, "finish_reason": "stop" }],
            "id": "x".repeat(5000), "model": "e\u{301}", "usage": { "total_tokens": 3 }, "secret": 1,
        });
        let response =
            Response::read(Interface::ChatCompletions, body.to_string().as_bytes()).unwrap();
        let facts = Facts::new(Interface::ChatCompletions, "m", 5).with_status(200);
        let text = String::from_utf8(facts.with_response(&response).to_canonical()).unwrap();
        assert_eq!(
            text,
            r#"{"finish_reasons":["stop"],"id":null,"interface":"chat/completions","milliseconds":5,"model":null,"requested_model":"m","status":200,"usage":{"total_tokens":3}}"#
        );
    }
}
