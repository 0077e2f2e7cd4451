//! Endpoints: the oracles that can be asked, and the names by which `--oracle` takes them.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use axilog_ledger::input::CanonicalInput;

use crate::error::OracleError;
use crate::exchange::{Exchange, ModelAnswer};
use crate::key::ApiKey;
use crate::openai::{ClientLimits, OpenAiClient};
use crate::question::Question;
use crate::recorded::RecordedOracle;
use crate::scripted::ScriptedOracle;

/// The kind of an oracle, and the file that it answers from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleKind {
    /// `openai`: a server over HTTP.
    OpenAi,
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
            Some(("scripted", path)) if !path.is_empty() => Ok(OracleKind::Scripted(path.into())),
            Some(("recorded", path)) if !path.is_empty() => Ok(OracleKind::Recorded(path.into())),
            _ => Err(OracleError::UnknownKind(text.to_owned())),
        }
    }
}

/// An oracle made of code.
pub trait LocalOracle: fmt::Debug {
    /// Answers `question`.
    fn answer(&mut self, question: &Question) -> String;
}

/// An oracle that [`crate::consult_oracle`] can ask.
#[derive(Debug)]
pub enum Endpoint {
    /// A server over HTTP.
    OpenAi(Box<OpenAiClient>),
    /// A script in a file.
    Scripted(ScriptedOracle),
    /// An earlier ledger.
    Recorded(RecordedOracle),
    /// Code of the caller.
    Code(Box<dyn LocalOracle>),
}

impl Endpoint {
    /// Opens an oracle. `base_url` and `limits` are for [`OracleKind::OpenAi`], which takes its key from the
    /// environment variable `OPENAI_API_KEY`.
    ///
    /// # Errors
    /// As [`OpenAiClient::new`], [`ScriptedOracle::open`] and [`RecordedOracle::open`].
    pub fn open(
        kind: &OracleKind,
        base_url: &str,
        limits: ClientLimits,
    ) -> Result<Endpoint, OracleError> {
        Ok(match kind {
            OracleKind::OpenAi => {
                let client = OpenAiClient::new(base_url, ApiKey::from_env()?, limits)?;
                Endpoint::OpenAi(Box::new(client))
            }
            OracleKind::Scripted(path) => Endpoint::Scripted(ScriptedOracle::open(path)?),
            OracleKind::Recorded(path) => Endpoint::Recorded(RecordedOracle::open(path)?),
        })
    }

    /// Asks `question`, whose canonical form is `input`.
    pub(super) fn ask(
        &mut self,
        question: &Question,
        input: &CanonicalInput,
    ) -> Result<Exchange, OracleError> {
        match self {
            Endpoint::OpenAi(client) => Ok(client.ask(question)),
            Endpoint::Scripted(script) => script.ask(question),
            Endpoint::Recorded(ledger) => ledger.ask(input),
            Endpoint::Code(code) => Ok(Exchange::immediate(Ok(ModelAnswer {
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
            ("scripted:a:b", OracleKind::Scripted("a:b".into())),
            ("recorded:l.jsonl", OracleKind::Recorded("l.jsonl".into())),
        ] {
            assert_eq!(text.parse::<OracleKind>().unwrap(), kind);
        }
        for text in [
            "",
            "openai:",
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
