//! The question that an oracle is asked (Q10, Q43).

use axilog::evidence::observation::Params;
use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::input::CanonicalInput;
use serde_json::Value;

/// The role of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The system, which sets the rules.
    System,
    /// The user, who asks.
    User,
}

impl Role {
    /// The role's name in the chat protocol.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
        }
    }
}

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The role of its author.
    pub role: Role,
    /// The text.
    pub content: String,
}

/// The way in which a server takes a grammar for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrammarDialect {
    /// The member `grammar` of the request, for llama.cpp's server.
    LlamaCpp,
    /// The member `structured_outputs.grammar`, for vLLM.
    Vllm,
}

/// The JSON Schema that an answer must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSchema {
    text: String,
    value: Value,
}

impl AnswerSchema {
    /// Reads a schema. Whether it is one that a server takes is the server's to say.
    ///
    /// # Errors
    /// Why the text is no JSON object, in words.
    pub fn parse(text: &str) -> Result<AnswerSchema, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        if !value.is_object() {
            return Err("not a JSON object; expected a JSON Schema".to_owned());
        }
        Ok(AnswerSchema {
            text: text.to_owned(),
            value,
        })
    }

    /// The schema as it was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The schema.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

/// What the server is asked to hold the answer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerConstraint {
    /// A GBNF grammar that the answer must match, and the way in which it is sent.
    Grammar(GrammarDialect, String),
    /// Any JSON object: `response_format` of the type `json_object`.
    JsonObject,
    /// A JSON Schema: `response_format` of the type `json_schema`, and strict.
    JsonSchema(AnswerSchema),
}

impl AnswerConstraint {
    /// The constraint as records name it: `json_object`, or `json_schema:` or `grammar:` and the SHA-256 of the
    /// text in hexadecimal.
    #[must_use]
    pub fn describe(&self) -> String {
        let hash = hex(&sha256(self.text().as_bytes()));
        match self {
            AnswerConstraint::Grammar(..) => format!("grammar:{hash}"),
            AnswerConstraint::JsonObject => "json_object".to_owned(),
            AnswerConstraint::JsonSchema(_) => format!("json_schema:{hash}"),
        }
    }

    /// The text that is sent.
    pub(crate) fn text(&self) -> &str {
        match self {
            AnswerConstraint::Grammar(_, text) => text,
            AnswerConstraint::JsonObject => "",
            AnswerConstraint::JsonSchema(schema) => schema.text(),
        }
    }
}

/// A question: a chat and the sampling parameters for its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The model's id, exactly as it is sent and recorded.
    pub model: String,
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// The sampling parameters. Those that are `None` are not sent. Q16.16 values are sent exactly as they are
    /// recorded: 45875 is sent as 0.6999969482421875.
    pub params: Params,
    /// What the server is asked to hold the answer to. It is no part of the canonical input: a caller that sends
    /// one records it elsewhere.
    pub constraint: Option<AnswerConstraint>,
}

impl Question {
    /// Creates a question of a system message and a user message.
    #[must_use]
    pub fn new(model: &str, system: &str, user: &str, params: Params) -> Question {
        let message = |role, content: &str| Message {
            role,
            content: content.to_owned(),
        };
        Question {
            model: model.to_owned(),
            messages: vec![message(Role::System, system), message(Role::User, user)],
            params,
            constraint: None,
        }
    }

    /// The canonical JSON of the messages, whose SHA-256 is the `input_hash` (Q43): an array of
    /// `{"content","role"}`.
    ///
    /// # Errors
    /// The reason why the messages may not be put to an oracle (SRS-004 §8.3), in words: they are not in NFC.
    pub fn to_canonical_input(&self) -> Result<CanonicalInput, String> {
        let messages = self.messages.iter();
        CanonicalInput::from_chat(messages.map(|m| (m.role.as_str(), m.content.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_canonical_json_of_the_messages() {
        let question = Question::new("m", "Say\t\"é\"", "a\r\nb", Params::NULL);
        let input = question.to_canonical_input().unwrap();
        let expected = "[{\"content\":\"Say\\t\\\"é\\\"\",\"role\":\"system\"},{\"content\":\"a\\r\\nb\",\"role\":\"user\"}]";
        assert_eq!(input.bytes(), expected.as_bytes());
        assert_eq!(input.hash(), sha256(expected.as_bytes()));

        let nothing = Question {
            messages: Vec::new(),
            ..question
        };
        assert_eq!(nothing.to_canonical_input().unwrap().bytes(), b"[]");
    }

    #[test]
    fn a_schema_is_a_json_object() {
        let text = r#"{ "type": "object" }"#;
        let schema = AnswerSchema::parse(text).unwrap();
        assert_eq!(schema.text(), text);
        assert_eq!(schema.value()["type"], "object");
        let hash = hex(&sha256(text.as_bytes()));
        let named = AnswerConstraint::JsonSchema(schema).describe();
        assert_eq!(named, format!("json_schema:{hash}"));
        let grammar = AnswerConstraint::Grammar(GrammarDialect::Vllm, text.to_owned());
        assert_eq!(grammar.describe(), format!("grammar:{hash}"));
        for (text, reason) in [("[]", "not a JSON object"), ("{", "not JSON")] {
            let error = AnswerSchema::parse(text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn text_outside_nfc_is_refused() {
        let question = Question::new("m", "", "e\u{301}", Params::NULL);
        assert!(
            question
                .to_canonical_input()
                .unwrap_err()
                .contains("form C")
        );
    }
}
