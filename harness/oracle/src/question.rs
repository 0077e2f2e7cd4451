//! What an oracle is asked (Q10, Q43).

use axilog::evidence::observation::Params;
use axilog_ledger::input::CanonicalInput;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Whoever sets the rules.
    System,
    /// Whoever asks.
    User,
}

impl Role {
    /// As the chat protocol writes it.
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
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// How a server takes a grammar that its answer must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The member `grammar` of the request, as llama.cpp's server has it.
    LlamaCpp,
    /// `structured_outputs.grammar`, as vLLM has it.
    Vllm,
}

/// A chat that wants an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The model's id, exactly as it is sent and recorded.
    pub model: String,
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// How to sample. What is `None` is not sent. Q16.16 values are sent exactly as they are recorded:
    /// 45875 goes out as 0.6999969482421875.
    pub params: Params,
    /// A grammar in GBNF that the answer must fit, and how it is sent. It is not in the record: who
    /// asks with one records it.
    pub grammar: Option<(Constraint, String)>,
}

impl Question {
    /// A system message and a user message.
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
            grammar: None,
        }
    }

    /// The canonical JSON of the messages, whose SHA-256 is the `input_hash` (Q43): an array of
    /// `{"content","role"}`.
    ///
    /// # Errors
    /// Why the messages may not be put to an oracle (SRS-004 §8.3), in a sentence: they are not in
    /// NFC.
    pub fn input(&self) -> Result<CanonicalInput, String> {
        let messages = self.messages.iter();
        CanonicalInput::chat(messages.map(|m| (m.role.as_str(), m.content.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog::hash::sha256;

    #[test]
    fn the_input_is_canonical_json_of_the_messages() {
        let question = Question::new("m", "Say\t\"é\"", "a\r\nb", Params::NULL);
        let input = question.input().unwrap();
        let expected = "[{\"content\":\"Say\\t\\\"é\\\"\",\"role\":\"system\"},{\"content\":\"a\\r\\nb\",\"role\":\"user\"}]";
        assert_eq!(input.bytes(), expected.as_bytes());
        assert_eq!(input.hash(), sha256(expected.as_bytes()));

        let nothing = Question {
            messages: Vec::new(),
            ..question
        };
        assert_eq!(nothing.input().unwrap().bytes(), b"[]");
    }

    #[test]
    fn what_is_not_in_nfc_is_refused() {
        let question = Question::new("m", "", "e\u{301}", Params::NULL);
        assert!(question.input().unwrap_err().contains("form C"));
    }
}
