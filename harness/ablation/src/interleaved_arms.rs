//! The arms of an experiment, run side by side: under each seed every arm takes its turn, and then comes the next seed.
//!
//! A server that drifts meanwhile so meets every arm alike, and its drift cannot look like what an arm changes.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use axilog_ledger::file::durable_watch::DurableWatch;

use super::arm_conditions::{ArmConditions, check_conditions};
use super::environment::Environment;
use super::error::AblationError;
use super::experiment::build_harness;
use super::experiment_plan::ExperimentPlan;
use super::header::RunHeader;
use super::invalid_comparison::InvalidComparison;
use super::kept_answers::{remove_all_kept_answers, remove_kept_answers};
use super::prompt::build_base_system_message;
use super::prompt_frame::PromptFrame;
use super::resumed_answers::ResumedAnswers;
use super::run::{Run, RunInProgress, RunStatus};
use super::side_by_side::{ArmAhead, SeedTask, SideBySide, Workshop};
use super::statements::ArmHead;
use super::variant::Variant;

/// An arm of an experiment, or a run by itself, whose ledger is open.
pub struct OpenArm {
    dir: PathBuf,
    header: RunHeader,
    environment: Box<dyn Environment>,
    answers: ResumedAnswers,
    run: RunInProgress,
    /// How far the ledger had come when the arm's last turn was over.
    reached: ArmHead,
    /// How many steps follow from answers that the ledger held when it was opened.
    recorded_steps: u64,
}

impl OpenArm {
    /// The arm of `header` in the directory `dir`, which puts its questions to `answers`.
    ///
    /// # Errors
    /// As [`RunInProgress::new`] and [`ResumedAnswers::sync`].
    pub fn new(
        dir: PathBuf,
        header: RunHeader,
        environment: Box<dyn Environment>,
        mut answers: ResumedAnswers,
    ) -> Result<OpenArm, AblationError> {
        Ok(OpenArm {
            dir,
            run: RunInProgress::new(header.plan(), &*environment)?,
            reached: answers.sync(header.variant)?,
            recorded_steps: answers.recorded_count(),
            header,
            environment,
            answers,
        })
    }

    /// How many steps follow from answers that the ledger held when it was opened.
    #[must_use]
    pub fn recorded_steps(&self) -> u64 {
        self.recorded_steps
    }

    /// How many steps the arm takes where it ends with its last seed.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.header.plan().step_count(&*self.environment)
    }

    /// The variant of the arm.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.header.variant
    }

    /// Tells `watch` how far the ledger is durable, now and from now on.
    pub fn report_durable_to(&mut self, watch: DurableWatch) {
        self.answers.report_durable_to(watch);
    }

    /// Makes the ledger durable and gives the header, the run, and why the oracle gave no answer to the last question.
    ///
    /// # Errors
    /// As [`RecordingOracle::finish`](super::recording_oracle::RecordingOracle::finish).
    pub fn finish(self) -> Result<(RunHeader, Run, Option<String>), AblationError> {
        let oracle = self.answers.into_oracle();
        let fault = oracle.last_fault().map(str::to_owned);
        oracle.finish()?;
        Ok((self.header, self.run.finish(), fault))
    }

    /// The conditions under which the arm's answers were given so far; `None` where the arm is invalid.
    fn conditions(&self) -> Option<ArmConditions<'_>> {
        if let Some(RunStatus::Invalid(..)) = self.run.ended() {
            return None;
        }
        Some(ArmConditions {
            dir: &self.dir,
            environment: self.header.environment_key(),
            oracle: (&self.header.provider, &self.header.model_id),
            sampling: self.header.sampling,
            answered_by: self.run.answered_by(),
            prompt_tokens: self.run.prompt_tokens(),
        })
    }

    /// Ends the run where the next question would be put to the oracle: what the ledger holds is of the run.
    fn stop(&mut self, frame: Option<&PromptFrame>) -> Result<(), AblationError> {
        while self.run.next_seed().is_some() {
            self.take_turn(frame, &mut |_| false)?;
        }
        Ok(())
    }

    /// What those need to know of the arm who ask ahead.
    fn describe_ahead(&self) -> ArmAhead {
        let recorded = self.answers.list_recorded_texts();
        ArmAhead::new(self.header.clone(), self.dir.clone(), recorded)
    }

    /// Removes the answers under `seed` that were kept for the ledger, where it holds them all.
    fn remove_kept(&mut self, seed: Option<u64>) -> Result<(), AblationError> {
        match (self.run.ended(), seed) {
            (None, Some(seed)) => remove_kept_answers(&self.dir, seed),
            // What others ask ahead is of no use to an arm that has ended.
            _ => {
                self.answers.end_asking();
                Ok(())
            }
        }
    }

    /// Runs the next seed. `should_continue` is called before each question to the oracle.
    fn take_turn(
        &mut self,
        frame: Option<&PromptFrame>,
        should_continue: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), AblationError> {
        let (recorded_steps, seed) = (self.recorded_steps, self.run.next_seed());
        let system = build_base_system_message(&*self.environment);
        let header = &self.header;
        self.run.run_next_seed(
            &mut *self.environment,
            &mut || build_harness(header, &system, frame),
            &mut self.answers,
            &mut |steps| steps < recorded_steps || should_continue(steps),
        )?;
        self.reached = self.answers.sync(header.variant)?;
        self.remove_kept(seed)
    }
}

/// How the arms ended.
#[derive(Debug)]
pub enum Ending {
    /// Every arm ran as far as it goes, or the baseline is invalid, so that there is nothing to hold the others against.
    Over,
    /// Somebody stopped the experiment, or an oracle gave no answer to this arm.
    Stopped(Variant),
    /// The conditions of two arms differ, so that they can no longer be compared.
    Incomparable(InvalidComparison),
}

/// Runs `arms`, which have the same seeds, turn by turn. Under `plan` the turns are in its order, each arm records before
/// each of its turns how far the others have come, and all say it when the experiment is over. `closed` are the arms of
/// the plan that say so already. Without a plan the arms take their turns as they stand. `should_continue` is called
/// before each question with the number of steps that all arms have taken; everything stops where it gives `false`. With
/// `side` others ask ahead, and the arms take their turns and record as they do without.
///
/// # Errors
/// As [`run_plan`](super::run::run_plan), and what a ledger could not record.
pub fn run_interleaved(
    arms: &mut [OpenArm],
    closed: &[ArmHead],
    plan: Option<&ExperimentPlan>,
    frame: Option<&PromptFrame>,
    side: Option<&SideBySide<'_>>,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Result<Ending, AblationError> {
    let mut turns = Turns {
        arms: &mut *arms,
        closed,
        plan,
        frame,
    };
    let ending = match side {
        None => turns.take(None, should_continue),
        Some(side) => turns.take_side_by_side(side, should_continue),
    }?;
    for arm in arms.iter_mut() {
        arm.stop(frame)?;
        if !matches!(ending, Ending::Stopped(_)) {
            remove_all_kept_answers(&arm.dir)?;
        }
    }
    if let (Ending::Over, Some(plan)) = (&ending, plan) {
        for place in 0..arms.len() {
            let heads = |arm| list_other_heads(plan, arms, closed, arm);
            let Some(heads) = arms.get(place).map(|arm| heads(arm.header.variant)) else {
                continue;
            };
            if let Some(arm) = arms.get_mut(place) {
                arm.answers.close(heads)?;
                arm.reached = arm.answers.sync(arm.header.variant)?;
            }
        }
    }
    Ok(ending)
}

/// The arms that take turns, and in which order.
struct Turns<'a> {
    arms: &'a mut [OpenArm],
    closed: &'a [ArmHead],
    plan: Option<&'a ExperimentPlan>,
    frame: Option<&'a PromptFrame>,
}

impl Turns<'_> {
    /// Lets the arms take their turns, whose answers others ask ahead for so many seeds at once.
    fn take_side_by_side(
        &mut self,
        side: &SideBySide<'_>,
        should_continue: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Ending, AblationError> {
        let arms: Vec<ArmAhead> = self.arms.iter().map(OpenArm::describe_ahead).collect();
        let workshop = Workshop::new(side, &arms, self.frame);
        let (sender, tasks) = channel();
        let tasks = Arc::new(Mutex::new(tasks));
        thread::scope(|scope| {
            for _ in 0..side.seeds {
                let tasks = Arc::clone(&tasks);
                scope.spawn(|| workshop.work(tasks));
            }
            // The workers alone hold the tasks: where none is left, nothing is waited for.
            drop(tasks);
            let ending = self.take(Some((sender, side.seeds)), should_continue);
            workshop.close();
            for arm in self.arms.iter_mut() {
                arm.answers.end_asking();
            }
            ending
        })
    }

    /// Lets the arms take their turns. `ahead` is where seeds go that are asked ahead, and how many at once.
    fn take(
        &mut self,
        ahead: Option<(Sender<SeedTask>, usize)>,
        should_continue: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Ending, AblationError> {
        let seed_count = self.arms.iter().map(|arm| arm.header.seeds.len()).max();
        let mut begun = 0;
        for number in 0..seed_count.unwrap_or(0) {
            if let Some((tasks, seeds)) = &ahead {
                while begun < number + seeds {
                    if let Some(task) = self.begin_seed(begun) {
                        // Where no worker is left the answers end, and the run stops.
                        let _ = tasks.send(task);
                    }
                    begun += 1;
                }
            }
            for variant in self.list_order(number) {
                if let Some(ending) = self.take_turn(variant, should_continue)? {
                    return Ok(ending);
                }
            }
        }
        Ok(Ending::Over)
    }

    /// The arms in the order of their turns under the seed at the place `number`.
    fn list_order(&self, number: usize) -> Vec<Variant> {
        match self.plan.and_then(|plan| plan.turns.get(number)) {
            Some(turns) => turns.arms.clone(),
            None => self.arms.iter().map(|arm| arm.header.variant).collect(),
        }
    }

    /// Makes the task of asking ahead under the seed at the place `number`; `None` where there is no such seed.
    fn begin_seed(&mut self, number: usize) -> Option<SeedTask> {
        let mut task = None;
        for variant in self.list_order(number) {
            let place = self
                .arms
                .iter()
                .position(|arm| arm.header.variant == variant);
            let Some((place, arm)) =
                place.and_then(|place| Some((place, self.arms.get_mut(place)?)))
            else {
                continue;
            };
            let Some(seed) = arm.header.seeds.get(number).copied() else {
                continue;
            };
            let task = task.get_or_insert(SeedTask {
                place: number,
                seed,
                turns: Vec::new(),
            });
            if arm.run.ended().is_none() {
                let (sender, exchanges) = channel();
                arm.answers.expect_seed(seed, exchanges);
                task.turns.push((place, sender));
            }
        }
        task
    }

    /// Lets an arm take its next turn; gives how the arms end, if they do.
    fn take_turn(
        &mut self,
        variant: Variant,
        should_continue: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<Ending>, AblationError> {
        let heads = self
            .plan
            .map(|plan| list_other_heads(plan, self.arms, self.closed, variant));
        let others = self.arms.iter().filter(|arm| arm.header.variant != variant);
        let others: u64 = others.map(|arm| arm.run.steps_taken()).sum();
        let mut arms = self.arms.iter_mut();
        let arm = arms.find(|arm| arm.header.variant == variant && arm.run.next_seed().is_some());
        let Some(arm) = arm else {
            return Ok(None);
        };
        if let Some(heads) = heads {
            arm.answers.set_heads(heads);
        }
        arm.take_turn(self.frame, &mut |steps| should_continue(others + steps))?;
        match arm.run.ended() {
            Some(RunStatus::Interrupted(_) | RunStatus::NoAnswer(..)) => {
                return Ok(Some(Ending::Stopped(variant)));
            }
            // Every other arm is held against it.
            Some(RunStatus::Invalid(..)) if variant == Variant::Baseline => {
                return Ok(Some(Ending::Over));
            }
            _ => {}
        }
        let conditions: Vec<ArmConditions<'_>> =
            self.arms.iter().filter_map(OpenArm::conditions).collect();
        Ok(check_conditions(&conditions)
            .err()
            .map(Ending::Incomparable))
    }
}

/// How far the ledgers of all arms of `plan` but `arm` have come.
fn list_other_heads(
    plan: &ExperimentPlan,
    arms: &[OpenArm],
    closed: &[ArmHead],
    arm: Variant,
) -> Vec<ArmHead> {
    let others = plan.arms.iter().filter(|planned| planned.arm != arm);
    let reached = |wanted: Variant| {
        let mut all = arms.iter().map(|arm| &arm.reached).chain(closed);
        all.find(|head| head.arm == wanted).cloned()
    };
    others.filter_map(|planned| reached(planned.arm)).collect()
}
