//! `axilog lint`: whether JSON is written as RFC 8785 writes it (formats.md §2; SRS-004 §5.7).

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use axilog::json::canonical::is_canonical_json;
use axilog_ledger::error::FileError;
use axilog_ledger::input_file::open_input;
use axilog_ledger::jcs::{canonicalize, find_inexact_integers};
use serde::Serialize;

use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Check whether JSON is canonical (RFC 8785, JCS).
///
/// A `.jsonl` file has one value per line, any other is one value; one final line feed is allowed.
/// Each value that is not canonical is named as FILE:LINE:COLUMN, with what stands there and what
/// should. Integers beyond 2^53-1 are canonical here if exact; a remark names them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file.
    file: PathBuf,
    /// One value per line, whatever the file is called.
    #[arg(long)]
    jsonl: bool,
}

/// The longest value that is read.
const MAX_VALUE: u64 = 64 << 20;

/// How many findings and remarks are named; all are counted.
const MAX_NAMED: u64 = 20;

/// How many characters are shown on each side of a difference.
const AROUND: usize = 24;

/// Whether the values of a file are canonical.
#[derive(Serialize)]
struct LintResult<'a> {
    file: Cow<'a, str>,
    ok: bool,
    values: u64,
    not_canonical: u64,
    /// The first values that are not canonical.
    findings: &'a [LintFinding],
    /// Integers beyond 2^53-1 that are exact.
    large_integers: u64,
}

/// A value that is not canonical. Lines and columns count from 1.
#[derive(Serialize)]
struct LintFinding {
    line: u64,
    column: u64,
    /// What stands there; `None` where the value has no canonical form.
    found: Option<String>,
    /// What the canonical form has there.
    expected: Option<String>,
    reason: String,
}

#[derive(Default)]
struct Linted {
    values: u64,
    not_canonical: u64,
    findings: Vec<LintFinding>,
    large_integers: u64,
    remarks: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let file = open_input(path, "open")?;
    let mut source = BufReader::new(file);
    let lines = args.jsonl || path.extension().is_some_and(|end| end == "jsonl");
    let mut linted = Linted::default();
    let mut value = Vec::new();
    loop {
        value.clear();
        let mut limited = (&mut source).take(MAX_VALUE + 2);
        let read = if lines {
            limited.read_until(b'\n', &mut value)
        } else {
            limited.read_to_end(&mut value)
        };
        let read = read.map_err(FileError::from_io(path, "read"))?;
        if read == 0 && (lines || linted.values > 0) {
            break;
        }
        if value.last() == Some(&b'\n') {
            value.pop();
        }
        if value.len() as u64 > MAX_VALUE {
            return Err(FileError::TooLong {
                what: format!("a value in {}", path.display()),
                limit: MAX_VALUE,
                hint: "",
            }
            .into());
        }
        linted.value(&value, args);
    }
    Ok(linted.report(args))
}

impl Linted {
    fn value(&mut self, value: &[u8], args: &Args) {
        // Values that are not lines of their own are alone in their file.
        let first_line = self.values;
        self.values += 1;
        if is_canonical_json(value) {
            find_inexact_integers(value, &mut |at, digits| {
                self.large_integers += 1;
                if self.large_integers <= MAX_NAMED {
                    let (line, column) = position(value, at, first_line);
                    let file = args.file.display();
                    self.remarks.push(format!(
                        "{file}:{line}:{column}: the integer {digits} is exact and beyond 2^53-1; tools that read doubles see another"
                    ));
                }
            });
            return;
        }
        self.not_canonical += 1;
        if self.not_canonical > MAX_NAMED {
            return;
        }
        let (at, difference, reason) = match canonicalize(value) {
            Ok(form) => {
                let same = value.iter().zip(&form).take_while(|(a, b)| a == b).count();
                let difference = (around(value, same), around(&form, same));
                (same, Some(difference), "not in canonical form".to_owned())
            }
            Err(no_form) => (no_form.offset, None, no_form.reason),
        };
        let (line, column) = position(value, at, first_line);
        let (found, expected) = difference.unzip();
        self.findings.push(LintFinding {
            line,
            column,
            found,
            expected,
            reason,
        });
    }

    fn report(mut self, args: &Args) -> Report {
        let path = args.file.display();
        let unnamed = self.large_integers.saturating_sub(MAX_NAMED);
        if unnamed > 0 {
            self.remarks
                .push(format!("{path}: and {unnamed} more such integers"));
        }
        let fine = self.not_canonical == 0;
        let mut text = String::new();
        for finding in &self.findings {
            let (line, column, reason) = (finding.line, finding.column, &finding.reason);
            text.push_str(&format!("{path}:{line}:{column}: {reason}\n"));
            if let (Some(found), Some(expected)) = (&finding.found, &finding.expected) {
                text.push_str(&table::format_pairs(&[
                    ("  found", found.clone()),
                    ("  canonical", expected.clone()),
                ]));
            }
        }
        let verdict = if fine { "OK" } else { "NOT_CANONICAL" };
        let counts = format!("{}, {} not canonical", self.values, self.not_canonical);
        text.push_str(&table::format_pairs(&[
            (verdict, path.to_string()),
            ("values", counts),
        ]));
        let result = LintResult {
            file: args.file.to_string_lossy(),
            ok: fine,
            values: self.values,
            not_canonical: self.not_canonical,
            findings: &self.findings,
            large_integers: self.large_integers,
        };
        Report::new(fine, text, &result).with_notes(self.remarks)
    }
}

/// Line and column of byte `at` of a value before which there are `lines` lines; both count from
/// one, columns in characters.
fn position(value: &[u8], at: usize, lines: u64) -> (u64, u64) {
    let before = value.get(..at).unwrap_or(value);
    let feeds = before.iter().filter(|byte| **byte == b'\n').count() as u64;
    let line = before.rsplit(|byte| *byte == b'\n').next();
    // Bytes that continue a character are not counted.
    let starts = line.unwrap_or_default().iter();
    let column = starts.filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
    (lines + feeds + 1, column + 1)
}

/// What stands around byte `at`, on one line.
fn around(value: &[u8], at: usize) -> String {
    let (before, behind) = value.split_at_checked(at).unwrap_or((value, &[]));
    let (before, behind) = (
        String::from_utf8_lossy(
            before
                .get(before.len().saturating_sub(4 * AROUND)..)
                .unwrap_or_default(),
        ),
        String::from_utf8_lossy(
            behind
                .get(..behind.len().min(4 * AROUND))
                .unwrap_or_default(),
        ),
    );
    let count = before.chars().count();
    let mut text: String = before.chars().skip(count.saturating_sub(AROUND)).collect();
    if text.len() < at {
        text.insert_str(0, "...");
    }
    let kept: String = behind.chars().take(AROUND).collect();
    text.push_str(&kept);
    if at + kept.len() < value.len() {
        text.push_str("...");
    }
    text.replace('\n', "\\n")
}
