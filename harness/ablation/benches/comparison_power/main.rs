//! Simulates comparisons between made-up runs: how often a test is passed where there is no difference
//! (its size) and where there is one (its power), and how often a resampling interval holds the true
//! distance (its coverage).
//!
//!     cargo bench -p axilog-ablation --bench comparison_power
//!
//! prints the tables of `docs/ablation.md`. Everything follows from fixed numbers, so they are the same each
//! time; `-- --check FILE` exits 1 where FILE does not hold them. `-- --test` simulates a little of each, and
//! `-- --procedure` the tables of the whole procedure alone.

use std::process::ExitCode;

use axilog_ablation::decimal::Decimal;
use axilog_ablation::resampling::SeedResamples;
use axilog_ablation::statistics::{
    contribute_profiles, measure_profile_difference, measure_share_difference,
};
use axilog_ablation::swap_test::PValue;

mod laws;
mod procedure;
mod procedure_tables;
mod step_laws;

use laws::{Draws, Law, Shape, draw_run, draw_useless};
use procedure_tables::{
    simulate_confidence, simulate_garbling, simulate_procedure, simulate_size, simulate_useless,
};

/// The numbers of seeds in the table of coverage; each of the others has them and more.
const SEEDS: [usize; 5] = [6, 8, 12, 16, 24];

const WIDE: Shape = Shape {
    steps: 150,
    actions: 10,
};

const SHAPES: [Shape; 3] = [
    WIDE,
    Shape {
        steps: 50,
        actions: 10,
    },
    Shape {
        steps: 150,
        actions: 4,
    },
];

/// Pairs of laws, and how the table names them. In the first three both runs have one law.
const PAIRS: [(&str, Law, Law); 10] = [
    ("none", Law::Even, Law::Even),
    ("none; choices come in tens", Law::Tens, Law::Tens),
    (
        "none; both hold to one action per seed at half of all steps",
        Law::LockedIn(50),
        Law::LockedIn(50),
    ),
    (
        "5 % of choices moved to one action",
        Law::Even,
        Law::Pulled(5),
    ),
    ("10 % moved", Law::Even, Law::Pulled(10)),
    ("20 % moved", Law::Even, Law::Pulled(20)),
    ("drift: from 0 to 20 % moved", Law::Even, Law::Drifting(20)),
    (
        "lock-in: 10 % to another action per seed",
        Law::Even,
        Law::LockedIn(10),
    ),
    ("lock-in: 20 %", Law::Even, Law::LockedIn(20)),
    ("lock-in: 50 %", Law::Even, Law::LockedIn(50)),
];

/// Pairs of laws of which the table of coverage tells.
const COVERED: [usize; 6] = [0, 4, 5, 6, 8, 9];

/// The percentages of useless answers in the reference and the run.
const USELESS: [(u64, u64); 5] = [(0, 2), (0, 5), (10, 10), (10, 15), (10, 20)];

/// How much is simulated.
struct Effort {
    trials: u64,
    size_trials: u64,
    covered_trials: u64,
    /// How many seeds the true distance is computed from.
    true_seeds: usize,
}

fn main() -> ExitCode {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let is_trial = options.iter().any(|option| option == "--test");
    let effort = match is_trial {
        true => Effort {
            trials: 4,
            size_trials: 4,
            covered_trials: 1,
            true_seeds: 50,
        },
        false => Effort {
            trials: 1000,
            size_trials: 4000,
            covered_trials: 400,
            true_seeds: 2000,
        },
    };
    let mut tables: Vec<String> = Vec::new();
    let mut show = |table: String| {
        println!("{table}");
        tables.push(table);
    };
    if !options.iter().any(|option| option == "--procedure") {
        for shape in SHAPES {
            show(simulate_power(shape, &effort));
        }
        show(simulate_answers(&effort));
        show(simulate_coverage(&effort));
    }
    show(simulate_procedure(effort.trials));
    show(simulate_useless(effort.covered_trials));
    show(simulate_size(effort.size_trials));
    show(simulate_garbling(effort.covered_trials));
    show(simulate_confidence(effort.covered_trials));
    let file = options
        .iter()
        .position(|option| option == "--check")
        .and_then(|place| options.get(place + 1));
    let Some(file) = file else {
        return ExitCode::SUCCESS;
    };
    let page = match std::fs::read_to_string(file) {
        Ok(page) => page,
        Err(error) => {
            eprintln!("{file}: cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    for table in &tables {
        if !page.contains(table.as_str()) {
            eprintln!("{file}: does not hold this table; copy it there:\n{table}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// How many of `trials` p-values pass the test of one run, and of two runs, in percent. For two runs Holm's
/// method halves the level of the smaller p-value; that of the larger is the whole level.
fn rate_passed(trials: u64, mut p_value: impl FnMut(&mut Draws) -> PValue) -> [u64; 2] {
    let mut passed = [0; 2];
    for trial in 0..trials {
        let found = p_value(&mut Draws::new(trial + 1));
        for (runs, passed) in [1, 2].into_iter().zip(&mut passed) {
            *passed += u64::from(found.multiply(runs).is_below_level());
        }
    }
    passed.map(|passed| (passed * 200 + trials) / (2 * trials))
}

pub(crate) fn start_table(first: &str, seeds: &[usize]) -> String {
    let mut table = format!("| {first} |");
    for seeds in seeds {
        table.push_str(&format!(" {seeds} seeds |"));
    }
    table.push_str("\n|---|");
    table.push_str(&"---|".repeat(seeds.len()));
    table.push('\n');
    table
}

fn simulate_power(shape: Shape, effort: &Effort) -> String {
    let seeds: &[usize] = if shape == WIDE {
        &[6, 7, 8, 10, 12, 16, 24, 32]
    } else {
        &[6, 8, 12, 16]
    };
    let first = format!(
        "difference, in {} steps of {} actions",
        shape.steps, shape.actions
    );
    let mut table = start_table(&first, seeds);
    for (name, reference, run) in PAIRS {
        table.push_str(&format!("| {name} |"));
        for seeds in seeds {
            let [one, two] = rate_passed(effort.trials, |draws| {
                let reference = draw_run(reference, shape, *seeds, draws);
                let run = draw_run(run, shape, *seeds, draws);
                contribute_profiles(&reference, &run).test_by_swaps()
            });
            table.push_str(&format!(" {one}, {two} |"));
        }
        table.push('\n');
    }
    table
}

fn simulate_answers(effort: &Effort) -> String {
    let seeds = [6, 7, 8, 10, 12, 16];
    let mut table = start_table("not useful of 150 answers", &seeds);
    for (reference, run) in USELESS {
        table.push_str(&format!("| {reference} % and {run} % |"));
        for seeds in seeds {
            // The interval plays no part here.
            let resamples = SeedResamples::draw(0);
            let [one, two] = rate_passed(effort.trials, |draws| {
                let reference = draw_useless(reference, WIDE.steps, seeds, draws);
                let run = draw_useless(run, WIDE.steps, seeds, draws);
                measure_share_difference(&reference, &run, WIDE.steps, &resamples).p_value
            });
            table.push_str(&format!(" {one}, {two} |"));
        }
        table.push('\n');
    }
    table
}

fn simulate_coverage(effort: &Effort) -> String {
    let first = "difference, in 150 steps of 10 actions (true distance)";
    let mut table = start_table(first, &SEEDS);
    let resamples = SEEDS.map(SeedResamples::draw);
    let chosen = COVERED.iter().filter_map(|number| PAIRS.get(*number));
    for (name, reference, run) in chosen {
        let draw = |seeds, draws: &mut Draws| {
            let drawn = draw_run(*reference, WIDE, seeds, draws);
            (drawn, draw_run(*run, WIDE, seeds, draws))
        };
        let truth = find_distance(
            &draw(effort.true_seeds, &mut Draws::new(0)),
            reference == run,
        );
        table.push_str(&format!("| {name} ({truth}) |"));
        for (seeds, resamples) in SEEDS.into_iter().zip(&resamples) {
            let held = (0..effort.covered_trials).filter(|trial| {
                let (a, b) = draw(seeds, &mut Draws::new(trial + 1));
                let [low, high] = measure_profile_difference(&a, &b, resamples).interval;
                low <= truth && truth <= high
            });
            let held = held.count() as u64 * 100;
            let percent = (held + effort.covered_trials / 2) / effort.covered_trials;
            table.push_str(&format!(" {percent} |"));
        }
        table.push('\n');
    }
    table
}

/// The distance of two runs of many seeds; 0 where both have one law.
fn find_distance((reference, run): &(Vec<Vec<u64>>, Vec<Vec<u64>>), is_one_law: bool) -> Decimal {
    if is_one_law {
        return Decimal::default();
    }
    let added = contribute_profiles(reference, run);
    let (sum, pairs) = added.sum_weighted(&vec![1; added.seeds()]);
    Decimal::from_ratio(sum, pairs * axilog_ablation::profile::UNITS)
}
