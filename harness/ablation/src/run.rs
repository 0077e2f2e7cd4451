//! A run: episodes under seeds, and what makes one invalid as a whole.

use std::collections::BTreeSet;

use axilog::evidence::observation::Failure;
use axilog_oracle::Question;

use super::answers::{Answered, Answers};
use super::draw::Place;
use super::environment::Environment;
use super::error::AblationError;
use super::invalid::{Invalid, Reason, Stop};
use super::novelty::History;
use super::pipeline::{Recorded, Stages, Step, Stepped, step};
use super::v310::Variant;

/// The fewest steps in which a precedent is written, read, and told from the next (Q8).
pub const MIN_STEPS: u32 = 3;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Whole and valid.
    Valid,
    /// It counts for nothing.
    Invalid(Invalid, Place),
    /// Somebody stopped it where a step ended; the next step would have been this one.
    Interrupted(Place),
    /// The oracle gave no answer at this step.
    NoAnswer(Failure, Place),
}

/// An episode, whole or as far as it went.
#[derive(Clone, Debug)]
pub struct Episode {
    /// Its number under its seed, from 0.
    pub episode: u32,
    /// Its steps.
    pub steps: Vec<Step>,
    /// How many different conflicts it had.
    pub distinct_signatures: usize,
}

impl Episode {
    /// How many precedents were written.
    #[must_use]
    pub fn written(&self) -> usize {
        let written = |step: &&Step| matches!(step.recorded, Recorded::Written(_));
        self.steps.iter().filter(written).count()
    }

    /// How many attempts to write one were blocked.
    #[must_use]
    pub fn blocked(&self) -> usize {
        let blocked = |step: &&Step| step.recorded == Recorded::Blocked;
        self.steps.iter().filter(blocked).count()
    }

    /// How many of its steps had a conflict that was new in it.
    #[must_use]
    pub fn novel(&self) -> usize {
        self.steps.iter().filter(|step| step.novelty.novel).count()
    }
}

/// A run, whole or as far as it went.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub status: Status,
    /// The episodes under each seed, in order.
    pub seeds: Vec<(u64, Vec<Episode>)>,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is taken away.
    pub variant: Variant,
    /// Under which seeds.
    pub seeds: Vec<u64>,
    /// How many episodes under each.
    pub episodes: u32,
}

impl Plan {
    /// How many steps it has in `environment`.
    #[must_use]
    pub fn steps(&self, environment: &dyn Environment) -> u64 {
        self.seeds.len() as u64
            * u64::from(self.episodes)
            * u64::from(environment.steps_per_episode())
    }

    /// Whether it can be run in `environment`.
    ///
    /// # Errors
    /// [`AblationError::NothingToRun`], [`AblationError::SeedTwice`],
    /// [`AblationError::ShortEpisodes`].
    pub fn check(&self, environment: &dyn Environment) -> Result<(), AblationError> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.seeds.iter().find(|seed| !seen.insert(**seed)) {
            return Err(AblationError::SeedTwice(*twice));
        }
        if self.seeds.is_empty() || self.episodes == 0 {
            return Err(AblationError::NothingToRun);
        }
        let steps = environment.steps_per_episode();
        if steps < MIN_STEPS {
            return Err(AblationError::ShortEpisodes {
                environment: environment.id().to_owned(),
                steps,
            });
        }
        Ok(())
    }
}

/// Answers until somebody stops it. It stops where a question would be put, behind the gates that its prompt
/// went through: a replay, whose answers end there, has seen the same.
struct Until<'a> {
    answers: &'a mut dyn Answers,
    go_on: &'a mut dyn FnMut(u64) -> bool,
    /// How many steps are done.
    done: u64,
}

impl Answers for Until<'_> {
    fn ask(&mut self, question: &Question) -> Result<Option<Answered>, AblationError> {
        match (self.go_on)(self.done) {
            true => self.answers.ask(question),
            false => Ok(None),
        }
    }
}

/// Runs `plan`. `stages` makes a fresh harness for each seed; `go_on` is asked before each question, told
/// how many steps are done, and stops the run with `false`.
///
/// # Errors
/// As [`Plan::check`]; what the oracle, the ledger or the tokenizer could not do. An invalid run is no
/// error.
pub fn run(
    plan: &Plan,
    environment: &mut dyn Environment,
    stages: &mut dyn FnMut() -> Box<dyn Stages>,
    answers: &mut dyn Answers,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Run, AblationError> {
    plan.check(environment)?;
    let mut answers = Until {
        answers,
        go_on,
        done: 0,
    };
    let mut run = Run {
        status: Status::Valid,
        seeds: Vec::new(),
    };
    for seed in &plan.seeds {
        let mut harness = stages();
        run.seeds.push((*seed, Vec::new()));
        for episode in 0..plan.episodes {
            let place = Place {
                seed: *seed,
                episode,
                step: 0,
            };
            environment.begin(place);
            harness.begin_episode();
            let (found, ended) = self::episode(&mut *harness, environment, &mut answers, place)?;
            let ended = ended.or_else(|| after(plan.variant, &found, place));
            if let Some((_, episodes)) = run.seeds.last_mut() {
                episodes.push(found);
            }
            if let Some(status) = ended {
                run.status = status;
                return Ok(run);
            }
        }
    }
    Ok(run)
}

/// Runs an episode; the second is why it is not whole.
fn episode(
    stages: &mut dyn Stages,
    environment: &mut dyn Environment,
    answers: &mut Until<'_>,
    mut place: Place,
) -> Result<(Episode, Option<Status>), AblationError> {
    let mut history = History::default();
    let mut steps = Vec::new();
    let mut ended = None;
    for number in 0..environment.steps_per_episode() {
        place.step = number;
        match step(stages, environment, answers, &mut history, place) {
            Ok(Stepped::Done(step)) => steps.push(*step),
            Ok(Stepped::Ended) => ended = Some(Status::Interrupted(place)),
            Ok(Stepped::Failed(failure)) => ended = Some(Status::NoAnswer(failure, place)),
            Err(Stop::Invalid(invalid)) => ended = Some(Status::Invalid(invalid, place)),
            Err(Stop::Error(error)) => return Err(error),
        }
        if ended.is_some() {
            break;
        }
        answers.done += 1;
    }
    let episode = Episode {
        episode: place.episode,
        steps,
        distinct_signatures: history.distinct(),
    };
    Ok((episode, ended))
}

/// What makes a run invalid once an episode is whole.
fn after(variant: Variant, episode: &Episode, place: Place) -> Option<Status> {
    let (reason, detail) = match variant {
        Variant::Baseline if episode.written() == 0 => (
            Reason::BaselineNotInstantiated,
            "no step of the episode recorded a precedent: no answer compiled",
        ),
        Variant::B if episode.novel() == 0 => (
            Reason::InsufficientPressure,
            "no step of the episode had a conflict that was new in it",
        ),
        _ => return None,
    };
    let step = u32::try_from(episode.steps.len())
        .unwrap_or(u32::MAX)
        .saturating_sub(1);
    Some(Status::Invalid(
        Invalid::new(reason, detail),
        Place { step, ..place },
    ))
}
