//! `axilog ablation preflight`: tests the padding before any oracle is asked.

use std::path::PathBuf;
use std::sync::Arc;

use axilog_ablation::AblationError;
use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::calibration_basis::CalibrationBasis;
use axilog_ablation::environment::{Environment, Place};
use axilog_ablation::experiment::build_frame;
use axilog_ablation::invalid_run::InvalidRun;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::prompt::render_situation;
use axilog_ablation::prompt_frame::{MIN_LENGTH, PromptFrame, SegmentLengths};
use axilog_oracle::tokens;
use serde::Serialize;

use super::environment_option::EnvironmentOption;
use super::oracle_options::{ModelOptions, Provider};
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Test the padding under a model's tokenizer, and measure prompts; no oracle is asked.
///
/// The padding must be one token, the same one in a row of any length, and must not change the tokens of
/// the text before and after it. Then prompts of the environment are made and measured. Exits 0 where the
/// padding is stable; 1 where it is not (INVALID_RUN / PAD_UNSTABLE); 2 where it may mean something to a
/// model, as a word, a number or a sign does.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    model_options: ModelOptions,
    #[command(flatten)]
    environment_option: EnvironmentOption,
    /// The padding, one token that says nothing.
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_PAD, allow_hyphen_values = true)]
    pad: String,
    /// A calibration: check that it may be used, and take the lengths from it.
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
}

/// A padding that is stable.
#[derive(Serialize)]
struct PaddingResult<'a> {
    verdict: &'static str,
    ok: bool,
    basis: &'a CalibrationBasis,
    /// The longest row of the padding that was tested.
    row: u64,
    /// The number of pairs of texts between which it was tested.
    boundaries: usize,
    /// The lengths of the segments in tokens.
    precedent_length: u64,
    situation_length: u64,
    prompt_tokens: u64,
}

/// The finding that makes a run invalid.
#[derive(Serialize)]
struct InvalidResult<'a> {
    verdict: &'static str,
    ok: bool,
    reason: &'static str,
    detail: &'a str,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    test_padding(args).or_else(report_invalid)
}

fn test_padding(args: &Args) -> Result<Report, AblationError> {
    let calibration = args
        .calibration
        .as_deref()
        .map(Calibration::read)
        .transpose()?;
    let tokenizer = match &calibration {
        Some(calibration) if args.model_options.is_empty() => {
            let (model, name) = (&calibration.model_id, &calibration.basis.tokenizer);
            Arc::from(tokens::open_model_tokenizer(model, Some(name))?)
        }
        // Without a model the tokens are those of the agents.
        _ => args
            .model_options
            .open_tokenizer(&Provider::Agent(ScriptedAgent::Precedent))?,
    };
    let lengths = calibration.as_ref().map_or(
        SegmentLengths {
            precedent: MIN_LENGTH,
            situation: MIN_LENGTH,
        },
        Calibration::lengths,
    );
    let named = calibration.as_ref().zip(args.calibration.as_deref());
    let mut environment = args.environment_option.open(named)?;
    let (frame, basis) = build_frame(&environment, tokenizer, &args.pad, Some(lengths))?;
    if let (Some(calibration), Some(path)) = (&calibration, &args.calibration) {
        calibration.check_basis(path, &basis)?;
    }
    let prompt_tokens = measure_prompts(&mut environment, &frame)?;
    let padding = frame.padding();
    let tokens = format!("{:?}", basis.pad_tokens);
    let text = table::format_pairs(&[
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
                padding.longest_row(),
                padding.boundaries()
            ),
        ),
        ("prompt", format!("{prompt_tokens} tokens at every step")),
        ("skeleton", basis.skeleton_hash.clone()),
    ]);
    let result = PaddingResult {
        verdict: "OK",
        ok: true,
        basis: &basis,
        row: padding.longest_row(),
        boundaries: padding.boundaries(),
        precedent_length: lengths.precedent,
        situation_length: lengths.situation,
        prompt_tokens,
    };
    Ok(Report::new(true, text, &result))
}

/// Measures the prompts of an episode without precedents: how many tokens each of them has.
fn measure_prompts(
    environment: &mut dyn Environment,
    frame: &PromptFrame,
) -> Result<u64, AblationError> {
    environment.begin_episode(Place::default());
    let mut prompt_tokens = 0;
    for step in 0..environment.steps_per_episode() {
        let situation = environment.situation();
        let text = frame.tokenize(render_situation(&situation, step))?;
        prompt_tokens = frame.assemble(None, &text)?.1.prompt_tokens;
        let action = situation.feasible.keys().next();
        environment.execute(action.map_or("", String::as_str));
    }
    Ok(prompt_tokens)
}

/// Reports the finding that makes a run invalid; every other error is a failure.
pub(super) fn report_invalid(error: AblationError) -> Result<Report, Failure> {
    match error {
        AblationError::Invalid(invalid) => Ok(build_invalid_report(&invalid)),
        error => Err(error.into()),
    }
}

/// Builds the report of an invalid run.
pub(super) fn build_invalid_report(invalid: &InvalidRun) -> Report {
    let verdict = format!("INVALID_RUN / {}", invalid.reason.as_str());
    let text = table::format_pairs(&[("verdict", verdict), ("why", invalid.detail.clone())]);
    let result = InvalidResult {
        verdict: "INVALID_RUN",
        ok: false,
        reason: invalid.reason.as_str(),
        detail: &invalid.detail,
    };
    Report::new(false, text, &result)
}
