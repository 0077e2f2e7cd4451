//! `axilog ablation calibrate`: how long the segments of the prompt are.

use std::path::PathBuf;

use axilog_ablation::AblationError;
use axilog_ablation::experiment::{calibrate, frame, measured};
use axilog_ablation::invalid::Stop;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::run::Status;
use serde_json::json;

use super::super::interrupt::Flag;
use super::super::output::Report;
use super::super::{Failure, progress, table};
use super::oracle::{Asked, Counted, world};
use super::{folder, preflight};
use crate::error::CommandError;

/// Measure how long records and situations are, and freeze the lengths of their segments in a file.
///
/// Runs one episode under each seed, in the real environment with writing on, and takes the longest record
/// and the longest situation: N = max(512, 1.25 times that, up to a multiple of 32). Every answer is
/// recorded beside the file first. Exits 0 where the file was written; 1 where the padding is not stable or
/// no precedent was ever recorded.
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
    asked: Asked,
    #[command(flatten)]
    counted: Counted,
    /// The padding, one token that says nothing.
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_PAD, allow_hyphen_values = true)]
    pad: String,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let oracle = &args.asked.oracle;
    let model = args.counted.model(oracle)?;
    let tokenizer = args.counted.tokenizer(oracle)?;
    if args.out.exists() {
        return Err(CommandError::from(AblationError::File {
            path: args.out.clone(),
            reason: "is there already and stays as it is; name another file".to_owned(),
        })
        .into());
    }
    let mut environment = world();
    let (frame, basis) = match frame(&*environment, tokenizer, &args.pad, None) {
        Ok(made) => made,
        Err(Stop::Error(error)) => return Err(error.into()),
        Err(Stop::Invalid(invalid)) => return Ok(preflight::report(&invalid)),
    };
    let plan = measured(&args.seeds, &*environment)?;
    let mut ledger = args.out.as_os_str().to_owned();
    ledger.push(".ledger.jsonl");
    let ledger = PathBuf::from(ledger);
    let mut live = args.asked.live(&ledger, &model)?;
    let flag = Flag::install();
    let bar = progress::steps(plan.steps(&*environment), "calibrating");
    let found = calibrate(
        &args.seeds,
        &mut *environment,
        (&frame, basis),
        (&oracle.to_string(), &model),
        &mut live,
        &mut |done| {
            bar.set_position(done);
            !flag.is_set()
        },
    )?;
    live.finish()?;
    let found = match found {
        Ok(found) => found,
        Err(Status::Invalid(invalid, _)) => return Ok(preflight::report(&invalid)),
        Err(Status::NoAnswer(failure, place)) => {
            let told = format!(
                "({}) at step {} under the seed {}; no calibration was written",
                failure.as_str(),
                place.step,
                place.seed
            );
            return Err(CommandError::from(AblationError::NoAnswer(told)).into());
        }
        Err(Status::Interrupted(_) | Status::Valid) => {
            let told = "before the calibration was whole; none was written".to_owned();
            return Err(CommandError::from(AblationError::Interrupted(told)).into());
        }
    };
    folder::write(&args.out, &found.file())?;
    let tokens = |longest: u64, length: u64| format!("{length} tokens (the longest has {longest})");
    Ok(Report {
        passed: true,
        text: table::format_pairs(&[
            ("calibration", args.out.display().to_string()),
            ("hash", found.hash()),
            ("ledger", ledger.display().to_string()),
            (
                "tokenizer",
                format!(
                    "{}, {}",
                    found.basis.tokenizer, found.basis.tokenizer_version
                ),
            ),
            ("records", found.records.to_string()),
            (
                "precedent",
                format!(
                    "N = {}",
                    tokens(found.max_precedent_tokens, found.precedent_length)
                ),
            ),
            (
                "situation",
                format!(
                    "M = {}",
                    tokens(found.max_situation_tokens, found.situation_length)
                ),
            ),
        ]),
        json: json!({
            "ok": true,
            "file": args.out.to_string_lossy(),
            "ledger": ledger.to_string_lossy(),
            "hash": found.hash(),
            "calibration": found,
        }),
        notes: Vec::new(),
    })
}
