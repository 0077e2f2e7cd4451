//! `axilog ablation run`: one variant, or all three.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use axilog_ablation::AblationError;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::canonical;
use axilog_ablation::compare::{Compared, compare as held_against};
use axilog_ablation::document::document;
use axilog_ablation::experiment::{execute, frame, header};
use axilog_ablation::header::{Header, Held};
use axilog_ablation::invalid::Stop;
use axilog_ablation::prompt::Frame;
use axilog_ablation::replay::{DOCUMENT, HEADER, LEDGER, verdict};
use axilog_ablation::run::{Plan, Run, Status};
use axilog_ablation::v310::Variant;
use axilog_oracle::tokens::{self, Tokenizer};
use serde_json::{Value, json};

use super::super::interrupt::Flag;
use super::super::output::Report;
use super::super::{Failure, progress, table};
use super::oracle::{Asked, Counted, Provider, world};
use super::{compare, folder, preflight};
use crate::error::CommandError;

/// One variant, or the three of the comparison.
#[derive(Clone, Debug)]
struct Variants(Vec<Variant>);

impl FromStr for Variants {
    type Err = String;

    fn from_str(text: &str) -> Result<Variants, String> {
        match text {
            "all" => Ok(Variants(vec![Variant::Baseline, Variant::B, Variant::C])),
            one => match one.parse() {
                Ok(variant) => Ok(Variants(vec![variant])),
                Err(_) => Err(format!(
                    "there is no variant {one:?}; expected baseline, b, c, all or v300"
                )),
            },
        }
    }
}

/// Run episodes under each seed and write the run document.
///
/// baseline keeps precedents, b never writes one, c forgets at the start of each episode; v300 is the base
/// harness without precedents and without a constant length, and takes no calibration. Each run goes into a
/// directory of its own below --out: header.json, ledger.jsonl with its blobs, run.json; with all also
/// comparison.json, summary.md and actions.svg. Ctrl-C stops where a step ends and leaves a run that is
/// marked PARTIAL and replays. Exits 0 where every run is valid, 1 where one is INVALID_RUN, 3 where one is
/// PARTIAL.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// baseline, b, c, all or v300.
    #[arg(long, value_name = "VARIANT", default_value = "all")]
    variant: Variants,
    /// The calibration file: it has the lengths, the tokenizer, the padding and, unless --model names
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
    asked: Asked,
    #[command(flatten)]
    counted: Counted,
    /// The directory that is made for the runs.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How the length is held, and who is asked.
struct Prepared {
    model: String,
    held: Option<(Frame, Held)>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let prepared = match prepare(args) {
        Ok(prepared) => prepared,
        Err(Stop::Error(error)) => return Err(error.into()),
        Err(Stop::Invalid(invalid)) => return Ok(preflight::report(&invalid)),
    };
    let dirs: Vec<(Variant, PathBuf)> = (args.variant.0.iter())
        .map(|variant| (*variant, args.out.join(variant.as_str())))
        .collect();
    let (mut plans, flag) = (Vec::new(), Flag::install());
    for (variant, dir) in dirs {
        let plan = plan(args, variant);
        plan.check(&*world())?;
        folder::check_free(&dir)?;
        plans.push((plan, dir));
    }
    let mut ran = Vec::new();
    for (plan, dir) in plans {
        let found = one(args, &prepared, &plan, &dir, &flag)?;
        let partial = match &found.status {
            Status::Interrupted(_) => Some(AblationError::Interrupted(left_in(&dir))),
            Status::NoAnswer(..) => Some(AblationError::NoAnswer(left_in(&dir))),
            Status::Valid | Status::Invalid(..) => None,
        };
        if let Some(partial) = partial {
            return Err(CommandError::from(partial).into());
        }
        ran.push((plan.variant, dir, found));
    }
    report(args, &ran)
}

fn left_in(dir: &Path) -> String {
    format!(
        "before the run was whole; {} holds what there is, marked PARTIAL, and `axilog ablation replay` takes it",
        dir.display()
    )
}

fn plan(args: &Args, variant: Variant) -> Plan {
    Plan {
        variant,
        seeds: args.seeds.clone(),
        episodes: args.episodes,
    }
}

fn prepare(args: &Args) -> Result<Prepared, Stop> {
    let oracle = &args.asked.oracle;
    let own_error = |error: AblationError| Stop::from(error);
    if args.variant.0.contains(&Variant::V300) {
        let model = args.counted.model(oracle).map_err(own_error)?;
        return Ok(Prepared { model, held: None });
    }
    let path = args
        .calibration
        .as_ref()
        .ok_or_else(|| own_error(AblationError::NoCalibration))?;
    let calibration = Calibration::read(path)?;
    let is_agent = matches!(oracle, Provider::Agent(_));
    let goes_on = !is_agent && calibration.provider == oracle.to_string();
    let model = match &args.counted.model {
        None if goes_on => calibration.model_id.clone(),
        _ => args.counted.model(oracle).map_err(own_error)?,
    };
    // An agent counts in any tokens; a model that was not calibrated for has its own.
    let own_tokens = match &args.counted.model {
        None => !is_agent && !goes_on,
        Some(model) => *model != calibration.model_id,
    };
    let as_calibrated = !own_tokens && !args.counted.names_tokenizer();
    let tokenizer: Arc<dyn Tokenizer> = if as_calibrated {
        Arc::from(tokens::open(&calibration.basis.tokenizer)?)
    } else {
        args.counted.tokenizer(oracle).map_err(own_error)?
    };
    let lengths = calibration.lengths();
    let (frame, basis) = frame(&*world(), tokenizer, &calibration.basis.pad, Some(lengths))?;
    calibration.check(path, &basis).map_err(own_error)?;
    let held = Held::new(calibration.hash(), lengths, &basis);
    Ok(Prepared {
        model,
        held: Some((frame, held)),
    })
}

/// Runs a plan into its directory.
fn one(
    args: &Args,
    prepared: &Prepared,
    plan: &Plan,
    dir: &Path,
    flag: &Flag,
) -> Result<Run, CommandError> {
    let mut environment = world();
    let held = prepared.held.as_ref();
    let header: Header = header(
        plan,
        &*environment,
        &args.asked.oracle.to_string(),
        &prepared.model,
        held.map(|(_, held)| held.clone()),
    );
    let text = canonical(&serde_json::to_value(&header).unwrap_or_default()) + "\n";
    folder::make(dir)?;
    // An oracle that cannot be opened, for want of a key perhaps, leaves the directory free.
    let mut live = args.asked.live(&dir.join(LEDGER), &prepared.model)?;
    folder::write(&dir.join(HEADER), &text)?;
    let bar = progress::steps(plan.steps(&*environment), plan.variant.as_str());
    let mut go_on = |done| {
        bar.set_position(done);
        !flag.is_set()
    };
    let frame = held.map(|(frame, _)| frame);
    let found = execute(&header, &mut *environment, frame, &mut live, &mut go_on)?;
    live.finish()?;
    folder::write(&dir.join(DOCUMENT), &document(&header, &found))?;
    Ok(found)
}

fn report(args: &Args, ran: &[(Variant, PathBuf, Run)]) -> Result<Report, Failure> {
    let fine = ran.iter().all(|(.., found)| found.status == Status::Valid);
    let count = |found: &Run| -> usize {
        let episodes = found.seeds.iter().flat_map(|(_, episodes)| episodes);
        episodes.map(|episode| episode.steps.len()).sum()
    };
    let rows: Vec<[String; 3]> = ran
        .iter()
        .map(|(_, dir, found)| {
            let verdict = match &found.status {
                Status::Invalid(invalid, _) => invalid.to_string(),
                status => verdict(status),
            };
            [dir.display().to_string(), count(found).to_string(), verdict]
        })
        .collect();
    let mut text = table::format_grid(["run", "steps", "how it ended"], [34, 8, 36], &rows);
    let objects = ran.iter().map(|(variant, dir, found)| {
        let invalid = match &found.status {
            Status::Invalid(invalid, _) => Some(invalid),
            _ => None,
        };
        json!({
            "detail": invalid.map(|invalid| &invalid.detail),
            "dir": dir.to_string_lossy(),
            "reason": invalid.map(|invalid| invalid.reason.as_str()),
            "steps": count(found),
            "variant": variant.as_str(),
            "verdict": invalid.map_or("VALID", |_| "INVALID_RUN"),
        })
    });
    let mut object = json!({ "ok": fine, "runs": objects.collect::<Vec<Value>>() });
    if fine && ran.len() > 1 {
        let runs = ran.iter().map(|(_, dir, _)| Compared::read(dir));
        let found = held_against(runs.collect::<Result<_, _>>()?)?;
        compare::write(&args.out, &found)?;
        text.push('\n');
        text.push_str(&compare::text(&found));
        if let Some(object) = object.as_object_mut() {
            object.insert("comparison".to_owned(), found.value());
        }
    }
    Ok(Report {
        passed: fine,
        text,
        json: object,
        notes: Vec::new(),
    })
}
