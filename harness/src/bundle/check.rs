//! `axilog bundle check`: whether a catalogue is one, and its grammars too.

use std::path::PathBuf;

use axilog_bundle::catalogue::{Catalogue, Step};
use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, table};
use super::inputs::read_catalogue;
use crate::error::CommandError;

/// Check a catalogue and the grammars that it names.
///
/// Grammars are looked for beside the catalogue, then among the built-in ones. A bad catalogue is
/// refused with FILE:LINE:COLUMN and the reason, exit code 1, and so is one with a grammar that is
/// missing or bad.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The catalogue, a TOML file; the built-in one where absent.
    catalogue: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    // Here a bad file is what was looked for, not a wrong argument.
    let catalogue = read_catalogue(args.catalogue.as_deref()).map_err(|error| Failure {
        code: if matches!(error, CommandError::Bundle(_)) {
            1
        } else {
            3
        },
        error,
    })?;
    let mut problems: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    let mut steps = Vec::new();
    for step in catalogue.steps() {
        let own = problem(&catalogue, Some(step.grammar()));
        let fallback = problem(&catalogue, step.fallback_grammar());
        rows.push([
            step.id().to_string(),
            step.name().to_owned(),
            grammar_cell(Some(step.grammar()), &own),
            grammar_cell(step.fallback_grammar(), &fallback),
        ]);
        let found: Vec<String> = own.into_iter().chain(fallback).collect();
        steps.push(object(step, &found));
        // Steps share grammars; each is complained of once.
        for problem in found {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    let header = ["step", "name", "grammar", "fallback"];
    Ok(Report {
        passed: problems.is_empty(),
        text: table::format_grid(header, [5, 23, 25, 24], &rows),
        json: json!({
            "ok": problems.is_empty(),
            "catalogue": args.catalogue.as_ref().map(|path| path.to_string_lossy()),
            "contracts": catalogue.contracts(),
            "steps": steps,
        }),
        notes: problems,
    })
}

/// What is wrong with a grammar.
fn problem(catalogue: &Catalogue, name: Option<&str>) -> Option<String> {
    let error = catalogue.grammar(name?).err()?;
    Some(error.to_string())
}

fn grammar_cell(name: Option<&str>, problem: &Option<String>) -> String {
    match (name, problem) {
        (None, _) => "-".to_owned(),
        (Some(name), None) => name.to_owned(),
        (Some(name), Some(_)) => format!("{name} (bad)"),
    }
}

fn object(step: &Step, problems: &[String]) -> Value {
    json!({
        "id": step.id(),
        "name": step.name(),
        "grammar": step.grammar(),
        "fallback_grammar": step.fallback_grammar(),
        "key_metrics": step.key_metrics(),
        "problems": problems,
    })
}
