//! Endpoints: the oracles that can be asked, and the names by which `--oracle` takes them.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use axilog_ledger::error::LedgerError;
use axilog_ledger::input::CanonicalInput;

use crate::anthropic::{ANTHROPIC_BASE_URL, AnthropicClient};
use crate::error::OracleError;
use crate::exchange::{Exchange, ModelAnswer};
use crate::http_client::ClientLimits;
use crate::key::{ANTHROPIC_KEY_VARIABLE, ApiKey, OPENAI_KEY_VARIABLE};
use crate::openai::{DEFAULT_BASE_URL, OpenAiClient};
use crate::question::Question;
use crate::recorded::RecordedOracle;
use crate::scripted::ScriptedOracle;
use crate::token_limit::TokenLimitMember;

/// The kind of an oracle, and the file that it answers from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleKind {
    /// `openai`: a server with OpenAI-compatible chat completion.
    OpenAi,
    /// `anthropic`: a server with Anthropic's messages API.
    Anthropic,
    /// `scripted:FILE`.
    Scripted(PathBuf),
    /// `recorded:LEDGER`.
    Recorded(PathBuf),
}

impl FromStr for OracleKind {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<OracleKind, OracleError> {
        match text.split_once(':') {
            None if text == "openai" => Ok(OracleKind::OpenAi),
            None if text == "anthropic" => Ok(OracleKind::Anthropic),
            Some(("scripted", path)) if !path.is_empty() => Ok(OracleKind::Scripted(path.into())),
            Some(("recorded", path)) if !path.is_empty() => Ok(OracleKind::Recorded(path.into())),
            _ => Err(OracleError::UnknownKind(text.to_owned())),
        }
    }
}

impl OracleKind {
    /// Whether the oracle is a server that is asked over HTTP.
    #[must_use]
    pub fn is_server(&self) -> bool {
        matches!(self, OracleKind::OpenAi | OracleKind::Anthropic)
    }
}

/// How a server is asked. Nothing of it concerns the other kinds of oracles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerOptions {
    /// The URL before the interface's own path; `None` for the provider's.
    pub base_url: Option<String>,
    /// The limits of a call.
    pub limits: ClientLimits,
    /// The member that limits the tokens of an answer, for [`OracleKind::OpenAi`].
    pub token_limit: TokenLimitMember,
}

/// An oracle made of code.
pub trait LocalOracle: fmt::Debug {
    /// Answers `question`.
    fn answer(&mut self, question: &Question) -> String;
}

/// An oracle that [`crate::consult_oracle`] can ask.
#[derive(Debug)]
pub enum Oracle {
    /// A server with OpenAI-compatible chat completion.
    OpenAi(Box<OpenAiClient>),
    /// A server with Anthropic's messages API.
    Anthropic(Box<AnthropicClient>),
    /// A script in a file.
    Scripted(ScriptedOracle),
    /// An earlier ledger.
    Recorded(RecordedOracle),
    /// Code of the caller.
    Code(Box<dyn LocalOracle>),
}

impl Oracle {
    /// Opens an oracle. A server's key comes from the environment: `OPENAI_API_KEY` for [`OracleKind::OpenAi`],
    /// `ANTHROPIC_API_KEY` for [`OracleKind::Anthropic`].
    ///
    /// # Errors
    /// As [`OpenAiClient::new`], [`AnthropicClient::new`], [`ScriptedOracle::open`] and [`RecordedOracle::open`].
    pub fn open(kind: &OracleKind, options: &ServerOptions) -> Result<Oracle, OracleError> {
        let base_url = |default| options.base_url.as_deref().unwrap_or(default);
        let limits = options.limits.clone();
        Ok(match kind {
            OracleKind::OpenAi => {
                let key = ApiKey::from_env(OPENAI_KEY_VARIABLE)?;
                let client = OpenAiClient::new(base_url(DEFAULT_BASE_URL), key, limits)?;
                Oracle::OpenAi(Box::new(client.with_token_limit(options.token_limit)))
            }
            OracleKind::Anthropic => {
                let key = ApiKey::from_env(ANTHROPIC_KEY_VARIABLE)?;
                let client = AnthropicClient::new(base_url(ANTHROPIC_BASE_URL), key, limits)?;
                Oracle::Anthropic(Box::new(client))
            }
            OracleKind::Scripted(path) => Oracle::Scripted(ScriptedOracle::open(path)?),
            OracleKind::Recorded(path) => Oracle::Recorded(RecordedOracle::open(path)?),
        })
    }

    /// Refuses a question that may not be recorded or cannot be sent. [`crate::consult_oracle`] checks it before
    /// it records anything; a caller that records something of the question earlier checks it earlier.
    ///
    /// # Errors
    /// [`OracleError::QuestionHoldsApiKey`]; [`OracleError::Unsupported`].
    pub fn check_question(&self, question: &Question) -> Result<(), OracleError> {
        match self {
            Oracle::OpenAi(client) => client.http().check_for_key(question),
            Oracle::Anthropic(client) => client.check_question(question),
            Oracle::Scripted(_) | Oracle::Recorded(_) | Oracle::Code(_) => Ok(()),
        }
    }

    /// Refuses a text that is to be recorded beside a question and holds the server's key. `place` names the text.
    ///
    /// # Errors
    /// [`OracleError::QuestionHoldsApiKey`].
    pub fn check_recorded_text(&self, place: &'static str, text: &[u8]) -> Result<(), OracleError> {
        match self {
            Oracle::OpenAi(client) => client.http().check_text(place, text),
            Oracle::Anthropic(client) => client.http().check_text(place, text),
            Oracle::Scripted(_) | Oracle::Recorded(_) | Oracle::Code(_) => Ok(()),
        }
    }

    /// Asks `question` without a record of it. The answer is no evidence of anything before it is
    /// [recorded](crate::record_exchange).
    ///
    /// # Errors
    /// As [`Oracle::check_question`]; [`OracleError`] where a script or a ledger has no answer, or the question cannot be
    /// asked.
    pub fn ask_unrecorded(&mut self, question: &Question) -> Result<Exchange, OracleError> {
        self.check_question(question)?;
        let input = question.to_canonical_input();
        let input = input.map_err(|reason| LedgerError::InvalidInput {
            path: "the question".into(),
            reason,
        })?;
        self.ask(question, &input)
    }

    /// Asks `question`, whose canonical form is `input`.
    pub(super) fn ask(
        &mut self,
        question: &Question,
        input: &CanonicalInput,
    ) -> Result<Exchange, OracleError> {
        match self {
            Oracle::OpenAi(client) => Ok(client.ask(question)),
            Oracle::Anthropic(client) => Ok(client.ask(question)),
            Oracle::Scripted(script) => script.ask(question),
            Oracle::Recorded(ledger) => ledger.ask(input),
            Oracle::Code(code) => Ok(Exchange::immediate(Ok(ModelAnswer {
                text: code.answer(question),
                model: None,
                system_fingerprint: None,
                finish_reason: Some("stop".to_owned()),
                usage: None,
            }))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_parsed_from_their_names() {
        for (text, kind) in [
            ("openai", OracleKind::OpenAi),
            ("anthropic", OracleKind::Anthropic),
            ("scripted:a:b", OracleKind::Scripted("a:b".into())),
            ("recorded:l.jsonl", OracleKind::Recorded("l.jsonl".into())),
        ] {
            assert_eq!(text.parse::<OracleKind>().unwrap(), kind);
        }
        for text in [
            "",
            "openai:",
            "anthropic:",
            "scripted",
            "scripted:",
            "recorded:",
            "gemini",
        ] {
            let error = text.parse::<OracleKind>().unwrap_err().to_string();
            assert!(error.contains("scripted:FILE"), "{error}");
        }
    }
}
