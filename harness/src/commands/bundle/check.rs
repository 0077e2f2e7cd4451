//! `axilog bundle check`: whether a catalogue is one, and its grammars too.

use std::path::PathBuf;

use axilog_bundle::json_report::catalogue_json;

use super::inputs::read_catalogue;
use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;
use crate::output::table;

/// Check a catalogue and the grammars that it names.
///
/// Grammars are looked for beside the catalogue, then among the built-in ones. A bad catalogue is
/// refused with FILE:LINE:COLUMN and the reason, exit code 1, and so is one with a grammar that is
/// missing or bad.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The catalogue, a TOML file; the built-in one where absent.
    catalogue: Option<PathBuf>,
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
    for step in catalogue.steps() {
        let own = catalogue.find_grammar_problem(step.grammar());
        let fallback = step.fallback_grammar();
        let fallback = fallback.and_then(|name| catalogue.find_grammar_problem(name));
        rows.push([
            step.id().to_string(),
            step.name().to_owned(),
            grammar_cell(Some(step.grammar()), &own),
            grammar_cell(step.fallback_grammar(), &fallback),
        ]);
        // Steps share grammars; each is complained of once.
        for problem in own.into_iter().chain(fallback) {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    let header = ["step", "name", "grammar", "fallback"];
    let text = table::format_grid(header, [5, 23, 25, 24], &rows);
    let result = catalogue_json(&catalogue, args.catalogue.as_deref());
    Ok(Report::new(problems.is_empty(), text, &result).with_notes(problems))
}

fn grammar_cell(name: Option<&str>, problem: &Option<String>) -> String {
    match (name, problem) {
        (None, _) => "-".to_owned(),
        (Some(name), None) => name.to_owned(),
        (Some(name), Some(_)) => format!("{name} (bad)"),
    }
}
