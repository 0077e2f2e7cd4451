//! Where results go: text or one JSON object on standard output, remarks and errors on standard
//! error. A reader that stops reading, as `head` does, changes neither the result nor the exit code.

pub(crate) mod color;
pub(crate) mod decision;
pub(crate) mod progress;
pub(crate) mod record_contents;
pub(crate) mod record_result;
pub(crate) mod recovery;
pub(crate) mod stream;
pub(crate) mod table;
pub(crate) mod target;
pub(crate) mod verification;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use axilog_ledger::error::LedgerError;
use axilog_ledger::visible_text::{
    escape_deceptive_json, escape_deceptive_line, escape_deceptive_text,
};
use serde::Serialize;
use serde_json::Value;

use crate::Failure;
use crate::error::CommandError;

/// The result of a subcommand.
#[derive(Debug)]
pub(crate) struct Report {
    /// Whether the check passed: the exit code is 0, else 1.
    pub(crate) passed: bool,
    /// The result as text, for people.
    pub(crate) text: String,
    /// The result as one JSON object, or null where it has been written already.
    pub(crate) json: Value,
    /// Remarks beside the result, a line each.
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// A result with its text for people and its members for programs.
    pub(crate) fn new(passed: bool, text: String, result: &impl Serialize) -> Report {
        Report {
            passed,
            text,
            json: to_json(result),
            notes: Vec::new(),
        }
    }

    /// The end of a command that has written its result already, or has none.
    pub(crate) fn without_result(passed: bool) -> Report {
        Report {
            passed,
            text: String::new(),
            json: Value::Null,
            notes: Vec::new(),
        }
    }

    /// The report with further remarks.
    pub(crate) fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Report {
        self.notes.extend(notes);
        self
    }
}

/// A result as JSON, with its members in the order of their names.
pub(crate) fn to_json(result: &impl Serialize) -> Value {
    // Neither a map with other keys than texts nor a number that JSON lacks is in a result.
    serde_json::to_value(result).unwrap_or_default()
}

/// What `--json` prints in place of a result that a command did not come to.
#[derive(Serialize)]
struct ErrorResult {
    error: String,
    exit_code: u8,
    #[serde(flatten)]
    damage: Option<LedgerDamage>,
}

/// Where a ledger stops being good.
#[derive(Serialize)]
struct LedgerDamage {
    verdict: &'static str,
    sequence: u64,
    offset: u64,
}

impl ErrorResult {
    fn new(error: &CommandError, exit_code: u8) -> ErrorResult {
        let damage = match error {
            CommandError::Ledger(LedgerError::Damaged { fault, .. }) => Some(LedgerDamage {
                verdict: fault.verdict.as_str(),
                sequence: fault.sequence,
                offset: fault.offset,
            }),
            _ => None,
        };
        ErrorResult {
            error: error.to_string(),
            exit_code,
            damage,
        }
    }
}

/// Writes the result of a command that records nothing, and gives the exit code: 3 where the result cannot
/// be written, since it is all there is.
pub(crate) fn write_result(json: bool, result: Result<Report, Failure>) -> u8 {
    let (code, written) = write_parts(json, result);
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            write_remark(&format!("cannot write to standard output: {error}"));
            code.max(3)
        }
        _ => code,
    }
}

/// Writes the result of a command that records, and gives the exit code. What was recorded stays so where
/// the result cannot be written: that is a remark, and the exit code says what was decided.
pub(crate) fn write_recorded_result(json: bool, result: Result<Report, Failure>) -> u8 {
    let (code, written) = write_parts(json, result);
    if let Err(error) = written {
        write_remark(&format!(
            "cannot write to standard output: {error}; what the command did stays done, and the exit code, {code}, tells how it ended"
        ));
    }
    code
}

/// Writes remarks and the result; gives the exit code that the result asks for.
fn write_parts(json: bool, result: Result<Report, Failure>) -> (u8, io::Result<()>) {
    let (code, result) = match result {
        Ok(report) => (u8::from(!report.passed), Ok(report)),
        #[cfg(feature = "bundle")]
        Err(Failure {
            error: CommandError::NoVerdict(report),
            code,
        }) => (code, Ok(*report)),
        Err(Failure { error, code }) => (code, Err(error)),
    };
    let (text, notes) = match result {
        Ok(report) => {
            let text = match (json, &report.json) {
                (true, Value::Null) => String::new(),
                (true, object) => print_value(object),
                (false, _) => {
                    let text = escape_deceptive_text(&report.text);
                    match color::is_wanted() {
                        true => color::paint_verdict(&text, code),
                        false => text.into_owned(),
                    }
                }
            };
            (text, report.notes)
        }
        Err(error) => {
            let text = if json {
                print_json(&ErrorResult::new(&error, code))
            } else {
                String::new()
            };
            (text, vec![error.to_string()])
        }
    };
    for note in notes {
        write_remark(&note);
    }
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    (code, written)
}

/// Writes to standard error what is wrong with the command line, with its advice on several lines.
pub(crate) fn write_usage_error(message: &str) {
    // Where standard error fails too, there is nobody to report to.
    let _ = write!(io::stderr(), "{}", escape_deceptive_text(message));
}

/// Writes a remark to standard error, as one line: the name of a file in it may have line feeds, and cannot begin
/// a remark of its own.
pub(crate) fn write_remark(remark: &str) {
    // Where standard error fails too, there is nobody to report to.
    let _ = writeln!(io::stderr(), "axilog: {}", escape_deceptive_line(remark));
}

/// Writes a result for each of `paths` as it comes and gives the highest exit code. `expected` goes to
/// each; where it is an error, that is the one result.
pub(crate) fn write_results<E>(
    json: bool,
    paths: &[PathBuf],
    expected: Result<E, CommandError>,
    mut run: impl FnMut(&Path, &E) -> Result<Report, Failure>,
) -> u8 {
    match expected {
        Ok(expected) => paths
            .iter()
            .map(|path| write_result(json, run(path, &expected)))
            .max()
            .unwrap_or(0),
        Err(error) => write_result(json, Err(error.into())),
    }
}

/// Prints a result as JSON on a line of its own. Deceptive characters are JSON's own escapes.
pub(crate) fn print_json(result: &impl Serialize) -> String {
    print_value(&to_json(result))
}

fn print_value(value: &Value) -> String {
    format!("{}\n", escape_deceptive_json(&value.to_string()))
}
