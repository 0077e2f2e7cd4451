//! A run: episodes under seeds, and what makes one invalid as a whole.

use std::collections::BTreeSet;

use axilog::evidence::observation::Failure;
use axilog_oracle::Question;

use super::answer_source::{AnswerSource, ReceivedAnswer};
use super::environment::{Environment, Place};
use super::error::AblationError;
use super::invalid_run::{InvalidReason, InvalidRun};
use super::novelty::ConflictHistory;
use super::pipeline::{CompletedStep, Harness, PrecedentOutcome, StepOutcome, take_step};
use super::variant::Variant;

/// The fewest steps in which a precedent is written, read, and told from the next (Q8).
pub const MIN_STEPS: u32 = 3;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// The run is whole and valid.
    Valid,
    /// The run became invalid at a step and counts for nothing.
    Invalid(InvalidRun, Place),
    /// Somebody stopped the run before this step.
    Interrupted(Place),
    /// The oracle gave no answer at this step.
    NoAnswer(Failure, Place),
}

/// An episode, whole or as far as it went.
#[derive(Clone, Debug)]
pub struct Episode {
    /// The episode's number under its seed, from 0.
    pub episode: u32,
    /// The steps that were taken.
    pub steps: Vec<CompletedStep>,
    /// How many different conflicts the episode had.
    pub distinct_signatures: usize,
}

impl Episode {
    /// How many precedents were written, placebos among them.
    #[must_use]
    pub fn written_count(&self) -> u64 {
        self.count(|step| {
            matches!(
                step.precedent,
                PrecedentOutcome::Written(_) | PrecedentOutcome::Replaced { .. }
            )
        })
    }

    /// How many attempts to write a precedent were blocked.
    #[must_use]
    pub fn blocked_count(&self) -> u64 {
        self.count(|step| step.precedent == PrecedentOutcome::Blocked)
    }

    /// How many steps had a conflict that was new in the episode.
    #[must_use]
    pub fn novel_count(&self) -> u64 {
        self.count(|step| step.novelty.is_novel)
    }

    fn count(&self, is_counted: impl Fn(&CompletedStep) -> bool) -> u64 {
        self.steps.iter().filter(|step| is_counted(step)).count() as u64
    }
}

/// A run, whole or as far as it went.
#[derive(Clone, Debug)]
pub struct Run {
    /// How the run ended.
    pub status: RunStatus,
    /// The episodes under each seed, in order.
    pub seeds: Vec<(u64, Vec<Episode>)>,
}

impl Run {
    /// Every episode of every seed.
    pub fn episodes(&self) -> impl Iterator<Item = &Episode> {
        self.seeds.iter().flat_map(|(_, episodes)| episodes)
    }

    /// Every step of every episode.
    pub fn steps(&self) -> impl Iterator<Item = &CompletedStep> {
        self.episodes().flat_map(|episode| &episode.steps)
    }
}

/// What to run.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The variant.
    pub variant: Variant,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// How many episodes to run under each seed.
    pub episodes: u32,
}

impl RunPlan {
    /// How many steps the plan has in `environment`.
    #[must_use]
    pub fn step_count(&self, environment: &dyn Environment) -> u64 {
        self.seeds.len() as u64
            * u64::from(self.episodes)
            * u64::from(environment.steps_per_episode())
    }

    /// Checks that the plan can be run in `environment`.
    ///
    /// # Errors
    /// [`AblationError::EmptyPlan`], [`AblationError::DuplicateSeed`],
    /// [`AblationError::EpisodeTooShort`].
    pub fn check(&self, environment: &dyn Environment) -> Result<(), AblationError> {
        let mut distinct = BTreeSet::new();
        if let Some(duplicate) = self.seeds.iter().find(|seed| !distinct.insert(**seed)) {
            return Err(AblationError::DuplicateSeed(*duplicate));
        }
        if self.seeds.is_empty() || self.episodes == 0 {
            return Err(AblationError::EmptyPlan);
        }
        let steps = environment.steps_per_episode();
        if steps < MIN_STEPS {
            return Err(AblationError::EpisodeTooShort {
                environment: environment.id().to_owned(),
                steps,
            });
        }
        Ok(())
    }
}

/// A source that gives answers until somebody stops the run. It stops where a question would be put,
/// after the gates that the prompt went through, so that a replay, whose answers end there, agrees.
struct StoppableSource<'a> {
    answers: &'a mut dyn AnswerSource,
    should_continue: &'a mut dyn FnMut(u64) -> bool,
    steps_taken: &'a mut u64,
    server: &'a mut ServerCheck,
    /// The seed whose first question has not been put.
    unbegun: Option<u64>,
}

impl AnswerSource for StoppableSource<'_> {
    fn ask(&mut self, question: &Question) -> Result<Option<ReceivedAnswer>, AblationError> {
        if !(self.should_continue)(*self.steps_taken) {
            return Ok(None);
        }
        if let Some(seed) = self.unbegun.take() {
            self.answers.begin_seed(seed)?;
        }
        let answer = self.answers.ask(question)?;
        if let Some(answer) = &answer {
            self.server.check(answer)?;
        }
        Ok(answer)
    }
}

/// What the server said of the first answer that it said it of. It must say the same of every other one.
#[derive(Default)]
struct ServerCheck {
    model: Option<(u64, String)>,
    prompt_tokens: Option<(u64, u64)>,
}

impl ServerCheck {
    /// Checks that `answer` comes from the model that answered before, and that the server counts as many tokens
    /// in its prompt as in the prompts before (Gate P4).
    fn check(&mut self, answer: &ReceivedAnswer) -> Result<(), InvalidRun> {
        let (seq, facts) = (answer.ledger_seq, &answer.facts);
        if let Some(found) = &facts.answered_by {
            let (first, model) = self.model.get_or_insert_with(|| (seq, found.clone()));
            if model != found {
                let detail = format!(
                    "{found:?} gave the answer in record {seq}, and {model:?} the one in record {first}"
                );
                return Err(InvalidRun::new(InvalidReason::ModelChanged, detail));
            }
        }
        if let Some(found) = facts.prompt_tokens {
            let (first, tokens) = *self.prompt_tokens.get_or_insert((seq, found));
            if tokens != found {
                let detail = format!(
                    "the server counts {found} tokens in the prompt of record {seq}, and {tokens} in that of record {first}: it does not count in the tokens of this tokenizer"
                );
                return Err(InvalidRun::new(InvalidReason::ShadowPersistence, detail));
            }
        }
        Ok(())
    }
}

/// Runs `plan`. `new_harness` makes a harness for each seed. `should_continue` is called before each
/// question with the number of steps taken; the run stops where it gives `false`.
///
/// # Errors
/// As [`RunPlan::check`]; what the oracle, the ledger or the tokenizer could not do. An invalid run is
/// a [`RunStatus`].
pub fn run_plan(
    plan: &RunPlan,
    environment: &mut dyn Environment,
    new_harness: &mut dyn FnMut() -> Box<dyn Harness>,
    answers: &mut dyn AnswerSource,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Result<Run, AblationError> {
    let mut run = RunInProgress::new(plan.clone(), environment)?;
    while run.next_seed().is_some() {
        run.run_next_seed(environment, new_harness, answers, should_continue)?;
    }
    Ok(run.finish())
}

/// A run that goes on from seed to seed.
pub struct RunInProgress {
    plan: RunPlan,
    seeds: Vec<(u64, Vec<Episode>)>,
    server: ServerCheck,
    steps_taken: u64,
    /// Why the run ended before its last seed.
    ended: Option<RunStatus>,
}

impl RunInProgress {
    /// A run of `plan` that is before its first seed.
    ///
    /// # Errors
    /// As [`RunPlan::check`].
    pub fn new(
        plan: RunPlan,
        environment: &dyn Environment,
    ) -> Result<RunInProgress, AblationError> {
        plan.check(environment)?;
        Ok(RunInProgress {
            plan,
            seeds: Vec::new(),
            server: ServerCheck::default(),
            steps_taken: 0,
            ended: None,
        })
    }

    /// The seed that is next; `None` where the run has ended.
    #[must_use]
    pub fn next_seed(&self) -> Option<u64> {
        match self.ended {
            Some(_) => None,
            None => self.plan.seeds.get(self.seeds.len()).copied(),
        }
    }

    /// How many steps were taken.
    #[must_use]
    pub fn steps_taken(&self) -> u64 {
        self.steps_taken
    }

    /// Why the run ended before its last seed; `None` where it did not.
    #[must_use]
    pub fn ended(&self) -> Option<&RunStatus> {
        self.ended.as_ref()
    }

    /// The model that gave the answers so far, as the server names it.
    #[must_use]
    pub fn answered_by(&self) -> Option<&str> {
        self.server.model.as_ref().map(|(_, model)| model.as_str())
    }

    /// The tokens that the server counts in each prompt.
    #[must_use]
    pub fn prompt_tokens(&self) -> Option<u64> {
        self.server.prompt_tokens.map(|(_, tokens)| tokens)
    }

    /// Runs the episodes under the next seed, with what [`run_plan`] takes.
    ///
    /// # Errors
    /// As [`run_plan`].
    pub fn run_next_seed(
        &mut self,
        environment: &mut dyn Environment,
        new_harness: &mut dyn FnMut() -> Box<dyn Harness>,
        answers: &mut dyn AnswerSource,
        should_continue: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), AblationError> {
        let Some(seed) = self.next_seed() else {
            return Ok(());
        };
        let mut answers = StoppableSource {
            answers,
            should_continue,
            steps_taken: &mut self.steps_taken,
            server: &mut self.server,
            unbegun: Some(seed),
        };
        let mut harness = new_harness();
        let mut episodes = Vec::new();
        for number in 0..self.plan.episodes {
            let place = Place {
                seed,
                episode: number,
                step: 0,
            };
            environment.begin_episode(place);
            harness.begin_episode(environment, place);
            let (episode, stopped) = run_episode(&mut *harness, environment, &mut answers, place)?;
            self.ended =
                stopped.or_else(|| check_whole_episode(self.plan.variant, &episode, place));
            episodes.push(episode);
            if self.ended.is_some() {
                break;
            }
        }
        self.seeds.push((seed, episodes));
        Ok(())
    }

    /// The run as far as it went; valid where it ended with its last seed, unless the whole of it is invalid.
    #[must_use]
    pub fn finish(self) -> Run {
        let mut run = Run {
            status: RunStatus::Valid,
            seeds: self.seeds,
        };
        let ended = self.ended;
        if let Some(status) = ended.or_else(|| check_whole_run(self.plan.variant, &run)) {
            run.status = status;
        }
        run
    }
}

/// Runs an episode; the status is why the episode is not whole.
fn run_episode(
    harness: &mut dyn Harness,
    environment: &mut dyn Environment,
    answers: &mut StoppableSource<'_>,
    mut place: Place,
) -> Result<(Episode, Option<RunStatus>), AblationError> {
    let mut history = ConflictHistory::default();
    let mut steps = Vec::new();
    let mut stopped = None;
    for number in 0..environment.steps_per_episode() {
        place.step = number;
        match take_step(harness, environment, answers, &mut history, place) {
            Ok(StepOutcome::Completed(step)) => steps.push(*step),
            Ok(StepOutcome::Ended) => stopped = Some(RunStatus::Interrupted(place)),
            Ok(StepOutcome::Failed(failure)) => stopped = Some(RunStatus::NoAnswer(failure, place)),
            Err(AblationError::Invalid(invalid)) => {
                stopped = Some(RunStatus::Invalid(invalid, place));
            }
            Err(error) => return Err(error),
        }
        if stopped.is_some() {
            break;
        }
        *answers.steps_taken += 1;
    }
    let episode = Episode {
        episode: place.episode,
        steps,
        distinct_signatures: history.distinct_count(),
    };
    Ok((episode, stopped))
}

/// Checks a whole episode; the status is why it makes the run invalid.
fn check_whole_episode(variant: Variant, episode: &Episode, place: Place) -> Option<RunStatus> {
    let (reason, detail) = match variant {
        _ if variant.fills_every_episode() && episode.written_count() == 0 => (
            InvalidReason::BaselineNotInstantiated,
            "no step of the episode recorded a precedent: no answer compiled",
        ),
        Variant::B if episode.novel_count() == 0 => (
            InvalidReason::InsufficientPressure,
            "no step of the episode had a conflict that was new in it",
        ),
        _ => return None,
    };
    let step = u32::try_from(episode.steps.len())
        .unwrap_or(u32::MAX)
        .saturating_sub(1);
    Some(RunStatus::Invalid(
        InvalidRun::new(reason, detail),
        Place { step, ..place },
    ))
}

/// Checks a whole run; the status is why it is invalid. The base harness stays what it was in v3.0, and
/// has no such rule.
fn check_whole_run(variant: Variant, run: &Run) -> Option<RunStatus> {
    let is_useful = |step: &CompletedStep| matches!(step.compiled, Some(Ok(())));
    if variant == Variant::V300 || run.steps().any(is_useful) {
        return None;
    }
    let last = run.steps().last()?;
    let detail = "no answer of the run compiled, so every action was drawn from all feasible ones";
    let invalid = InvalidRun::new(InvalidReason::NoUsefulAnswer, detail);
    Some(RunStatus::Invalid(invalid, last.place))
}
