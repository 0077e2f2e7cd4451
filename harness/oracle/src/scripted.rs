//! An oracle that answers from a file, so that everything runs offline.
//!
//! A script is JSON Lines, one object per line:
//!
//! | member | meaning |
//! |---|---|
//! | `answer` | the text of the answer |
//! | `quote` | a text; the word before its first occurrence in the messages replaces `{{quote}}` in the answer |
//! | `faults` | attempts that fail before the answer: `"timeout"`, `"connection"` or a status like 429 |
//! | `usage` | `{"prompt_tokens","completion_tokens"}` |
//! | `model`, `system_fingerprint`, `finish_reason` | as in a response |
//! | `contains` | the line answers only questions whose last message holds this text |
//! | `every` | the line answers only every n-th call |
//!
//! The first line whose `contains` and `every` both fit answers. Where no such line fits, the lines without
//! both members answer in order, and again from the first after the last. As over HTTP there are at most four
//! attempts, and a fault that is not transient ends them. Nothing waits between attempts.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::OracleError;
use crate::exchange::{AskAttempt, AskFault, Exchange, ModelAnswer, TokenUsage};
use crate::question::Question;

/// The number of attempts, as for a call over HTTP (Q51).
const ATTEMPTS: usize = 4;

/// The part of an answer that the quotation replaces.
const QUOTE: &str = "{{quote}}";

/// An oracle that answers from a script.
#[derive(Debug)]
pub struct ScriptedOracle {
    path: PathBuf,
    /// The lines with `contains` or `every`.
    conditional: Vec<ScriptLine>,
    /// The other lines.
    sequence: Vec<ScriptLine>,
    calls: u64,
    /// The index of the next line of the sequence.
    next: usize,
}

/// A line of a script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptLine {
    #[serde(default, deserialize_with = "not_null")]
    answer: Option<String>,
    #[serde(default, deserialize_with = "not_null")]
    quote: Option<String>,
    #[serde(default)]
    faults: Vec<ScriptFault>,
    #[serde(default, deserialize_with = "not_null")]
    usage: Option<TokenUsage>,
    #[serde(default, deserialize_with = "not_null")]
    model: Option<String>,
    #[serde(default, deserialize_with = "not_null")]
    system_fingerprint: Option<String>,
    #[serde(default, deserialize_with = "not_null")]
    finish_reason: Option<String>,
    #[serde(default, deserialize_with = "not_null")]
    contains: Option<String>,
    #[serde(default, deserialize_with = "not_null")]
    every: Option<NonZeroU64>,
}

/// Reads an optional member, which may be absent but not null.
fn not_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    json: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(json).map(Some)
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "Value")]
struct ScriptFault(AskFault);

impl TryFrom<Value> for ScriptFault {
    type Error = String;

    fn try_from(value: Value) -> Result<ScriptFault, String> {
        let fault = match (value.as_str(), value.as_u64()) {
            (Some("timeout"), _) => AskFault::Timeout,
            (Some("connection"), _) => AskFault::Connection("closed by the script".to_owned()),
            (_, Some(code @ (100..200 | 300..600))) => AskFault::Status {
                code: u16::try_from(code).unwrap_or(u16::MAX),
                message: String::new(),
            },
            _ => {
                return Err(format!(
                    "the fault {value} is neither \"timeout\" nor \"connection\" nor a status that is no success"
                ));
            }
        };
        Ok(ScriptFault(fault))
    }
}

impl ScriptedOracle {
    /// Reads a script.
    ///
    /// # Errors
    /// [`FileError::Io`](axilog_ledger::error::FileError::Io); [`OracleError::InvalidScript`] with the line.
    pub fn open(path: &Path) -> Result<ScriptedOracle, OracleError> {
        let bytes = read_input(path, "read the script", MAX_INPUT_BYTES)?;
        let script_error = |line: usize, reason: String| OracleError::InvalidScript {
            path: path.to_owned(),
            line,
            reason,
        };
        let (mut conditional, mut sequence) = (Vec::new(), Vec::new());
        for (index, text) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if text.trim_ascii().is_empty() {
                continue;
            }
            let line = read_line(text).map_err(|reason| script_error(index + 1, reason))?;
            if line.contains.is_some() || line.every.is_some() {
                conditional.push(line);
            } else {
                sequence.push(line);
            }
        }
        if conditional.is_empty() && sequence.is_empty() {
            return Err(script_error(1, "the script is empty".to_owned()));
        }
        Ok(ScriptedOracle {
            path: path.to_owned(),
            conditional,
            sequence,
            calls: 0,
            next: 0,
        })
    }

    /// Answers `question` by the line of the script that fits.
    pub(super) fn ask(&mut self, question: &Question) -> Result<Exchange, OracleError> {
        self.calls += 1;
        let last = question.messages.last();
        let asked = last.map_or("", |message| message.content.as_str());
        let fits = |line: &&ScriptLine| {
            let contains = line.contains.as_ref();
            contains.is_none_or(|text| asked.contains(text))
                && line
                    .every
                    .is_none_or(|n| self.calls.is_multiple_of(n.get()))
        };
        let line = match self.conditional.iter().find(fits) {
            Some(line) => Some(line),
            None => {
                let line = self.sequence.get(self.next);
                self.next = (self.next + 1) % self.sequence.len().max(1);
                line
            }
        };
        let line = line.ok_or_else(|| OracleError::NoAnswer {
            path: self.path.clone(),
            call: self.calls,
        })?;
        let mut exchange = run_attempts(line);
        if let (Ok(answer), Some(marker)) = (&mut exchange.reply, &line.quote) {
            answer.text = answer.text.replace(QUOTE, word_before(question, marker));
        }
        Ok(exchange)
    }
}

/// Reads a line. The error names the place in the line, what was found and what was expected.
fn read_line(text: &[u8]) -> Result<ScriptLine, String> {
    let value: Value =
        serde_json::from_slice(text).map_err(|error| format!("not JSON: {error}"))?;
    if !value.is_object() {
        return Err("not a JSON object".to_owned());
    }
    let line: ScriptLine = serde_path_to_error::deserialize(value).map_err(|error| {
        let place = error.path().to_string();
        format!("at `{place}`: {}", error.into_inner())
    })?;
    if line.answer.is_none() && line.faults.is_empty() {
        return Err("neither `answer` nor `faults`".to_owned());
    }
    Ok(line)
}

/// The word that stands before the first `marker` in the messages; empty where there is none.
fn word_before<'q>(question: &'q Question, marker: &str) -> &'q str {
    let mut messages = question.messages.iter();
    let before = messages.find_map(|message| message.content.split_once(marker));
    let (before, _) = before.unwrap_or_default();
    before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
}

/// The exchange that a client with [`ATTEMPTS`] attempts has with `line`.
fn run_attempts(line: &ScriptLine) -> Exchange {
    let attempt = |fault| AskAttempt {
        delay: Duration::ZERO,
        duration: Duration::ZERO,
        fault,
    };
    let mut attempts = Vec::new();
    for ScriptFault(fault) in &line.faults {
        attempts.push(attempt(Some(fault.clone())));
        if !fault.is_transient() || attempts.len() == ATTEMPTS {
            return Exchange {
                reply: Err(fault.clone()),
                attempts,
            };
        }
    }
    match (&line.answer, line.faults.last()) {
        (Some(text), _) => {
            attempts.push(attempt(None));
            Exchange {
                reply: Ok(ModelAnswer {
                    text: text.clone(),
                    model: line.model.clone(),
                    system_fingerprint: line.system_fingerprint.clone(),
                    finish_reason: line.finish_reason.clone().or(Some("stop".to_owned())),
                    usage: line.usage,
                }),
                attempts,
            }
        }
        // Without an answer the last fault repeats.
        (None, last) => {
            let fault = last.map_or(AskFault::Timeout, |ScriptFault(fault)| fault.clone());
            attempts.resize(ATTEMPTS, attempt(Some(fault.clone())));
            Exchange {
                reply: Err(fault),
                attempts,
            }
        }
    }
}
