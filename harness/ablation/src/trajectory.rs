//! How a share of steps changes in the course of an episode: the same windows of steps of all episodes, taken together.
//!
//! Two shares are measured of each run by itself: how often its choice is the *last* one, the action of its last useful
//! answer under the seed; and how often it is another than that of the reference at the same step. Both count only steps that
//! were answered usefully. The interval is that of resampled seeds, and decides nothing. Determinism: D1.

use super::comparable_run::{ComparableRun, ComparedStep};
use super::comparison::RunComparison;
use super::decimal::Decimal;
use super::resampling::{Fraction, SeedResamples};

/// How many steps a window has.
const WINDOW: usize = 5;

/// A share of steps whose course is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrajectoryShare {
    /// Of the choices that are the last ones.
    LastChoice,
    /// Of the choices that are others than the reference's.
    OtherChoice,
}

impl TrajectoryShare {
    /// The share as tables name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            TrajectoryShare::LastChoice => "last choice",
            TrajectoryShare::OtherChoice => "other choice",
        }
    }
}

/// The course of a share in a run.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// The share.
    pub share: TrajectoryShare,
    /// The place of the run in the comparison.
    pub run: usize,
    /// The windows of an episode, in their order.
    pub windows: Vec<TrajectoryWindow>,
}

/// What was counted at some steps of all episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrajectoryWindow {
    /// The first step of the window, counted from 1.
    pub first_step: usize,
    /// The last step of the window.
    pub last_step: usize,
    /// The steps that count.
    pub steps: u64,
    /// At how many of them it happened.
    pub count: u64,
    /// The share; 0 without steps.
    pub share: Decimal,
    /// The middle 95 % of the share over resamples of the seeds; `None` without steps.
    pub interval: Option<[Decimal; 2]>,
}

/// What is counted in a window under one seed: steps that count, and those at which it happened.
type SeedWindow = (u64, u64);

impl RunComparison {
    /// The courses of both shares, of each run that has them.
    #[must_use]
    pub fn trajectories(&self) -> Vec<Trajectory> {
        let Some(reference) = self.runs.first() else {
            return Vec::new();
        };
        let resamples = SeedResamples::draw(reference.steps.len());
        let last = self.runs.iter().enumerate().map(|(place, run)| {
            let happened = run.steps.iter().map(|steps| find_last_choices(steps));
            (TrajectoryShare::LastChoice, place, happened.collect())
        });
        let other = self.runs.iter().enumerate().skip(1).map(|(place, run)| {
            let seeds = reference.steps.iter().zip(&run.steps);
            let happened = seeds.map(|(reference, run)| find_other_choices(reference, run));
            (TrajectoryShare::OtherChoice, place, happened.collect())
        });
        last.chain(other)
            .map(|(share, run, happened): (_, _, Vec<_>)| Trajectory {
                share,
                run,
                windows: count_windows(reference, &happened, &resamples),
            })
            .collect()
    }
}

/// Whether each step's choice is the last one before it; `None` where one of the two is missing.
fn find_last_choices(steps: &[ComparedStep]) -> Vec<Option<bool>> {
    let mut last = None;
    let compare = |step: &ComparedStep| {
        let choice = step.choice()?.to_owned();
        let before = last.replace(choice.clone());
        before.map(|before| before == choice)
    };
    steps.iter().map(compare).collect()
}

/// Whether each step's choice is another than that of the reference; `None` where one of the two is missing.
fn find_other_choices(reference: &[ComparedStep], run: &[ComparedStep]) -> Vec<Option<bool>> {
    let steps = reference.iter().zip(run);
    let choices = steps.map(|(reference, run)| reference.choice().zip(run.choice()));
    choices.map(|both| both.map(|(a, b)| a != b)).collect()
}

/// Counts what happened under each seed, by the place of the step in its episode.
fn count_windows(
    reference: &ComparableRun,
    seeds: &[Vec<Option<bool>>],
    resamples: &SeedResamples,
) -> Vec<TrajectoryWindow> {
    let length = usize::try_from(reference.header.steps_per_episode).unwrap_or(usize::MAX);
    (0..length)
        .step_by(WINDOW)
        .map(|first| {
            let last = (first + WINDOW).min(length);
            let counts: Vec<SeedWindow> = seeds
                .iter()
                .map(|steps| {
                    let episodes = steps.chunks(length);
                    let window = episodes
                        .flat_map(|it| it.iter().take(last).skip(first))
                        .flatten();
                    window.fold((0, 0), |(steps, count), happened| {
                        (steps + 1, count + u64::from(*happened))
                    })
                })
                .collect();
            summarize_window((first + 1, last), &counts, resamples)
        })
        .collect()
}

fn summarize_window(
    (first_step, last_step): (usize, usize),
    seeds: &[SeedWindow],
    resamples: &SeedResamples,
) -> TrajectoryWindow {
    let steps = seeds.iter().map(|(steps, _)| steps).sum();
    let count = seeds.iter().map(|(_, count)| count).sum();
    let estimate = |weights: &[i128]| {
        let weigh = |of: fn(&SeedWindow) -> u64| -> i128 {
            let seeds = seeds.iter().zip(weights);
            seeds
                .map(|(seed, weight)| i128::from(of(seed)) * weight)
                .sum()
        };
        let denominator = weigh(|(steps, _)| *steps);
        (denominator > 0).then(|| Fraction {
            numerator: weigh(|(_, count)| *count),
            denominator,
        })
    };
    let interval = resamples.find_interval(estimate);
    TrajectoryWindow {
        first_step,
        last_step,
        steps,
        count,
        share: Decimal::from_ratio(count.into(), steps.into()),
        interval: interval.map(|ends| ends.map(Fraction::to_decimal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(choices: &str) -> Vec<ComparedStep> {
        let step = |choice: char| ComparedStep {
            proposed: Some(choice.to_string()),
            refused: (choice == '-').then(|| "NO_JSON".to_owned()),
        };
        choices.chars().map(step).collect()
    }

    #[test]
    fn useless_answers_do_not_count() {
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(
            find_last_choices(&steps("aab-b-a")),
            [None, yes, no, None, yes, None, no]
        );
        assert_eq!(
            find_other_choices(&steps("aab-b"), &steps("abb-c")),
            [no, yes, no, None, yes]
        );
        assert_eq!(find_other_choices(&steps("a-"), &steps("-a")), [None, None]);
    }

    #[test]
    fn a_window_has_all_seeds() {
        let resamples = SeedResamples::draw(3);
        let found = summarize_window((6, 10), &[(10, 5), (10, 5), (10, 5)], &resamples);
        assert_eq!((found.steps, found.count), (30, 15));
        assert_eq!(found.share.to_string(), "0.5");
        assert_eq!(found.interval.map(|ends| ends[0] == ends[1]), Some(true));
        let found = summarize_window((6, 10), &[(10, 0), (10, 5), (10, 10)], &resamples);
        let [low, high] = found.interval.unwrap();
        assert!(low < found.share && found.share < high);
        let found = summarize_window((1, 5), &[(0, 0); 3], &resamples);
        assert_eq!((found.share, found.interval), (Decimal::default(), None));
    }
}
