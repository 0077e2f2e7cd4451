//! Answers and faults from a file, so that everything runs offline.
//!
//! A script is JSON Lines, one object per line:
//!
//! | member | meaning |
//! |---|---|
//! | `answer` | what the model says |
//! | `quote` | a text; what stands in the messages right before it, back to a space or line end, is put for `{{quote}}` in the answer |
//! | `faults` | attempts that fail before it: `"timeout"`, `"connection"` or a status like 429 |
//! | `usage` | `{"prompt_tokens","completion_tokens"}` |
//! | `model`, `finish_reason` | as in a response |
//! | `contains` | the line is for questions whose last message holds this text |
//! | `every` | the line is for every so manieth call |
//!
//! The first line whose `contains` and `every` both fit answers. Where none does, the lines that have
//! neither answer in order, and over again from the first. As over HTTP there are four attempts at
//! most, and a fault that does not pass ends them; nothing is waited for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use axilog_ledger::error::FileError;
use serde_json::Value;

use super::OracleError;
use super::exchange::{Answer, Attempt, Exchange, Fault};
use super::question::Question;
use super::wire;

/// As many attempts as a call over HTTP has (Q51).
const ATTEMPTS: usize = 4;

/// An oracle that says what a file says.
#[derive(Debug)]
pub struct Scripted {
    path: PathBuf,
    /// For some questions.
    rules: Vec<Entry>,
    /// For all others, in order.
    sequence: Vec<Entry>,
    calls: u64,
    next: usize,
}

#[derive(Debug, Default)]
struct Entry {
    contains: Option<String>,
    every: Option<u64>,
    faults: Vec<Fault>,
    answer: Option<Answer>,
    quote: Option<String>,
}

/// What stands for the quotation in an answer.
const QUOTE: &str = "{{quote}}";

impl Scripted {
    /// Reads a script.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`OracleError::Script`] with the line.
    pub fn read(path: &Path) -> Result<Scripted, OracleError> {
        let bytes = std::fs::read(path).map_err(FileError::at(path, "read the script"))?;
        let refused = |line: usize, reason: String| OracleError::Script {
            path: path.to_owned(),
            line,
            reason,
        };
        let mut script = Scripted {
            path: path.to_owned(),
            rules: Vec::new(),
            sequence: Vec::new(),
            calls: 0,
            next: 0,
        };
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let entry = entry(line).map_err(|reason| refused(index + 1, reason))?;
            if entry.contains.is_some() || entry.every.is_some() {
                script.rules.push(entry);
            } else {
                script.sequence.push(entry);
            }
        }
        if script.rules.is_empty() && script.sequence.is_empty() {
            return Err(refused(1, "the script is empty".to_owned()).into());
        }
        Ok(script)
    }

    /// The next answer.
    pub(super) fn ask(&mut self, question: &Question) -> Result<Exchange, OracleError> {
        self.calls += 1;
        let last = question.messages.last();
        let asked = last.map_or("", |message| message.content.as_str());
        let fits = |entry: &&Entry| {
            let contains = entry.contains.as_ref();
            contains.is_none_or(|text| asked.contains(text))
                && entry.every.is_none_or(|n| self.calls.is_multiple_of(n))
        };
        let entry = match self.rules.iter().find(fits) {
            Some(entry) => Some(entry),
            None => {
                let entry = self.sequence.get(self.next);
                self.next = (self.next + 1) % self.sequence.len().max(1);
                entry
            }
        };
        let entry = entry.ok_or_else(|| OracleError::NoAnswer {
            path: self.path.clone(),
            call: self.calls,
        })?;
        let mut exchange = exchange(entry);
        if let (Ok(answer), Some(behind)) = (&mut exchange.reply, &entry.quote) {
            answer.text = answer.text.replace(QUOTE, quoted(question, behind));
        }
        Ok(exchange)
    }
}

/// What stands in the messages right before the first `behind`; nothing where that is not there.
fn quoted<'q>(question: &'q Question, behind: &str) -> &'q str {
    let mut messages = question.messages.iter();
    let before = messages.find_map(|message| message.content.split_once(behind));
    let (before, _) = before.unwrap_or_default();
    before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
}

/// What a client with [`ATTEMPTS`] attempts sees of `entry`.
fn exchange(entry: &Entry) -> Exchange {
    let attempt = |fault| Attempt {
        waited: Duration::ZERO,
        took: Duration::ZERO,
        fault,
    };
    let mut attempts = Vec::new();
    for fault in &entry.faults {
        attempts.push(attempt(Some(fault.clone())));
        if !fault.may_pass() || attempts.len() == ATTEMPTS {
            return Exchange {
                reply: Err(fault.clone()),
                attempts,
            };
        }
    }
    match (&entry.answer, entry.faults.last()) {
        (Some(answer), _) => {
            attempts.push(attempt(None));
            Exchange {
                reply: Ok(answer.clone()),
                attempts,
            }
        }
        // Without an answer the last fault stays.
        (None, fault) => {
            let fault = fault.cloned().unwrap_or(Fault::Timeout);
            attempts.resize(ATTEMPTS, attempt(Some(fault.clone())));
            Exchange {
                reply: Err(fault),
                attempts,
            }
        }
    }
}

fn entry(line: &[u8]) -> Result<Entry, String> {
    let value: Value =
        serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
    let members = value.as_object().ok_or("not a JSON object")?;
    let mut entry = Entry::default();
    let mut answer = Answer {
        text: String::new(),
        model: None,
        finish_reason: Some("stop".to_owned()),
        usage: None,
    };
    let text = |name: &str, value: &Value| {
        let text = value.as_str().map(str::to_owned);
        text.ok_or_else(|| format!("`{name}` is not text"))
    };
    for (name, value) in members {
        match name.as_str() {
            "answer" => answer.text = text(name, value)?,
            "model" => answer.model = Some(text(name, value)?),
            "finish_reason" => answer.finish_reason = Some(text(name, value)?),
            "contains" => entry.contains = Some(text(name, value)?),
            "quote" => entry.quote = Some(text(name, value)?),
            "usage" => {
                let usage = wire::usage(value);
                answer.usage = Some(usage.ok_or(
                    "`usage` has not both `prompt_tokens` and `completion_tokens`, two integers",
                )?);
            }
            "every" => {
                let every = value.as_u64().filter(|n| *n > 0);
                entry.every = Some(every.ok_or("`every` is not an integer from 1")?);
            }
            "faults" => {
                let faults = value.as_array().ok_or("`faults` is not an array")?;
                entry.faults = faults.iter().map(fault).collect::<Result<_, _>>()?;
            }
            other => return Err(format!("there is no member `{other}`")),
        }
    }
    if members.contains_key("answer") {
        entry.answer = Some(answer);
    } else if entry.faults.is_empty() {
        return Err("neither `answer` nor `faults`".to_owned());
    }
    Ok(entry)
}

fn fault(value: &Value) -> Result<Fault, String> {
    match (value.as_str(), value.as_u64()) {
        (Some("timeout"), _) => Ok(Fault::Timeout),
        (Some("connection"), _) => Ok(Fault::Connection("closed by the script".to_owned())),
        (_, Some(code @ (100..200 | 300..600))) => Ok(Fault::Status {
            code: u16::try_from(code).unwrap_or(u16::MAX),
            message: String::new(),
        }),
        _ => Err(format!(
            "the fault {value} is neither \"timeout\" nor \"connection\" nor a status that is no success"
        )),
    }
}
