//! Where results go: text or one JSON object on standard output, remarks and errors on standard
//! error. A reader that stops reading, as `head` does, changes neither the result nor the exit code.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use axilog_ledger::error::LedgerError;
use serde_json::{Value, json};

use super::Failure;
use crate::error::CommandError;

/// The result of a subcommand.
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

/// Writes a result and gives the exit code.
pub(crate) fn write_result(json: bool, result: Result<Report, Failure>) -> u8 {
    let (code, text, notes) = match result {
        Ok(report) => {
            let text = match (json, &report.json) {
                (true, Value::Null) => String::new(),
                (true, object) => format!("{object}\n"),
                (false, _) => report.text,
            };
            (u8::from(!report.passed), text, report.notes)
        }
        Err(Failure { error, code }) => {
            let text = if json {
                format!("{}\n", error_json(&error, code))
            } else {
                String::new()
            };
            (code, text, vec![error.to_string()])
        }
    };
    for note in notes {
        // Where standard error fails too, there is nobody to report to.
        let _ = writeln!(io::stderr(), "axilog: {}", escape_controls(&note));
    }
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(
                io::stderr(),
                "axilog: cannot write to standard output: {error}"
            );
            code.max(3)
        }
        _ => code,
    }
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

fn error_json(error: &CommandError, code: u8) -> Value {
    let mut object = json!({ "error": error.to_string(), "exit_code": code });
    if let (CommandError::Ledger(LedgerError::Damaged { fault, .. }), Some(object)) =
        (error, object.as_object_mut())
    {
        object.insert("verdict".to_owned(), fault.verdict.as_str().into());
        object.insert("sequence".to_owned(), fault.sequence.into());
        object.insert("offset".to_owned(), fault.offset.into());
    }
    object
}

/// `text` without what could steer a terminal: control characters are written as escapes.
pub(crate) fn escape_controls(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let (plain, escaped) = if c.is_control() && c != '\n' {
                (None, Some(c.escape_default()))
            } else {
                (Some(c), None)
            };
            plain.into_iter().chain(escaped.into_iter().flatten())
        })
        .collect()
}
