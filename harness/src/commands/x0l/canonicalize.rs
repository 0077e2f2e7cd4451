//! `axilog x0l canonicalize`: the one JSON object in a model's raw text (X-0L, A1 to A7).

use std::io;
use std::path::Path;

use axilog_oracle::canonicalized_json::canonicalized_json;
use axilog_oracle::canonicalizer::canonicalize;

use crate::Failure;
use crate::commands::observe::read;
use crate::error::CommandError;
use crate::output::Report;

/// Find the one JSON object in a model's raw text, read from standard input.
///
/// Prints a JSON object in canonical form with `status` (OK, NO_JSON, AMBIGUOUS_MULTI_BLOCK or
/// PARSE_ERROR) and `raw_hash`, the SHA-256 of the text as it was read. If the status is OK, `json`
/// is the object that was found, `block` its text as it stands there, and `canonicalized_hash` the
/// SHA-256 of its canonical form, which is what is printed but for the characters that one does not
/// see: they are \u escapes here. Exits 0 if the status is OK, else 1. Reads at most 64 MiB.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<Report, Failure> {
    let stdin = io::stdin().lock();
    let raw = read(stdin, Path::new("standard input"), "the text", "")?;
    let raw = String::from_utf8(raw).map_err(|error| CommandError::NotText {
        what: "standard input",
        at: error.utf8_error().valid_up_to(),
    })?;
    let result = canonicalize(&raw);
    Ok(Report {
        text: canonicalized_json(&result) + "\n",
        ..Report::without_result(result.block.is_ok())
    })
}
