//! The kinds of oracles, by the names that `--oracle` takes.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use axilog_ledger::input::CanonicalInput;

use super::OracleError;
use super::exchange::{Answer, Attempt, Exchange};
use super::key::ApiKey;
use super::openai::{Limits, OpenAi};
use super::question::Question;
use super::recorded::Recorded;
use super::scripted::Scripted;

/// A kind of oracle and where its answers come from.
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

/// An oracle made of code, for harnesses that bring their own.
pub trait Local: fmt::Debug {
    /// What it says to `question`.
    fn answer(&mut self, question: &Question) -> String;
}

/// An oracle that can be asked, by [`super::consult`] only.
#[derive(Debug)]
pub enum Endpoint {
    /// A server over HTTP.
    OpenAi(Box<OpenAi>),
    /// A script.
    Scripted(Scripted),
    /// A ledger.
    Recorded(Recorded),
    /// Code.
    Local(Box<dyn Local>),
}

impl Endpoint {
    /// Opens an oracle. `base_url` and `limits` are for [`Kind::OpenAi`], whose key comes from
    /// `OPENAI_API_KEY`.
    ///
    /// # Errors
    /// [`OracleError::Oracle`], [`FileError::Io`], [`LedgerError::Damaged`].
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

    /// Asks. `input` is the question's.
    pub(super) fn ask(
        &mut self,
        question: &Question,
        input: &CanonicalInput,
    ) -> Result<Exchange, OracleError> {
        match self {
            Endpoint::OpenAi(client) => Ok(client.ask(question)),
            Endpoint::Scripted(script) => Ok(script.ask(question)?),
            Endpoint::Recorded(ledger) => ledger.ask(input),
            Endpoint::Local(code) => Ok(at_once(code.answer(question))),
        }
    }
}

fn at_once(text: String) -> Exchange {
    let attempt = Attempt {
        waited: Duration::ZERO,
        took: Duration::ZERO,
        fault: None,
    };
    Exchange {
        reply: Ok(Answer {
            text,
            model: None,
            finish_reason: Some("stop".to_owned()),
            usage: None,
        }),
        attempts: vec![attempt],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names() {
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
