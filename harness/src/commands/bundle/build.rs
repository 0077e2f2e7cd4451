//! `axilog bundle build`: the bundle itself.

use serde_json::to_string_pretty;

use super::inputs::Inputs;
use crate::Failure;
use crate::output::Report;

/// Print the bundle of a step as JSON.
///
/// Files that are not there are named in its provenance as FILE_NOT_FOUND; records of the history
/// that are none are named on standard error and skipped. Nothing is written. --json prints it in one line, its members by
/// name.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let (bundle, notes) = args.inputs.bundle(&args.inputs.catalogue()?)?;
    // A bundle has no map with other keys than text, which is all that could fail.
    let text = to_string_pretty(&bundle).unwrap_or_default() + "\n";
    Ok(Report::new(true, text, &bundle).with_notes(notes))
}
