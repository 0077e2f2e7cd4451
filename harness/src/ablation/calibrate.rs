//! `axilog ablation calibrate`: measures how long the segments of the prompt must be.

use std::path::PathBuf;

use axilog_ablation::AblationError;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::experiment::{build_frame, calibrate, plan_calibration};
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::run::RunStatus;
use serde_json::json;

use super::super::interrupt::Flag;
use super::super::output::Report;
use super::super::{Failure, progress, table};
use super::oracle_options::{ModelOptions, OracleOptions, new_environment};
use super::{preflight, run_files};

/// Measure how long records and situations are, and freeze the lengths of their segments in a file.
///
/// Runs one episode under each seed, in the real environment with writing on, and takes the longest record
/// and the longest situation. N, the length of the precedent's segment, is 1.25 times the longest record,
/// rounded up to a multiple of 32, and at least 512 tokens; M is the same of the situation. Every answer
/// is recorded in a ledger beside the file. Exits 0 where the file was written; 1 where the padding is not
/// stable or no precedent was recorded.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// At least 3 seeds, with commas between.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "42,123,456"
    )]
    seeds: Vec<u64>,
    /// The calibration file; its ledger is FILE.ledger.jsonl. Neither may exist.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    oracle_options: OracleOptions,
    #[command(flatten)]
    model_options: ModelOptions,
    /// The padding, one token that says nothing.
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_PAD, allow_hyphen_values = true)]
    pad: String,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let oracle = &args.oracle_options.oracle;
    let model = args.model_options.model(oracle)?;
    let tokenizer = args.model_options.open_tokenizer(oracle)?;
    if args.out.exists() {
        return Err(AblationError::FileExists(args.out.clone()).into());
    }
    let mut environment = new_environment();
    let (frame, basis) = match build_frame(&*environment, tokenizer, &args.pad, None) {
        Ok(built) => built,
        Err(error) => return preflight::report_invalid(error),
    };
    let plan = plan_calibration(&args.seeds, &*environment)?;
    let mut ledger = args.out.as_os_str().to_owned();
    ledger.push(".ledger.jsonl");
    let ledger = PathBuf::from(ledger);
    let mut answers = args.oracle_options.open(&ledger, &model)?;
    let flag = Flag::install();
    let bar = progress::steps(plan.step_count(&*environment), "calibrating");
    let outcome = calibrate(
        &args.seeds,
        &mut *environment,
        (&frame, basis),
        (&oracle.to_string(), &model),
        &mut answers,
        &mut |steps_taken| {
            bar.set_position(steps_taken);
            !flag.is_set()
        },
    )?;
    answers.finish()?;
    let calibration = match outcome {
        Ok(calibration) => calibration,
        Err(RunStatus::Invalid(invalid, _)) => {
            return Ok(preflight::build_invalid_report(&invalid));
        }
        Err(RunStatus::NoAnswer(failure, place)) => {
            let detail = format!(
                "({}) at step {} under the seed {}; no calibration was written",
                failure.as_str(),
                place.step,
                place.seed
            );
            return Err(AblationError::NoAnswer(detail).into());
        }
        Err(RunStatus::Interrupted(_) | RunStatus::Valid) => {
            let detail = "before the calibration was whole; none was written".to_owned();
            return Err(AblationError::Interrupted(detail).into());
        }
    };
    run_files::write_whole(&args.out, &calibration.to_file_text())?;
    Ok(Report {
        passed: true,
        text: render_table(args, &ledger.display().to_string(), &calibration),
        json: json!({
            "ok": true,
            "file": args.out.to_string_lossy(),
            "ledger": ledger.to_string_lossy(),
            "hash": calibration.digest(),
            "calibration": calibration,
        }),
        notes: Vec::new(),
    })
}

fn render_table(args: &Args, ledger: &str, calibration: &Calibration) -> String {
    let length = |name: &str, length: u64, longest: u64| {
        format!("{name} = {length} tokens (the longest has {longest})")
    };
    let (basis, lengths) = (&calibration.basis, calibration.lengths());
    let (precedent, situation) = (
        length("N", lengths.precedent, calibration.max_precedent_tokens),
        length("M", lengths.situation, calibration.max_situation_tokens),
    );
    table::format_pairs(&[
        ("calibration", args.out.display().to_string()),
        ("hash", calibration.digest()),
        ("ledger", ledger.to_owned()),
        (
            "tokenizer",
            format!("{}, {}", basis.tokenizer, basis.tokenizer_version),
        ),
        ("records", calibration.records.to_string()),
        ("precedent", precedent),
        ("situation", situation),
    ])
}
