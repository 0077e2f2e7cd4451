//! The tables of the whole procedure: its power under each endpoint, the chance of any false verdict, and how often the
//! confidence interval of a share of steps holds the true one.

use axilog_ablation::decimal::Decimal;
use axilog_ablation::endpoint::StudyEndpoint;
use axilog_ablation::step_statistics::{SeedCounts, count_seed_agreement, measure_step_difference};

use super::procedure::{Procedure, judge_experiment};
use super::start_table;
use super::step_laws::{Arm, Experiment, Garbling, StepLaw};

/// The seeds of an experiment by default.
const DEFAULT_SEEDS: u64 = 10;

/// A fifth of all choices is noise, and some answers are not useful, whatever they choose.
const NOISY: Experiment = Experiment {
    law: StepLaw::Indifferent,
    noise: 20,
    useless: 5,
    garbling: Garbling::Never,
};

/// What records do to the choices of run B's baseline, and how the table names it.
const DIFFERENCES: [(&str, StepLaw); 12] = [
    ("hashed", StepLaw::Hashed),
    ("sticky: 10 % as the last choice", StepLaw::Sticky(10)),
    ("sticky: 20 %", StepLaw::Sticky(20)),
    ("sticky: 30 %", StepLaw::Sticky(30)),
    ("sticky: 40 %", StepLaw::Sticky(40)),
    ("sticky: 50 %", StepLaw::Sticky(50)),
    (
        "lock-in: 10 % to another action per seed",
        StepLaw::LockedIn(10),
    ),
    ("lock-in: 20 %", StepLaw::LockedIn(20)),
    ("drift: from 0 to 20 % moved", StepLaw::Drifting(20)),
    ("5 % of choices moved to one action", StepLaw::Pulled(5)),
    ("10 % moved", StepLaw::Pulled(10)),
    ("20 % moved", StepLaw::Pulled(20)),
];

/// Differences of which the table of useless answers tells.
const PARTLY_USEFUL: [usize; 8] = [0, 1, 3, 5, 7, 8, 10, 11];

/// The percentages of useless answers in that table.
const USELESS: [u64; 4] = [0, 1, 2, 5];

/// Experiments in which records do nothing to what is chosen, and answers are garbled because of it.
const GARBLED: [(&str, u64, Garbling); 7] = [
    (
        "20 % of the answers that choose one action, with a record",
        100,
        Garbling::WithRecord(20),
    ),
    ("50 %", 100, Garbling::WithRecord(50)),
    ("80 %", 100, Garbling::WithRecord(80)),
    ("all", 100, Garbling::WithRecord(100)),
    (
        "80 %, and where nothing but a fifth is noise",
        20,
        Garbling::WithRecord(80),
    ),
    (
        "80 %, and of those that choose another action without a record",
        100,
        Garbling::Balanced(80),
    ),
    (
        "80 % of the answers that choose as the last one, with a record",
        100,
        Garbling::Repeated(80),
    ),
];

/// Experiments in which records do nothing.
const NOTHING: [(&str, Experiment); 6] = [
    ("a fifth of all choices is noise", NOISY),
    (
        "a fifth is noise, and every answer is useful",
        Experiment {
            useless: 0,
            ..NOISY
        },
    ),
    (
        "all choices are noise",
        Experiment {
            noise: 100,
            ..NOISY
        },
    ),
    (
        "the noise comes in tens",
        Experiment {
            law: StepLaw::Tens,
            noise: 50,
            ..NOISY
        },
    ),
    (
        "each arm holds to one action of its own per seed at half of all steps",
        Experiment {
            law: StepLaw::OwnLockIn,
            ..NOISY
        },
    ),
    (
        "no noise, no useless answer",
        Experiment {
            noise: 0,
            useless: 0,
            ..NOISY
        },
    ),
];

/// Rounds `part` of `whole` to a percentage with one digit after the point.
fn to_tenths(part: u64, whole: u64) -> String {
    let tenths = (part * 2000 + whole) / (2 * whole);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// In how many percent of experiments run B is told apart in each endpoint, without and with controls.
pub fn simulate_procedure(trials: u64) -> String {
    let without = [
        StudyEndpoint::Agreement,
        StudyEndpoint::Choices,
        StudyEndpoint::Actions,
    ];
    let with = [
        StudyEndpoint::Disagreement,
        StudyEndpoint::Agreement,
        StudyEndpoint::Choices,
        StudyEndpoint::Actions,
    ];
    let mut table = "| what records do, under 10 seeds | agreement* | choices | actions | with controls: disagreement* | agreement | choices | actions |\n|---|---|---|---|---|---|---|---|\n".to_owned();
    for (name, law) in DIFFERENCES {
        let experiment = Experiment {
            law,
            useless: 0,
            ..NOISY
        };
        table.push_str(&format!("| {name} |"));
        for (has_controls, endpoints) in [(false, without.as_slice()), (true, with.as_slice())] {
            let mut passed = vec![0; endpoints.len()];
            for number in 0..trials {
                let procedure = Procedure::Together;
                let found =
                    judge_experiment(&experiment, DEFAULT_SEEDS, number, has_controls, procedure);
                for (endpoint, passed) in endpoints.iter().zip(&mut passed) {
                    let is_told_apart = found.iter().any(|test| {
                        test.pair == 0 && test.endpoint == *endpoint && test.is_told_apart
                    });
                    *passed += u64::from(is_told_apart);
                }
            }
            for passed in passed {
                table.push_str(&format!(" {} |", (passed * 200 + trials) / (2 * trials)));
            }
        }
        table.push('\n');
    }
    table
}

/// In how many percent of experiments in which records do nothing some verdict is false.
pub fn simulate_size(trials: u64) -> String {
    let mut table = "| records do nothing, under 10 seeds | three arms | with controls | as before: three arms | with controls |\n|---|---|---|---|---|\n".to_owned();
    for (name, experiment) in NOTHING {
        table.push_str(&format!("| {name} |"));
        for procedure in [Procedure::Together, Procedure::Apart] {
            for has_controls in [false, true] {
                let is_false = |number: &u64| {
                    judge_experiment(&experiment, DEFAULT_SEEDS, *number, has_controls, procedure)
                        .iter()
                        .any(|test| test.is_told_apart)
                };
                let count = (0..trials).filter(is_false).count() as u64;
                table.push_str(&format!(" {} |", to_tenths(count, trials)));
            }
        }
        table.push('\n');
    }
    table
}

/// In how many percent of experiments run B is told apart where so many percent of the answers are not useful.
pub fn simulate_useless(trials: u64) -> String {
    let columns = [
        (StudyEndpoint::Agreement, false),
        (StudyEndpoint::Choices, false),
        (StudyEndpoint::Disagreement, true),
    ];
    let mut table = "| what records do; not useful: | agreement*: 0 % | 1 % | 2 % | 5 % | choices: 0 % | 1 % | 2 % | 5 % | with controls: disagreement*: 0 % | 1 % | 2 % | 5 % |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n".to_owned();
    for (name, law) in PARTLY_USEFUL
        .iter()
        .filter_map(|place| DIFFERENCES.get(*place))
    {
        table.push_str(&format!("| {name} |"));
        for (endpoint, has_controls) in columns {
            for useless in USELESS {
                let experiment = Experiment {
                    law: *law,
                    useless,
                    ..NOISY
                };
                let is_told_apart = |number: &u64| {
                    let procedure = Procedure::Together;
                    judge_experiment(&experiment, DEFAULT_SEEDS, *number, has_controls, procedure)
                        .iter()
                        .any(|test| {
                            test.pair == 0 && test.endpoint == endpoint && test.is_told_apart
                        })
                };
                let count = (0..trials).filter(is_told_apart).count() as u64;
                table.push_str(&format!(" {} |", (count * 200 + trials) / (2 * trials)));
            }
        }
        table.push('\n');
    }
    table
}

/// In how many percent of experiments some verdict on what is chosen is false because answers are garbled.
pub fn simulate_garbling(trials: u64) -> String {
    let mut table = "| garbled, under 10 seeds | three arms | with controls | useful answers by themselves: three arms | with controls |\n|---|---|---|---|---|\n".to_owned();
    for (name, noise, garbling) in GARBLED {
        let experiment = Experiment {
            noise,
            useless: 0,
            garbling,
            ..NOISY
        };
        table.push_str(&format!("| {name} |"));
        for procedure in [Procedure::Together, Procedure::UsefulAlone] {
            for has_controls in [false, true] {
                let is_false = |number: &u64| {
                    judge_experiment(&experiment, DEFAULT_SEEDS, *number, has_controls, procedure)
                        .iter()
                        .any(|test| test.is_told_apart && test.is_about_choices())
                };
                let count = (0..trials).filter(is_false).count() as u64;
                table.push_str(&format!(" {} |", to_tenths(count, trials)));
            }
        }
        table.push('\n');
    }
    table
}

/// In how many percent of comparisons the confidence interval of the agreement holds the true difference.
pub fn simulate_confidence(trials: u64) -> String {
    let seeds = [6, 8, 10, 12, 16, 24];
    let mut table = start_table("difference of the agreement (true share)", &seeds);
    let laws = [
        ("none", StepLaw::Indifferent),
        ("sticky: 10 %", StepLaw::Sticky(10)),
        ("sticky: 30 %", StepLaw::Sticky(30)),
        ("lock-in: 20 %", StepLaw::LockedIn(20)),
        ("drift: from 0 to 20 % moved", StepLaw::Drifting(20)),
    ];
    for (name, law) in laws {
        let experiment = Experiment { law, ..NOISY };
        let draw = |seeds: u64, number: u64| -> Vec<SeedCounts> {
            let baseline = experiment.draw_arm(Arm::Remembering, seeds, number, 1);
            let b = experiment.draw_arm(Arm::Forgetting, seeds, number, 2);
            let pairs = baseline.iter().zip(&b);
            pairs
                .map(|(a, b)| {
                    let common = a.iter().zip(b).filter_map(|(a, b)| a.zip(*b));
                    count_seed_agreement(&common.collect::<Vec<_>>())
                })
                .collect()
        };
        // No experiment has as many seeds, so none shares its numbers.
        let many = 10 * trials;
        let truth = find_share(&draw(many, 1_000_000));
        table.push_str(&format!("| {name} ({truth}) |"));
        for seeds in seeds {
            let held = (0..trials).filter(|number| {
                let [low, high] = measure_step_difference(&draw(seeds as u64, *number)).interval;
                low <= truth && truth <= high
            });
            let held = held.count() as u64;
            table.push_str(&format!(" {} |", (held * 200 + trials) / (2 * trials)));
        }
        table.push('\n');
    }
    table
}

/// The difference of the shares of many seeds.
fn find_share(seeds: &[SeedCounts]) -> Decimal {
    let sum = |count: fn(&SeedCounts) -> u64| i128::from(seeds.iter().map(count).sum::<u64>());
    Decimal::from_ratio(
        sum(|it| it.run) - sum(|it| it.reference),
        sum(|it| it.steps),
    )
}
