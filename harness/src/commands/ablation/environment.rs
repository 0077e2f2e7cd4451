//! `axilog ablation environment`: prints and checks the files of environments.

use std::path::PathBuf;

use axilog_ablation::declared_environment::DeclaredEnvironment;
use axilog_ablation::environment::{Environment, IdSet};
use axilog_ablation::environment_source::{SHIPPED, open_environment};
use axilog_ablation::environment_survey::{EnvironmentSurvey, survey_environment};
use axilog_ledger::encoding::hex;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Print or check the file of an environment, in which `axilog ablation run --environment FILE` takes place.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Read the file, and say what its steps are like; no oracle is asked.
    ///
    /// The constraints are counted in the steps of the file's own seeds and three episodes under each, which are the same
    /// for every run. Exits 0 where the file can be used; 2 where it says something that an environment may not, with the
    /// place, what was found and what was expected. JSON: `ok`, `id`, `hash`, `actions`, `constraints`, `resources`, `seeds`,
    /// `states`, `steps`, `conflicts`, `distinct_conflicts`.
    Check(CheckArgs),
    /// Print the file of an environment that ships, to use as it stands or to begin from.
    ///
    /// JSON: `environment`, the text.
    Example(ExampleArgs),
}

#[derive(clap::Args)]
struct CheckArgs {
    /// The file of the environment, TOML.
    #[arg(value_name = "FILE")]
    path: PathBuf,
}

#[derive(clap::Args)]
struct ExampleArgs {
    /// Which one.
    #[arg(
        value_name = "NAME",
        default_value = "harbour",
        value_parser = PossibleValuesParser::new(SHIPPED.map(|(name, _)| name))
    )]
    name: String,
}

/// The file of an environment that ships.
#[derive(Serialize)]
struct ExampleResult {
    environment: &'static str,
}

/// What the steps of an environment are like.
#[derive(Serialize)]
struct EnvironmentResult<'a> {
    ok: bool,
    id: &'a str,
    /// SHA-256 of the file.
    hash: String,
    actions: &'a IdSet,
    constraints: Vec<ConstraintRow<'a>>,
    resources: Vec<&'a str>,
    seeds: SeedsResult<'a>,
    states: Vec<StateResult<'a>>,
    steps: u64,
    /// The number of steps at which not every constraint can be kept.
    conflicts: u64,
    /// The fewest different conflicts of an episode, those of the middle one, and the most.
    distinct_conflicts: [usize; 3],
}

/// The seeds that the file names.
#[derive(Serialize)]
struct SeedsResult<'a> {
    calibration: &'a [u64],
    run: &'a [u64],
}

#[derive(Serialize)]
struct StateResult<'a> {
    name: &'a str,
    weight: u64,
    /// Whether its actions keep and break something.
    collides: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Check(args) => check(args),
        Command::Example(args) => Ok(print_example(&args.name)),
    }
}

fn print_example(name: &str) -> Report {
    let text = SHIPPED.iter().find(|(known, _)| *known == name);
    let text = text.map_or("", |(_, text)| text);
    let result = ExampleResult { environment: text };
    Report::new(true, text.to_owned(), &result)
}

/// How many episodes are gone through under each seed: as many as a run has whose command says nothing else.
const EPISODES: u32 = 3;

fn check(args: &CheckArgs) -> Result<Report, Failure> {
    let mut environment = open_environment(&args.path)?;
    let seeds = environment.seeds().run.clone();
    let found = survey_environment(&mut environment, &seeds, EPISODES);
    let hash = hex(&axilog::hash::sha256(environment.file_bytes()));
    let states: Vec<String> = environment
        .states()
        .map(|(name, weight, _)| format!("{name} {weight}"))
        .collect();
    let resources: Vec<&str> = environment.resources().collect();
    let distinct = list_distinct(&found);
    let [least, middle, most] = distinct;
    let pairs = table::format_pairs(&[
        ("verdict", "OK".to_owned()),
        ("environment", environment.id().to_owned()),
        ("hash", hash.clone()),
        ("actions", environment.actions().len().to_string()),
        ("resources", resources.join(", ")),
        ("states", states.join(", ")),
        (
            "steps",
            format!(
                "{} under {} seeds, {} with a conflict",
                found.steps,
                seeds.len(),
                found.conflicts
            ),
        ),
        (
            "conflicts",
            format!("{least} to {most} different ones in an episode, {middle} in the middle one"),
        ),
    ]);
    let rows = list_rows(&environment, &found);
    let header = [
        "constraint",
        "satisfied by",
        "violated by",
        "keepable",
        "pressing",
    ];
    let grid = table::format_grid(
        header,
        [20, 14, 13, 10, 10],
        &rows
            .iter()
            .map(|row| {
                [
                    row.id.to_owned(),
                    table::count_of(row.satisfied_by, "action"),
                    table::count_of(row.violated_by, "action"),
                    to_percent(row.keepable_steps, found.conflicts),
                    to_percent(row.pressing_steps, found.conflicts),
                ]
            })
            .collect::<Vec<_>>(),
    );
    let states = environment.states();
    let states = states.map(|(name, weight, collides)| StateResult {
        name,
        weight,
        collides,
    });
    let result = EnvironmentResult {
        ok: true,
        id: environment.id(),
        hash,
        actions: environment.actions(),
        constraints: rows,
        resources,
        seeds: SeedsResult {
            calibration: &environment.seeds().calibration,
            run: &seeds,
        },
        states: states.collect(),
        steps: found.steps,
        conflicts: found.conflicts,
        distinct_conflicts: distinct,
    };
    Ok(Report::new(true, format!("{pairs}\n{grid}"), &result))
}

/// The fewest different conflicts of an episode, those of the middle one, and the most.
fn list_distinct(found: &EnvironmentSurvey) -> [usize; 3] {
    let distinct = &found.distinct;
    let at = |place: Option<&usize>| place.copied().unwrap_or(0);
    [
        at(distinct.first()),
        at(distinct.get(distinct.len() / 2)),
        at(distinct.last()),
    ]
}

/// How a constraint fares in an environment.
#[derive(Serialize)]
struct ConstraintRow<'a> {
    id: &'a str,
    satisfied_by: u64,
    violated_by: u64,
    /// At how many of the steps with a conflict it can be kept.
    keepable_steps: u64,
    /// At how many of them it is pressing.
    pressing_steps: u64,
}

fn list_rows<'a>(
    environment: &'a DeclaredEnvironment,
    found: &EnvironmentSurvey,
) -> Vec<ConstraintRow<'a>> {
    let ids = environment.constraints().iter();
    ids.map(|id| {
        let effects = || environment.effects().map(|(_, effects)| effects);
        ConstraintRow {
            id,
            satisfied_by: effects().filter(|it| it.satisfies.contains(id)).count() as u64,
            violated_by: effects().filter(|it| it.violates.contains(id)).count() as u64,
            keepable_steps: found.keepable.get(id).copied().unwrap_or(0),
            pressing_steps: found.pressing.get(id).copied().unwrap_or(0),
        }
    })
    .collect()
}

/// The share of `count` in `steps`, in whole percent.
fn to_percent(count: u64, steps: u64) -> String {
    let percent = (200 * count + steps).checked_div(2 * steps);
    format!("{} %", percent.unwrap_or(0))
}
