//! `axilog ablation run`: runs one variant, or all three.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use axilog_ablation::AblationError;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::experiment::{build_frame, build_header, execute};
use axilog_ablation::header::ConstantLength;
use axilog_ablation::json_document::to_canonical_json;
use axilog_ablation::prompt_frame::PromptFrame;
use axilog_ablation::replay::{DOCUMENT_FILE, HEADER_FILE, LEDGER_FILE};
use axilog_ablation::run::{Run, RunPlan, RunStatus};
use axilog_ablation::run_document::{RunDocument, StatusReport};
use axilog_ablation::variant::Variant;
use axilog_oracle::tokens::{self, Tokenizer};
use serde_json::{Value, json};

use super::super::interrupt::Flag;
use super::super::output::Report;
use super::super::{Failure, progress, table};
use super::comparison_table::render_table;
use super::oracle_options::{ModelOptions, OracleOptions, Provider, new_environment};
use super::{compare, preflight, run_files};
use crate::error::CommandError;

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
/// The variant baseline keeps precedents, b never writes one, c forgets at the start of each episode; v300
/// is the base harness without precedents and without a constant prompt length, and takes no calibration.
/// Two controls show what a difference means: placebo keeps a record of drawn content and the same length
/// in each precedent's place, and replicate is the baseline a second time.
/// Each run gets a directory of its own below --out, with header.json, ledger.jsonl and its blobs, and
/// run.json; the variant all adds comparison.json, summary.md and actions.svg. Ctrl-C stops a run at the
/// end of a step, and the run is marked PARTIAL. The head of each ledger is printed. Exits 0 where every run is valid; 1 where one is
/// INVALID_RUN; 3 where one is PARTIAL.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// baseline, b, c, placebo, replicate, all (baseline, b and c) or v300.
    #[arg(long, value_name = "VARIANT", default_value = "all")]
    variant: Variants,
    /// Run placebo and replicate too, behind the variants all or baseline.
    #[arg(long)]
    controls: bool,
    /// The calibration file. It gives the lengths, the tokenizer, the padding and, unless --model names
    /// another, the model.
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// The seeds, with commas between; a verdict takes at least 8.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1,2,3,4,5,6,7,8"
    )]
    seeds: Vec<u64>,
    /// Episodes under each seed.
    #[arg(long, value_name = "N", default_value_t = 3)]
    episodes: u32,
    #[command(flatten)]
    oracle_options: OracleOptions,
    #[command(flatten)]
    model_options: ModelOptions,
    /// The directory to create for the runs.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who is asked, and how the prompt's length is held constant.
struct Preparation {
    model: String,
    constant_length: Option<(PromptFrame, ConstantLength)>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let variants = list_variants(args)?;
    let preparation = match prepare(args) {
        Ok(preparation) => preparation,
        Err(error) => return preflight::report_invalid(error),
    };
    let flag = Flag::install();
    let mut plans = Vec::new();
    for variant in variants {
        let plan = RunPlan {
            variant,
            seeds: args.seeds.clone(),
            episodes: args.episodes,
        };
        let dir = args.out.join(variant.as_str());
        plan.check(&*new_environment())?;
        run_files::check_free(&dir)?;
        plans.push((plan, dir));
    }
    if plans.len() > 1 {
        compare::check_free(&args.out)?;
    }
    let mut runs = Vec::new();
    for (plan, dir) in plans {
        let run = run_into_dir(args, &preparation, &plan, &dir, &flag)?;
        let detail = || {
            format!(
                "before the run was whole; {} holds what there is, marked PARTIAL, and `axilog ablation replay` takes it",
                dir.display()
            )
        };
        match &run.status {
            RunStatus::Interrupted(_) => return Err(AblationError::Interrupted(detail()).into()),
            RunStatus::NoAnswer(..) => return Err(AblationError::NoAnswer(detail()).into()),
            RunStatus::Valid | RunStatus::Invalid(..) => runs.push((plan.variant, dir, run)),
        }
    }
    build_report(args, &runs)
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

fn prepare(args: &Args) -> Result<Preparation, AblationError> {
    let oracle = &args.oracle_options.oracle;
    let options = &args.model_options;
    if args.variant.0.contains(&Variant::V300) {
        return Ok(Preparation {
            model: options.model(oracle)?,
            constant_length: None,
        });
    }
    let path = args.calibration.as_ref();
    let path = path.ok_or(AblationError::MissingCalibration)?;
    let calibration = Calibration::read(path)?;
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
        Arc::from(tokens::open_tokenizer(&calibration.basis.tokenizer)?)
    };
    let lengths = calibration.lengths();
    let pad = &calibration.basis.pad;
    let (frame, basis) = build_frame(&*new_environment(), tokenizer, pad, Some(lengths))?;
    calibration.check_basis(path, &basis)?;
    let constant_length = ConstantLength::new(calibration.digest(), lengths, &basis);
    Ok(Preparation {
        model,
        constant_length: Some((frame, constant_length)),
    })
}

/// Runs a plan, and writes its files into `dir`.
fn run_into_dir(
    args: &Args,
    preparation: &Preparation,
    plan: &RunPlan,
    dir: &Path,
    flag: &Flag,
) -> Result<Run, CommandError> {
    let mut environment = new_environment();
    let constant_length = preparation.constant_length.as_ref();
    let mut header = build_header(
        plan,
        &*environment,
        &args.oracle_options.oracle.to_string(),
        &preparation.model,
        constant_length.map(|(_, constant)| constant.clone()),
    );
    header.transport = args.oracle_options.transport()?;
    run_files::create_dir(dir)?;
    // The header comes after the oracle: one that cannot be opened, for want of a key perhaps, leaves the
    // directory free.
    let ledger = dir.join(LEDGER_FILE);
    let mut answers = args.oracle_options.open(&ledger, &preparation.model)?;
    run_files::write_whole(&dir.join(HEADER_FILE), &(to_canonical_json(&header) + "\n"))?;
    let bar = progress::steps(plan.step_count(&*environment), plan.variant.as_str());
    let mut should_continue = |steps_taken| {
        bar.set_position(steps_taken);
        !flag.is_set()
    };
    let run = execute(
        &header,
        &mut *environment,
        constant_length.map(|(frame, _)| frame),
        &mut answers,
        &mut should_continue,
    )?;
    answers.finish()?;
    let document = RunDocument::new(&header, &run);
    run_files::write_whole(&dir.join(DOCUMENT_FILE), &document.to_file_text())?;
    Ok(run)
}

fn build_report(args: &Args, runs: &[(Variant, PathBuf, Run)]) -> Result<Report, Failure> {
    let (mut rows, mut heads, mut objects) = (Vec::new(), Vec::new(), Vec::new());
    for (variant, dir, run) in runs {
        let head = run_files::read_head(dir)?;
        let invalid = match &run.status {
            RunStatus::Invalid(invalid, _) => Some(invalid),
            _ => None,
        };
        let status = StatusReport::new(&run.status);
        let steps = run.steps().count();
        let verdict = invalid.map_or_else(|| status.summary(), ToString::to_string);
        rows.push([dir.display().to_string(), steps.to_string(), verdict]);
        objects.push(json!({
            "detail": status.detail,
            "dir": dir.to_string_lossy(),
            "head": head,
            "reason": status.reason,
            "steps": steps,
            "variant": variant.as_str(),
            "verdict": status.verdict,
        }));
        heads.push((variant.as_str(), head));
    }
    let fine = runs.iter().all(|(.., run)| run.status == RunStatus::Valid);
    let mut text = table::format_grid(["run", "steps", "how it ended"], [34, 8, 36], &rows);
    let mut object = json!({ "ok": fine, "runs": Value::from(objects) });
    if fine && runs.len() > 1 {
        let dirs: Vec<PathBuf> = runs.iter().map(|(_, dir, _)| dir.clone()).collect();
        let comparison = compare::compare_new_runs(&args.out, &dirs)?;
        text.push('\n');
        text.push_str(&render_table(&comparison));
        if let Some(object) = object.as_object_mut() {
            object.insert("comparison".to_owned(), comparison.document());
        }
    }
    text.push_str("\nheads of the ledgers, for axilog ablation replay --expect-head\n\n");
    text.push_str(&table::format_pairs(&heads));
    Ok(Report {
        passed: fine,
        text,
        json: object,
        notes: Vec::new(),
    })
}
