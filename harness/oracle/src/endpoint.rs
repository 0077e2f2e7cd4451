//! Endpoints: the oracles that can be asked, and the names by which `--oracle` takes them.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use axilog_ledger::input::CanonicalInput;

use crate::error::OracleError;
use crate::exchange::{Answer, Exchange};
use crate::key::ApiKey;
use crate::openai::{Limits, OpenAi};
use crate::question::Question;
use crate::recorded::Recorded;
use crate::scripted::Scripted;

/// The kind of an oracle, and the file that it answers from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `openai`: a server over HTTP.
    OpenAi,
    /// `scripted:FILE`.
    Scripted(PathBuf),
    /// `recorded:LEDGER`.
    Recorded(PathBuf),
}

impl FromStr for Kind {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<Kind, OracleError> {
        match text.split_once(':') {
            None if text == "openai" => Ok(Kind::OpenAi),
            Some(("scripted", path)) if !path.is_empty() => Ok(Kind::Scripted(path.into())),
            Some(("recorded", path)) if !path.is_empty() => Ok(Kind::Recorded(path.into())),
            _ => Err(OracleError::UnknownKind(text.to_owned())),
        }
    }
}

/// An oracle made of code.
pub trait Local: fmt::Debug {
    /// Answers `question`.
    fn answer(&mut self, question: &Question) -> String;
}

/// An oracle that [`crate::consult`] can ask.
#[derive(Debug)]
pub enum Endpoint {
    /// A server over HTTP.
    OpenAi(Box<OpenAi>),
    /// A script in a file.
    Scripted(Scripted),
    /// An earlier ledger.
    Recorded(Recorded),
    /// Code of the caller.
    Local(Box<dyn Local>),
}

impl Endpoint {
    /// Opens an oracle. `base_url` and `limits` are for [`Kind::OpenAi`], which takes its key from the
    /// environment variable `OPENAI_API_KEY`.
    ///
    /// # Errors
    /// As [`OpenAi::new`], [`Scripted::read`] and [`Recorded::read`].
    pub fn open(kind: &Kind, base_url: &str, limits: Limits) -> Result<Endpoint, OracleError> {
        Ok(match kind {
            Kind::OpenAi => {
                let client = OpenAi::new(base_url, ApiKey::from_env()?, limits)?;
                Endpoint::OpenAi(Box::new(client))
            }
            Kind::Scripted(path) => Endpoint::Scripted(Scripted::read(path)?),
            Kind::Recorded(path) => Endpoint::Recorded(Recorded::read(path)?),
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
            Endpoint::Local(code) => Ok(Exchange::immediate(Ok(Answer {
                text: code.answer(question),
                model: None,
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
            ("openai", Kind::OpenAi),
            ("scripted:a:b", Kind::Scripted("a:b".into())),
            ("recorded:l.jsonl", Kind::Recorded("l.jsonl".into())),
        ] {
            assert_eq!(text.parse::<Kind>().unwrap(), kind);
        }
        for text in [
            "",
            "openai:",
            "scripted",
            "scripted:",
            "recorded:",
            "gemini",
        ] {
            let error = text.parse::<Kind>().unwrap_err().to_string();
            assert!(error.contains("scripted:FILE"), "{error}");
        }
    }
}
