//! The whole procedure of a comparison, on made-up experiments: all its tests, corrected and judged.

use axilog_ablation::completed_profiles::{SeedAnswers, bound_profile_p_value};
use axilog_ablation::completed_steps::{
    bound_seed_agreement, bound_seed_disagreement, bound_steps,
};
use axilog_ablation::endpoint::StudyEndpoint;
use axilog_ablation::judged_tests::{FamilyTest, TestVerdict, judge_tests};
use axilog_ablation::primary_endpoint::weigh_primary;
use axilog_ablation::statistics::contribute_profiles;
use axilog_ablation::step_statistics::{
    SeedCounts, count_seed_agreement, count_seed_disagreement, test_step_difference,
};
use axilog_ablation::swap_test::{PValue, PairContributions};

use super::step_laws::{ACTIONS, Arm, Choice, Experiment};

/// The choices of an arm under each seed.
pub type ArmChoices = Vec<Vec<Choice>>;

/// A test: the endpoint, and whether it is one of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedTest {
    pub endpoint: StudyEndpoint,
    /// The place of its pair among all pairs.
    pub pair: usize,
    pub p_value: PValue,
    /// The largest p-value, whatever the useless answers would have been.
    pub largest: Option<PValue>,
    pub is_told_apart: bool,
}

impl NamedTest {
    /// Whether it is about what is chosen, which useless answers hide.
    pub fn is_about_choices(&self) -> bool {
        !matches!(
            self.endpoint,
            StudyEndpoint::Answers | StudyEndpoint::Actions
        )
    }
}

/// How p-values are corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedure {
    /// All together, with a primary endpoint, and whatever the useless answers would have been.
    Together,
    /// All together, of the useful answers by themselves.
    UsefulAlone,
    /// As before there were primary endpoints: choices, answers and actions each by itself, controls apart.
    Apart,
}

/// Runs a made-up experiment and judges it. Pair 0 is run B, pair 1 run C, which differs from the baseline in nothing;
/// with controls, 2 and 3 are the placebo against the baseline and run B, and 4 is the replicate.
pub fn judge_experiment(
    experiment: &Experiment,
    seeds: u64,
    number: u64,
    has_controls: bool,
    procedure: Procedure,
) -> Vec<NamedTest> {
    let arms = [
        Arm::Remembering,
        Arm::Forgetting,
        Arm::Remembering,
        Arm::Misled,
        Arm::Remembering,
    ];
    let mut arm_number = 0;
    let [baseline, b, c, placebo, replicate] = arms.map(|arm| {
        arm_number += 1;
        experiment.draw_arm(arm, seeds, number, arm_number)
    });
    let pairs = [
        (&baseline, &b),
        (&baseline, &c),
        (&baseline, &placebo),
        (&b, &placebo),
        (&baseline, &replicate),
    ];
    let count = if has_controls { 5 } else { 2 };
    let mut tests = Vec::new();
    for (pair, (reference, run)) in pairs.into_iter().enumerate().take(count) {
        let has_noise = has_controls && pair < 3;
        let replicate = has_noise.then_some(&replicate);
        for (endpoint, p_value) in test_pair(reference, run, replicate) {
            // A larger one changes no verdict where this one is too large already.
            let is_bounded = procedure == Procedure::Together && p_value.is_below_level();
            let bound = || {
                let largest = bound_p_value(endpoint, reference, run, replicate);
                largest.map(|largest| largest.max(p_value))
            };
            tests.push(NamedTest {
                endpoint,
                pair,
                p_value,
                largest: if is_bounded { bound() } else { None },
                is_told_apart: false,
            });
        }
    }
    if procedure == Procedure::Apart {
        tests.retain(|test| !test.endpoint.is_share_of_steps());
    }
    judge(
        &mut tests,
        seeds,
        StudyEndpoint::default_for(has_controls),
        procedure,
    );
    tests
}

/// The p-values of all endpoints of two arms.
fn test_pair(
    reference: &ArmChoices,
    run: &ArmChoices,
    replicate: Option<&ArmChoices>,
) -> Vec<(StudyEndpoint, PValue)> {
    let common = |a: &[Choice], b: &[Choice]| -> Vec<(u64, u64)> {
        let steps = a.iter().zip(b);
        steps.filter_map(|(a, b)| a.zip(*b)).collect()
    };
    let seeds = || reference.iter().zip(run);
    let tabulate = |of: fn(&(u64, u64)) -> u64| -> Vec<Vec<u64>> {
        let choices = seeds().map(|(a, b)| common(a, b).iter().map(of).collect());
        choices.map(|chosen: Vec<u64>| count_each(chosen)).collect()
    };
    let choices = contribute_profiles(&tabulate(|it| it.0), &tabulate(|it| it.1));
    // A choice is done, and where there is none something else is.
    let done = |arm: &ArmChoices| -> Vec<Vec<u64>> {
        let seeds = arm
            .iter()
            .map(|steps| steps.iter().map(|it| it.unwrap_or(ACTIONS - 1)));
        seeds.map(count_each).collect()
    };
    let useless = |steps: &[Choice]| steps.iter().filter(|it| it.is_none()).count() as i128;
    let useless: Vec<i128> = seeds().map(|(a, b)| useless(b) - useless(a)).collect();
    let agreement = seeds().map(|(a, b)| count_seed_agreement(&common(a, b)));
    let mut found = vec![
        (StudyEndpoint::Choices, choices.test_by_swaps()),
        (
            StudyEndpoint::Answers,
            PairContributions::of_differences(&useless).test_by_swaps(),
        ),
        (
            StudyEndpoint::Actions,
            contribute_profiles(&done(reference), &done(run)).test_by_swaps(),
        ),
        (
            StudyEndpoint::Agreement,
            test_step_difference(&agreement.collect::<Vec<_>>()),
        ),
    ];
    if let Some(replicate) = replicate {
        let seeds = reference.iter().zip(replicate).zip(run);
        let counts: Vec<SeedCounts> = seeds
            .map(|((a, b), c)| {
                let steps = a.iter().zip(b).zip(c);
                count_seed_disagreement(steps.filter_map(|((a, b), c)| Some([(*a)?, (*b)?, (*c)?])))
            })
            .collect();
        found.push((StudyEndpoint::Disagreement, test_step_difference(&counts)));
    }
    found
}

/// The largest p-value of an endpoint of two arms; `None` where every answer is useful.
fn bound_p_value(
    endpoint: StudyEndpoint,
    reference: &ArmChoices,
    run: &ArmChoices,
    replicate: Option<&ArmChoices>,
) -> Option<PValue> {
    let mut arms = [Some(reference), Some(run), replicate]
        .into_iter()
        .flatten();
    if arms.all(|arm| arm.iter().flatten().all(Option::is_some)) {
        return None;
    }
    let count = |arm: &ArmChoices| -> Vec<SeedAnswers> {
        let seeds = arm.iter().map(|steps| SeedAnswers {
            chosen: count_each(steps.iter().copied().flatten()),
            useless: steps.iter().filter(|choice| choice.is_none()).count() as u64,
        });
        seeds.collect()
    };
    let seeds = reference.iter().zip(run);
    match endpoint {
        StudyEndpoint::Choices => Some(bound_profile_p_value(&count(reference), &count(run))),
        StudyEndpoint::Agreement => {
            let ranges = seeds.map(|(a, b)| bound_seed_agreement(a, b));
            Some(bound_steps(&ranges.collect::<Vec<_>>()).p_value)
        }
        StudyEndpoint::Disagreement => {
            let ranges = seeds.zip(replicate?).map(|((a, c), b)| {
                let steps = a.iter().zip(b).zip(c);
                bound_seed_disagreement(steps.map(|((a, b), c)| [*a, *b, *c]))
            });
            Some(bound_steps(&ranges.collect::<Vec<_>>()).p_value)
        }
        StudyEndpoint::Answers | StudyEndpoint::Actions => None,
    }
}

fn count_each(chosen: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut counts = vec![0; ACTIONS as usize];
    for action in chosen {
        counts[action as usize] += 1;
    }
    counts
}

fn judge(tests: &mut [NamedTest], seeds: u64, primary: StudyEndpoint, procedure: Procedure) {
    // The pairs of a family: runs B and C, the placebo, the replicate.
    let family = |pair: usize| [0, 0, 1, 1, 2][pair];
    let groups: Vec<(usize, Option<StudyEndpoint>)> = match procedure {
        Procedure::Together | Procedure::UsefulAlone => vec![(0, None)],
        Procedure::Apart => {
            let endpoints = [
                StudyEndpoint::Choices,
                StudyEndpoint::Answers,
                StudyEndpoint::Actions,
            ];
            let of_family = |of| endpoints.map(|endpoint| (of, Some(endpoint)));
            (0..3).flat_map(of_family).collect()
        }
    };
    for (of, endpoint) in groups {
        let is_member = |test: &&mut NamedTest| {
            endpoint.is_none_or(|endpoint| endpoint == test.endpoint && of == family(test.pair))
        };
        let mut members: Vec<&mut NamedTest> = tests.iter_mut().filter(is_member).collect();
        let is_primary = |test: &NamedTest| {
            procedure != Procedure::Apart && test.endpoint == primary && test.pair < 2
        };
        let primary_tests = members.iter().filter(|test| is_primary(test)).count() as u64;
        let others = members.len() as u64 - primary_tests;
        let weigh = |test: &&mut NamedTest| FamilyTest {
            seeds: seeds as usize,
            p_value: test.p_value,
            largest: test.largest,
            weight: match is_primary(test) {
                true => weigh_primary(seeds as usize, primary_tests, others),
                false => 1,
            },
        };
        let weighed: Vec<FamilyTest> = members.iter().map(weigh).collect();
        for (test, judged) in members.iter_mut().zip(judge_tests(&weighed)) {
            test.is_told_apart = judged.verdict == TestVerdict::ToldApart;
        }
    }
}
