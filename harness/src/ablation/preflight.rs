//! `axilog ablation preflight`: whether the padding is stable, before anything is asked.

use std::path::PathBuf;

use axilog_ablation::agents::Agent;
use axilog_ablation::calibration::{Calibration, FLOOR};
use axilog_ablation::draw::Place;
use axilog_ablation::environment::Environment;
use axilog_ablation::experiment::frame;
use axilog_ablation::invalid::{Invalid, Stop};
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::prompt::{Frame, Lengths, situation_text};
use serde_json::json;

use super::super::output::Report;
use super::super::{Failure, table};
use super::oracle::{Counted, Provider, world};

/// Test the padding under a model's tokenizer, and the length of prompts; nothing is asked.
///
/// The padding must be one token, the same in a row of any length, and must leave the tokens of what
/// stands before and behind it as they are. Then prompts of the environment are made and measured.
/// Exits 0 where all holds, else 1: INVALID_RUN / PAD_UNSTABLE.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    counted: Counted,
    /// The padding, one token that says nothing.
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_PAD, allow_hyphen_values = true)]
    pad: String,
    /// Check that this calibration may be used, and take the lengths from it.
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    // Without a model the tokens are those of the agents.
    let oracle = Provider::Agent(Agent::Precedent);
    let tokenizer = args.counted.tokenizer(&oracle)?;
    let calibration = args
        .calibration
        .as_deref()
        .map(Calibration::read)
        .transpose()?;
    let lengths = calibration.as_ref().map_or(
        Lengths {
            precedent: FLOOR,
            situation: FLOOR,
        },
        Calibration::lengths,
    );
    let mut environment = world();
    let made = frame(&*environment, tokenizer, &args.pad, Some(lengths));
    let (frame, basis) = match made {
        Ok(made) => made,
        Err(stop) => return refused(stop),
    };
    if let (Some(calibration), Some(path)) = (&calibration, &args.calibration) {
        calibration.check(path, &basis)?;
    }
    let prompt_tokens = match measure(&mut *environment, &frame) {
        Ok(tokens) => tokens,
        Err(stop) => return refused(stop),
    };
    let pad = frame.pad();
    let tokens = format!("{:?}", basis.pad_tokens);
    Ok(Report {
        passed: true,
        text: table::format_pairs(&[
            ("verdict", "OK".to_owned()),
            ("environment", basis.environment.clone()),
            (
                "tokenizer",
                format!("{}, {}", basis.tokenizer, basis.tokenizer_version),
            ),
            ("padding", format!("{:?}, the token {tokens}", basis.pad)),
            (
                "tested",
                format!(
                    "{} in a row, between {} pairs of texts",
                    pad.longest(),
                    pad.boundaries()
                ),
            ),
            ("prompt", format!("{prompt_tokens} tokens at every step")),
            ("skeleton", basis.skeleton_hash.clone()),
        ]),
        json: json!({
            "verdict": "OK",
            "ok": true,
            "basis": basis,
            "row": pad.longest(),
            "boundaries": pad.boundaries(),
            "precedent_length": lengths.precedent,
            "situation_length": lengths.situation,
            "prompt_tokens": prompt_tokens,
        }),
        notes: Vec::new(),
    })
}

/// The tokens of every prompt of an episode, without a precedent.
fn measure(environment: &mut dyn Environment, frame: &Frame) -> Result<u64, Stop> {
    environment.begin(Place::default());
    let mut tokens = 0;
    for step in 0..environment.steps_per_episode() {
        let situation = environment.situation();
        let text = frame.count(situation_text(&situation, step))?;
        tokens = frame.assemble(None, &text)?.1.prompt_tokens;
        let action = situation
            .feasible
            .keys()
            .next()
            .cloned()
            .unwrap_or_default();
        environment.execute(&action);
    }
    Ok(tokens)
}

fn refused(stop: Stop) -> Result<Report, Failure> {
    match stop {
        Stop::Error(error) => Err(error.into()),
        Stop::Invalid(invalid) => Ok(report(&invalid)),
    }
}

/// What an invalid run looks like.
pub(super) fn report(invalid: &Invalid) -> Report {
    let verdict = format!("INVALID_RUN / {}", invalid.reason.as_str());
    Report {
        passed: false,
        text: table::format_pairs(&[("verdict", verdict), ("why", invalid.detail.clone())]),
        json: json!({
            "verdict": "INVALID_RUN",
            "ok": false,
            "reason": invalid.reason.as_str(),
            "detail": invalid.detail,
        }),
        notes: Vec::new(),
    }
}
