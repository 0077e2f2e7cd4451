//! `axilog ablation run`: runs one variant, or all three.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use axilog_ablation::AblationError;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::declared_environment::DeclaredEnvironment;
use axilog_ablation::endpoint::StudyEndpoint;
use axilog_ablation::experiment::{build_frame, build_header};
use axilog_ablation::header::{ConstantLength, RunHeader};
use axilog_ablation::prompt_frame::PromptFrame;
use axilog_ablation::replay::{LEDGER_FILE, replay_calibration};
use axilog_ablation::run::RunPlan;
use axilog_ablation::sufficient_seeds::count_sufficient_seeds;
use axilog_ablation::variant::Variant;
use axilog_oracle::tokens::{self, Tokenizer};

use super::declared_primary::PrimaryOptions;
use super::environment_option::EnvironmentOption;
use super::experiment_directory::ExperimentDirectory;
use super::oracle_options::{ModelOptions, OracleOptions, Provider};
use super::run_cost::RunCost;
use super::run_directory::RunDirectory;
use super::run_report::build_report;
use super::{compare, experiment_directory, preflight, run_files};
use crate::Failure;
use crate::error::CommandError;
use crate::interrupt::Flag;
use crate::options::checkpoints::{HeadSigning, RunCheckpointArgs, SignedHeads, remark_on};
use crate::output::Report;

/// The value of --variant: one variant, or the three of the comparison.
#[derive(Clone, Debug)]
struct Variants(Vec<Variant>);

impl FromStr for Variants {
    type Err = String;

    fn from_str(text: &str) -> Result<Variants, String> {
        match text {
            "all" => Ok(Variants(Variant::EXPERIMENT.to_vec())),
            name => match name.parse() {
                Ok(variant) => Ok(Variants(vec![variant])),
                Err(_) => Err(format!(
                    "there is no variant {name:?}; expected baseline, b, c, placebo, replicate, all or v300"
                )),
            },
        }
    }
}

/// Run episodes under each seed, and write what happened.
///
/// The variant baseline keeps precedents, b never writes one, and c forgets at the start of each episode. Two controls show
/// what a difference means: placebo puts a record of drawn content and the same length in each precedent's place, and
/// replicate is the baseline a second time. v300 is the base harness, without precedents and without a constant prompt
/// length; it takes no calibration.
///
/// Each run gets a directory of its own below --out, with header.json, ledger.jsonl, the prompts beside it, and run.json. Several
/// variants take turns under each seed; plan.json holds them together, and where all runs are valid comparison.json,
/// summary.md and their figures follow. Ctrl-C stops a run at the end of a step, and the run is marked PARTIAL. The head of
/// each ledger is printed. Exits 0 where every run is valid; 1 where one is INVALID_RUN; 3 where one is PARTIAL.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// baseline, b, c, placebo, replicate, all (baseline, b and c) or v300.
    #[arg(long, value_name = "VARIANT", default_value = "all")]
    variant: Variants,
    /// Run placebo and replicate too, after the variants all or baseline.
    #[arg(long)]
    controls: bool,
    /// The calibration file. It gives the lengths, the tokenizer, the padding, the environment and, unless --model names
    /// another, the model.
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// The seeds, with commas between. Verdicts on all endpoints of three variants take at least 9, and 10 with --controls;
    /// fewer than any verdict takes are refused [default: the environment's, 1 to 10 in those that ship].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    seeds: Option<Vec<u64>>,
    #[command(flatten)]
    environment_option: EnvironmentOption,
    /// Episodes under each seed.
    #[arg(long, value_name = "N", default_value_t = 3)]
    episodes: u32,
    /// How many seeds run side by side. Ledgers and documents are the same as those of one seed after the other.
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_parallel)]
    parallel: usize,
    #[command(flatten)]
    primary_options: PrimaryOptions,
    #[command(flatten)]
    oracle_options: OracleOptions,
    #[command(flatten)]
    model_options: ModelOptions,
    /// Run several variants although the seeds are too few for any verdict, to see how they go.
    #[arg(long)]
    pilot: bool,
    /// Agree to the cost in advance. Without it, a run that asks a server first asks on a terminal whether to go on, and is
    /// refused where there is no terminal.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    checkpoints: RunCheckpointArgs,
    /// Go on with runs that were stopped or killed. The options are those that they were begun with; --base-url, --parallel
    /// and the times of calls may be others. What was asked is not asked again: an arm that is gone or was cut off is
    /// refused.
    #[arg(long)]
    resume: bool,
    /// The directory to create for the runs.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// The most seeds that run side by side: each takes a thread and a connection.
const MAX_PARALLEL: usize = 64;

fn parse_parallel(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(seeds @ 1..=MAX_PARALLEL) => Ok(seeds),
        _ => Err(format!(
            "expected a number of seeds from 1 to {MAX_PARALLEL}"
        )),
    }
}

/// Who is asked, how the prompt's length is held constant, and what is declared of the judgement.
struct Preparation {
    environment: DeclaredEnvironment,
    seeds: Vec<u64>,
    model: String,
    primary: Option<StudyEndpoint>,
    constant_length: Option<(PromptFrame, ConstantLength)>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    if args.resume {
        args.oracle_options.check_resumable()?;
    }
    let variants = list_variants(args)?;
    let mut preparation = match prepare(args) {
        Ok(preparation) => preparation,
        Err(error) => return preflight::report_invalid(error),
    };
    let environment = preparation.environment.clone();
    let parallel = args.parallel.min(preparation.seeds.len());
    if parallel > 1 {
        args.oracle_options.check_parallel()?;
    }
    let (mut plans, mut signings) = (Vec::new(), Vec::new());
    for variant in &variants {
        let plan = RunPlan {
            variant: *variant,
            seeds: preparation.seeds.clone(),
            episodes: args.episodes,
        };
        let dir = args.out.join(variant.as_str());
        plan.check(&environment)?;
        if !args.resume {
            run_files::check_free(&dir)?;
        }
        let ledger = dir.join(LEDGER_FILE);
        signings.push(args.checkpoints.read(variant.as_str(), &ledger)?);
        plans.push((plan, dir));
    }
    if !args.resume {
        experiment_directory::check_free(&args.out, &variants)?;
        if plans.len() > 1 {
            compare::check_free(&args.out)?;
        }
    }
    let options = &args.primary_options;
    preparation.primary = options.declare(&plans, args.controls, args.resume)?;
    check_seeds(args, &variants, &preparation)?;
    let plans_alone = plans.iter().map(|(plan, _)| plan);
    let frame = preparation.constant_length.as_ref().map(|(frame, _)| frame);
    let sampling = args.oracle_options.sampling();
    let cost = RunCost::new(plans_alone, &environment, frame, sampling, parallel)?;
    if args.oracle_options.base_url().is_some() {
        cost.agree(args.yes)?;
    }
    // Until here Ctrl-C ends the process, which has written nothing.
    let flag = Flag::install();
    let mut headers = Vec::new();
    for (plan, _) in &plans {
        headers.push(build_run_header(args, &preparation, plan)?);
    }
    let constant_length = preparation.constant_length.as_ref();
    let dirs = plans.iter().zip(&headers);
    let directories = dirs.map(|((_, dir), header)| RunDirectory {
        dir,
        header,
        arms: &variants,
        environment: &environment,
        frame,
        calibration: constant_length.and(args.calibration.as_deref()),
    });
    let experiment = ExperimentDirectory {
        out: &args.out,
        runs: directories.collect(),
        environment: &environment,
        oracle: &args.oracle_options,
        parallel,
    };
    let runs = experiment.run(args.resume, &flag, &mut signings);
    let signed = HeadSigning::finish_all(signings);
    let signed = variants.iter().zip(signed);
    let signed: BTreeMap<Variant, SignedHeads> = signed
        .filter_map(|(variant, heads)| Some((*variant, heads?)))
        .collect();
    match runs {
        Ok(runs) => {
            let margin = args.primary_options.margin;
            build_report((&args.out, margin), &variants, &runs, signed)
        }
        Err(error) => {
            for (variant, heads) in signed {
                let ledger = args.out.join(variant.as_str()).join(LEDGER_FILE);
                remark_on(&ledger, Some(heads));
            }
            Err(error.into())
        }
    }
}

/// The variants to run, in their order.
fn list_variants(args: &Args) -> Result<Vec<Variant>, CommandError> {
    let mut variants = args.variant.0.clone();
    if args.controls {
        if !variants.contains(&Variant::Baseline) {
            return Err(CommandError::ControlsWithoutBaseline);
        }
        variants.extend(Variant::CONTROLS);
    }
    Ok(variants)
}

/// Checks that the comparison of the variants can have a verdict. Runs without a declared endpoint are of before there
/// was this check.
fn check_seeds(
    args: &Args,
    variants: &[Variant],
    preparation: &Preparation,
) -> Result<(), CommandError> {
    let found = preparation.seeds.len();
    match preparation
        .primary
        .and_then(|primary| count_sufficient_seeds(variants, primary))
    {
        Some(expected) if found < expected && !args.pilot => {
            Err(CommandError::TooFewSeedsForVerdict { found, expected })
        }
        _ => Ok(()),
    }
}

fn prepare(args: &Args) -> Result<Preparation, AblationError> {
    let oracle = &args.oracle_options.oracle;
    let options = &args.model_options;
    let find_seeds = |environment: &DeclaredEnvironment| {
        let given = args.seeds.as_ref();
        given.unwrap_or(&environment.seeds().run).clone()
    };
    if args.variant.0.contains(&Variant::V300) {
        let environment = args.environment_option.open(None)?;
        return Ok(Preparation {
            seeds: find_seeds(&environment),
            environment,
            model: options.model(oracle)?,
            primary: None,
            constant_length: None,
        });
    }
    let path = args.calibration.as_ref();
    let path = path.ok_or(AblationError::MissingCalibration)?;
    let calibration = Calibration::read(path)?;
    let environment = args.environment_option.open(Some((&calibration, path)))?;
    let is_agent = matches!(oracle, Provider::Agent(_));
    let is_calibrated_oracle = !is_agent && calibration.provider == oracle.to_string();
    let model = match &options.model {
        None if is_calibrated_oracle => calibration.model_id.clone(),
        _ => options.model(oracle)?,
    };
    // An agent counts in any tokens; a model that was not calibrated for has a tokenizer of its own.
    let has_own_tokenizer = match &options.model {
        None => !is_agent && !is_calibrated_oracle,
        Some(model) => *model != calibration.model_id,
    };
    let tokenizer: Arc<dyn Tokenizer> = if has_own_tokenizer || options.has_tokenizer() {
        options.open_tokenizer(oracle)?
    } else {
        calibration.open_tokenizer(path)?
    };
    tokens::check_model_tokenizer(&model, tokenizer.id())?;
    let lengths = calibration.lengths();
    let pad = &calibration.basis.pad;
    let (frame, basis) = build_frame(&environment, tokenizer, pad, Some(lengths))?;
    calibration.check_basis(path, &basis)?;
    replay_calibration(path)?;
    let constant_length = ConstantLength::new(calibration.digest(), lengths, &basis);
    Ok(Preparation {
        seeds: find_seeds(&environment),
        environment,
        model,
        primary: None,
        constant_length: Some((frame, constant_length)),
    })
}

/// Builds the header of the run of `plan`.
fn build_run_header(
    args: &Args,
    preparation: &Preparation,
    plan: &RunPlan,
) -> Result<RunHeader, CommandError> {
    let oracle = &args.oracle_options;
    let constant_length = preparation.constant_length.as_ref();
    let mut header = build_header(
        plan,
        &preparation.environment,
        &oracle.oracle.to_string(),
        &preparation.model,
        constant_length.map(|(_, constant)| constant.clone()),
    );
    header.transport = oracle.transport()?;
    header.sampling = oracle.sampling();
    header.primary = preparation.primary;
    Ok(header)
}
