//! `axilog ablation calibrate`: measures how long the segments of the prompt must be.

use std::borrow::Cow;
use std::path::PathBuf;

use axilog_ablation::AblationError;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::environment::Environment;
use axilog_ablation::environment_source::environment_path;
use axilog_ablation::experiment::{build_calibration_header, build_frame, calibrate};
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::run::RunStatus;
use axilog_ablation::statements::RunStatement;
use serde::Serialize;

use super::environment_option::EnvironmentOption;
use super::oracle_options::{ModelOptions, OracleOptions};
use super::{preflight, run_files};
use crate::Failure;
use crate::interrupt::Flag;
use crate::output::Report;
use crate::output::progress::StepProgress;
use crate::output::table;

/// Measure how long records and situations are, and freeze the lengths of their segments in a file.
///
/// Runs one episode under each seed, in the environment of the runs and with precedents, and takes the longest record
/// and the longest situation. N, the length of the precedent's segment, is 1.25 times the longest record,
/// rounded up to a multiple of 32, and at least 512 tokens; M is the same of the situation. Every answer
/// is recorded in a ledger beside the file. Exits 0 where the file was written; 1 where the padding is not
/// stable or no precedent was recorded.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// At least 3 seeds, with commas between [default: the environment's, 42,123,456 in those that ship].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    seeds: Option<Vec<u64>>,
    #[command(flatten)]
    environment_option: EnvironmentOption,
    /// The calibration file, which must not exist yet. To it belong its ledger FILE.ledger.jsonl and the copies
    /// FILE.tokenizer.json of a tokenizer.json and FILE.environment.toml of an environment's file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    oracle_options: OracleOptions,
    #[command(flatten)]
    model_options: ModelOptions,
    /// The padding, one token that says nothing.
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_PAD, allow_hyphen_values = true)]
    pad: String,
    /// Go on with a calibration that was stopped, with the options that it was begun with.
    #[arg(long)]
    resume: bool,
}

/// A calibration that was written.
#[derive(Serialize)]
struct CalibrationResult<'a> {
    ok: bool,
    file: Cow<'a, str>,
    ledger: Cow<'a, str>,
    /// SHA-256 of the file.
    hash: String,
    calibration: &'a Calibration,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let oracle = &args.oracle_options.oracle;
    let model = args.model_options.model(oracle)?;
    let tokenizer = args.model_options.open_tokenizer(oracle)?;
    if args.out.exists() {
        return Err(AblationError::FileExists(args.out.clone()).into());
    }
    let tokenizer_file = tokenizer.file_bytes().map(<[u8]>::to_vec);
    let mut environment = args.environment_option.open(None)?;
    let seeds = args.seeds.as_ref();
    let seeds = seeds.unwrap_or(&environment.seeds().calibration).clone();
    let (frame, basis) = match build_frame(&environment, tokenizer, &args.pad, None) {
        Ok(built) => built,
        Err(error) => return preflight::report_invalid(error),
    };
    let provider = oracle.to_string();
    let mut header = build_calibration_header(&seeds, &environment, &provider, &model)?;
    header.transport = args.oracle_options.transport()?;
    header.sampling = args.oracle_options.sampling();
    let ledger = Calibration::ledger_path(&args.out);
    let resume = args.resume && ledger.exists();
    if resume {
        args.oracle_options.check_resumable()?;
    }
    let statement = RunStatement::new(
        Vec::new(),
        args.oracle_options.base_url(),
        &header.to_file_text(),
    );
    let opened = args.oracle_options.open(&model, header.sampling)?;
    let transport = header.transport.clone();
    let mut answers = opened.open_ledger(&ledger, &statement, resume, transport, false)?;
    let flag = Flag::install();
    let steps = header.plan().step_count(&environment);
    let mut progress = StepProgress::new(steps, answers.recorded_count(), "calibrating");
    let outcome = calibrate(
        &header,
        &mut environment,
        &frame,
        &mut answers,
        &mut |steps_taken| {
            progress.show(steps_taken);
            !flag.is_set()
        },
    )?;
    drop(progress);
    let oracle = answers.into_oracle();
    let fault = oracle.last_fault().map(str::to_owned);
    oracle.finish()?;
    let measures = match outcome {
        Ok(measures) => measures,
        Err(RunStatus::Invalid(invalid, _)) => {
            return Ok(preflight::build_invalid_report(&invalid));
        }
        Err(RunStatus::NoAnswer(failure, place)) => {
            let detail = format!(
                "({}) at step {} under the seed {}; no calibration was written, and --resume goes on with it",
                fault.unwrap_or_else(|| failure.as_str().to_owned()),
                place.step,
                place.seed
            );
            return Err(AblationError::NoAnswer(detail).into());
        }
        Err(RunStatus::Interrupted(_) | RunStatus::Valid) => {
            let detail =
                "before the calibration was whole; none was written, and --resume goes on with it";
            return Err(AblationError::Interrupted(detail.to_owned()).into());
        }
    };
    let head = run_files::read_ledger_head(&ledger)?;
    let calibration = Calibration::new(&header, basis, measures, head);
    if let Some(bytes) = tokenizer_file {
        run_files::write_bytes(&Calibration::tokenizer_path(&args.out), &bytes)?;
    }
    if environment.file_hash().is_some() {
        run_files::write_bytes(&environment_path(&args.out), environment.file_bytes())?;
    }
    run_files::write_whole(&args.out, &calibration.to_file_text())?;
    let text = render_table(args, &ledger.display().to_string(), &calibration);
    let result = CalibrationResult {
        ok: true,
        file: args.out.to_string_lossy(),
        ledger: ledger.to_string_lossy(),
        hash: calibration.digest(),
        calibration: &calibration,
    };
    Ok(Report::new(true, text, &result))
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
        ("environment", basis.environment.clone()),
        (
            "tokenizer",
            format!("{}, {}", basis.tokenizer, basis.tokenizer_version),
        ),
        ("records", calibration.records.to_string()),
        ("precedent", precedent),
        ("situation", situation),
    ])
}
