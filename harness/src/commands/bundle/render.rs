//! `axilog bundle render`: the prompt of a bundle.

use axilog_bundle::json_report::prompt_json;
use axilog_bundle::render_prompt_with_counter;

use super::inputs::{Counter, Inputs};
use crate::Failure;
use crate::output::Report;

/// Print the prompt of a step's bundle.
///
/// Sections stand in the order of their tiers. Mission, schema, output format, guardrails and
/// contracts are always whole; the rest is cut to its budget, and a last line says so. Where the
/// former alone do not fit the exit code is 2.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    counter: Counter,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let counter = args.counter.open()?;
    let (bundle, notes) = args.inputs.bundle(&args.inputs.catalogue()?)?;
    let rendered = render_prompt_with_counter(&bundle, &*counter)?;
    let result = prompt_json(&bundle, &rendered, counter.name());
    Ok(Report::new(true, rendered.prompt + "\n", &result).with_notes(notes))
}
