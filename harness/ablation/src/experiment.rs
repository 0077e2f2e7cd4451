//! From a header to a run: the same for a live run, a calibration and a replay.

use std::sync::Arc;

use axilog_ledger::encoding::hex;
use axilog_oracle::tokens::Tokenizer;

use super::answer_source::AnswerSource;
use super::calibration::SegmentMeasures;
use super::calibration_basis::{CalibrationBasis, MIN_SEEDS};
use super::environment::Environment;
use super::error::AblationError;
use super::header::{ConstantLength, RunHeader};
use super::padding_meaning::{MeaningfulPadding, check_padding_says_nothing};
use super::pipeline::{Harness, PrecedentOutcome};
use super::precedent::{NormativeStateV100, PrecedentRecord};
use super::prompt::{
    HEAD, MIDDLE, TAIL, build_base_system_message, build_system_message, hash_skeleton,
};
use super::prompt_frame::{PromptFrame, SegmentLengths};
use super::run::{Run, RunPlan, RunStatus, run_plan};
use super::sampling::Sampling;
use super::v300_ablation_harness::V300AblationHarness;
use super::v310_ablation_harness::V310AblationHarness;
use super::variant::Variant;

/// Builds the frame of prompts in `environment`, and names what their lengths depend on. Without
/// `lengths` nothing is padded.
///
/// # Errors
/// [`AblationError::Padding`]; [`super::InvalidReason::PadUnstable`]; [`AblationError::Tokens`].
pub fn build_frame(
    environment: &dyn Environment,
    tokenizer: Arc<dyn Tokenizer>,
    pad: &str,
    lengths: Option<SegmentLengths>,
) -> Result<(PromptFrame, CalibrationBasis), AblationError> {
    check_padding(environment, pad)?;
    let (id, version) = (tokenizer.id().to_owned(), tokenizer.version().to_owned());
    let frame = PromptFrame::new(tokenizer, pad, build_system_message(environment), lengths)?;
    let basis = CalibrationBasis {
        environment: environment.id().to_owned(),
        environment_hash: environment.file_hash().map(str::to_owned),
        skeleton_hash: hex(&hash_skeleton(frame.system())),
        tokenizer: id,
        tokenizer_version: version,
        pad: pad.to_owned(),
        pad_tokens: vec![frame.padding().token()],
    };
    Ok((frame, basis))
}

/// Checks that `pad` says nothing beside the texts of prompts in `environment`. One sentence is left out: the one
/// that says of the padding that it means nothing.
fn check_padding(environment: &dyn Environment, pad: &str) -> Result<(), MeaningfulPadding> {
    let (system, record) = (
        build_base_system_message(environment),
        PrecedentRecord::EMPTY.canonical(),
    );
    let mut texts = vec![system.as_str(), HEAD, MIDDLE, TAIL, &record];
    let names = environment
        .actions()
        .iter()
        .chain(environment.constraints());
    texts.extend(names.map(String::as_str));
    check_padding_says_nothing(pad, &texts)
}

/// Builds the header of a run of `plan` in `environment`, with `model` at `provider`. Without
/// `constant_length` it is the header of the base harness.
#[must_use]
pub fn build_header(
    plan: &RunPlan,
    environment: &dyn Environment,
    provider: &str,
    model: &str,
    constant_length: Option<ConstantLength>,
) -> RunHeader {
    let system = match constant_length {
        Some(_) => build_system_message(environment),
        None => build_base_system_message(environment),
    };
    RunHeader {
        axilog_ablation_run: 1,
        variant: plan.variant,
        provider: provider.to_owned(),
        model_id: model.to_owned(),
        environment: environment.id().to_owned(),
        environment_hash: environment.file_hash().map(str::to_owned),
        skeleton_hash: hex(&hash_skeleton(&system)),
        steps_per_episode: environment.steps_per_episode(),
        episodes: plan.episodes,
        seeds: plan.seeds.clone(),
        constant_length,
        transport: None,
        sampling: Sampling::default(),
        primary: None,
    }
}

/// Runs what `header` says in `environment`. Prompts are assembled in `frame`; without a frame the base
/// harness runs.
///
/// # Errors
/// As [`run_plan`].
pub fn execute(
    header: &RunHeader,
    environment: &mut dyn Environment,
    frame: Option<&PromptFrame>,
    answers: &mut dyn AnswerSource,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Result<Run, AblationError> {
    let system = build_base_system_message(environment);
    run_plan(
        &header.plan(),
        environment,
        &mut || build_harness(header, &system, frame),
        answers,
        should_continue,
    )
}

/// Builds the harness of a seed of the run of `header`; without `frame` it is the base harness with the message `system`.
pub(crate) fn build_harness(
    header: &RunHeader,
    system: &str,
    frame: Option<&PromptFrame>,
) -> Box<dyn Harness> {
    match frame {
        Some(frame) => Box::new(
            V310AblationHarness::new(
                &header.model_id,
                frame.clone(),
                header.variant,
                NormativeStateV100::default(),
            )
            .with_sampling(header.sampling),
        ),
        None => Box::new(
            V300AblationHarness::new(&header.model_id, system.to_owned())
                .with_sampling(header.sampling),
        ),
    }
}

/// Builds the header of the run that a calibration measures: an episode under each of `seeds`, with writing on,
/// with `model` at `provider`.
///
/// # Errors
/// [`AblationError::TooFewSeeds`]; as [`RunPlan::check`].
pub fn build_calibration_header(
    seeds: &[u64],
    environment: &dyn Environment,
    provider: &str,
    model: &str,
) -> Result<RunHeader, AblationError> {
    if seeds.len() < MIN_SEEDS {
        return Err(AblationError::TooFewSeeds(seeds.len()));
    }
    let plan = RunPlan {
        variant: Variant::Baseline,
        seeds: seeds.to_vec(),
        episodes: 1,
    };
    plan.check(environment)?;
    Ok(build_header(&plan, environment, provider, model, None))
}

/// Measures how long records and situations are in the run of `header`, with writing on and nothing padded:
/// `frame` has no lengths. The inner error is how a run ended that is not valid.
///
/// # Errors
/// As [`run_plan`].
pub fn calibrate(
    header: &RunHeader,
    environment: &mut dyn Environment,
    frame: &PromptFrame,
    answers: &mut dyn AnswerSource,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Result<Result<SegmentMeasures, RunStatus>, AblationError> {
    let run = execute(header, environment, Some(frame), answers, should_continue)?;
    if run.status != RunStatus::Valid {
        return Ok(Err(run.status));
    }
    let records = || {
        run.steps().filter_map(|step| match step.precedent {
            PrecedentOutcome::Written(tokens) => Some(tokens),
            PrecedentOutcome::None
            | PrecedentOutcome::Replaced { .. }
            | PrecedentOutcome::Blocked => None,
        })
    };
    let measures = run.steps().filter_map(|step| step.generated.measures);
    Ok(Ok(SegmentMeasures {
        records: records().count() as u64,
        max_precedent_tokens: records().max().unwrap_or(0),
        max_situation_tokens: measures.map(|m| m.situation_tokens).max().unwrap_or(0),
    }))
}
