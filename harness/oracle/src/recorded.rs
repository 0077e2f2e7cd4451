//! Answers from a ledger, by the hash of what was asked. Nothing is called, and a question that the
//! ledger does not know is an error that shows the nearest one it knows.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Completion, Failure};
use axilog::hash::{Hash, sha256};
use axilog_ledger::decision::text;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::blobs::Blobs;
use axilog_ledger::file::hex;
use axilog_ledger::file::verify::{Expected, check};
use axilog_ledger::input::CanonicalInput;
use serde_json::Value;
use similar::TextDiff;

use super::OracleError;
use super::exchange::{Answer, Attempt, Exchange, Fault};

/// The longest input that is shown or compared.
const MAX_INPUT_BYTES: u64 = 1 << 20;

/// The most lines of a difference that are shown.
const MAX_DIFF_LINES: usize = 40;

/// An oracle that says again what a ledger holds.
#[derive(Debug)]
pub struct Recorded {
    path: PathBuf,
    blobs: Blobs,
    /// What is left of the answers to each input, oldest first, and how many there were.
    answers: BTreeMap<Hash, (VecDeque<Held>, usize)>,
}

#[derive(Debug)]
struct Held {
    ledger_seq: u64,
    completion: Completion,
    failure: Option<Failure>,
    output: String,
}

impl Recorded {
    /// Reads a ledger, which must be good.
    ///
    /// # Errors
    /// [`FileError::Io`], [`LedgerError::Damaged`].
    pub fn read(path: &Path) -> Result<Recorded, OracleError> {
        let file = std::fs::File::open(path).map_err(FileError::at(path, "open"))?;
        let mut answers: BTreeMap<Hash, (VecDeque<Held>, usize)> = BTreeMap::new();
        let checked = check(file, None, &Expected::default(), &mut |record| {
            let Some(view) = &record.observation else {
                return;
            };
            let oracle = view.oracle_id.bytes();
            if oracle == TIME_ORACLE.as_bytes() || oracle == CONTROL_ORACLE.as_bytes() {
                return;
            }
            let (held, count) = answers.entry(view.input_hash).or_default();
            *count += 1;
            held.push_back(Held {
                ledger_seq: view.ledger_seq,
                completion: view.completion,
                failure: view.failure,
                output: text(view.output),
            });
        })
        .map_err(FileError::at(path, "read"))?;
        if let Some(fault) = checked.fault {
            return Err(LedgerError::Damaged {
                path: path.to_owned(),
                fault,
            }
            .into());
        }
        Ok(Recorded {
            path: path.to_owned(),
            blobs: Blobs::beside(path),
            answers,
        })
    }

    /// The next answer that the ledger holds to `input`.
    pub(super) fn ask(&mut self, input: &CanonicalInput) -> Result<Exchange, OracleError> {
        let hash = input.hash();
        let (path, input_hash) = (self.path.clone(), hex(&hash));
        let Some((held, recorded)) = self.answers.get_mut(&hash) else {
            return Err(OracleError::NotRecorded {
                path,
                input_hash,
                nearest: self.nearest(input)?,
            }
            .into());
        };
        let Some(held) = held.pop_front() else {
            return Err(OracleError::UsedUp {
                path,
                input_hash,
                recorded: *recorded,
            }
            .into());
        };
        let reply = match (held.completion, held.failure) {
            (Completion::Complete, _) => Ok(Answer {
                text: held.output,
                model: None,
                finish_reason: None,
                usage: None,
            }),
            (Completion::Error, Some(failure)) => Err(Fault::Recorded(failure)),
            (Completion::Truncated | Completion::Error, _) => {
                return Err(OracleError::Partly {
                    path,
                    input_hash,
                    ledger_seq: held.ledger_seq,
                }
                .into());
            }
        };
        let attempt = Attempt {
            waited: Duration::ZERO,
            took: Duration::ZERO,
            fault: reply.as_ref().err().cloned(),
        };
        Ok(Exchange {
            reply,
            attempts: vec![attempt],
        })
    }

    /// The recorded input that has most in common with `input`, and how they differ.
    fn nearest(&self, input: &CanonicalInput) -> Result<String, OracleError> {
        let asked = readable(input.bytes());
        let mut nearest: Option<(usize, String, String)> = None;
        for hash in self.answers.keys() {
            let bytes = match self.blobs.get(hash, MAX_INPUT_BYTES)? {
                Some(bytes) if sha256(&bytes) == *hash => bytes,
                _ => continue,
            };
            let known = readable(&bytes);
            let common = in_common(&asked, &known);
            if nearest.as_ref().is_none_or(|(most, ..)| common > *most) {
                nearest = Some((common, hex(hash), known));
            }
        }
        let Some((_, hash, known)) = nearest else {
            return Ok("no input it names is kept beside it".to_owned());
        };
        let diff = TextDiff::from_lines(&known, &asked);
        let diff = diff.unified_diff().header(&hash, "asked").to_string();
        let mut lines: Vec<&str> = diff.lines().take(MAX_DIFF_LINES).collect();
        if diff.lines().count() > MAX_DIFF_LINES {
            lines.push("...");
        }
        Ok(format!(
            "the nearest it holds is {hash}:\n{}",
            lines.join("\n")
        ))
    }
}

/// How many bytes two texts begin and end with alike.
fn in_common(one: &str, other: &str) -> usize {
    let alike =
        |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(a, b)| a == b).count();
    let head = alike(&mut one.bytes().zip(other.bytes()));
    let tail = alike(&mut one.bytes().rev().zip(other.bytes().rev()));
    (head + tail).min(one.len()).min(other.len())
}

/// The messages of an input in lines of their own; any other input as it is.
fn readable(input: &[u8]) -> String {
    let plain = || String::from_utf8_lossy(input).into_owned() + "\n";
    let Ok(Value::Array(messages)) = serde_json::from_slice(input) else {
        return plain();
    };
    let mut text = String::new();
    for message in &messages {
        let part = |name| message.get(name).and_then(Value::as_str);
        let (Some(role), Some(content)) = (part("role"), part("content")) else {
            return plain();
        };
        text.push_str(&format!("{role}:\n{content}\n"));
    }
    text
}
