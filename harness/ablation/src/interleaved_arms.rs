//! The arms of an experiment, run side by side: under each seed every arm takes its turn, and then comes the next seed.
//!
//! A server that drifts meanwhile so meets every arm alike, and its drift cannot look like what an arm changes.

use std::path::PathBuf;

use super::arm_conditions::{ArmConditions, check_conditions};
use super::environment::Environment;
use super::error::AblationError;
use super::experiment::build_harness;
use super::experiment_plan::ExperimentPlan;
use super::header::RunHeader;
use super::invalid_comparison::InvalidComparison;
use super::prompt::build_base_system_message;
use super::prompt_frame::PromptFrame;
use super::resumed_answers::ResumedAnswers;
use super::run::{Run, RunInProgress, RunStatus};
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

    /// Runs the next seed. `should_continue` is called before each question to the oracle.
    fn take_turn(
        &mut self,
        frame: Option<&PromptFrame>,
        should_continue: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), AblationError> {
        let recorded_steps = self.recorded_steps;
        let system = build_base_system_message(&*self.environment);
        let header = &self.header;
        self.run.run_next_seed(
            &mut *self.environment,
            &mut || build_harness(header, &system, frame),
            &mut self.answers,
            &mut |steps| steps < recorded_steps || should_continue(steps),
        )?;
        self.reached = self.answers.sync(header.variant)?;
        Ok(())
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
/// before each question with the number of steps that all arms have taken; everything stops where it gives `false`.
///
/// # Errors
/// As [`run_plan`](super::run::run_plan), and what a ledger could not record.
pub fn run_interleaved(
    arms: &mut [OpenArm],
    closed: &[ArmHead],
    plan: Option<&ExperimentPlan>,
    frame: Option<&PromptFrame>,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Result<Ending, AblationError> {
    let ending = take_turns(arms, closed, plan, frame, should_continue)?;
    for arm in arms.iter_mut() {
        arm.stop(frame)?;
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

fn take_turns(
    arms: &mut [OpenArm],
    closed: &[ArmHead],
    plan: Option<&ExperimentPlan>,
    frame: Option<&PromptFrame>,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Result<Ending, AblationError> {
    let seed_count = arms.iter().map(|arm| arm.header.seeds.len()).max();
    for number in 0..seed_count.unwrap_or(0) {
        let turns = plan.and_then(|plan| plan.turns.get(number));
        let order: Vec<Variant> = match turns {
            Some(turns) => turns.arms.clone(),
            None => arms.iter().map(|arm| arm.header.variant).collect(),
        };
        for variant in order {
            let Some(place) = arms.iter().position(|arm| arm.header.variant == variant) else {
                continue;
            };
            let heads = plan.map(|plan| list_other_heads(plan, arms, closed, variant));
            let others = arms.iter().filter(|arm| arm.header.variant != variant);
            let others: u64 = others.map(|arm| arm.run.steps_taken()).sum();
            let Some(arm) = arms
                .get_mut(place)
                .filter(|arm| arm.run.next_seed().is_some())
            else {
                continue;
            };
            if let Some(heads) = heads {
                arm.answers.set_heads(heads);
            }
            arm.take_turn(frame, &mut |steps| should_continue(others + steps))?;
            match arm.run.ended() {
                Some(RunStatus::Interrupted(_) | RunStatus::NoAnswer(..)) => {
                    return Ok(Ending::Stopped(variant));
                }
                // Every other arm is held against it.
                Some(RunStatus::Invalid(..)) if variant == Variant::Baseline => {
                    return Ok(Ending::Over);
                }
                _ => {}
            }
            let conditions: Vec<ArmConditions<'_>> =
                arms.iter().filter_map(OpenArm::conditions).collect();
            if let Err(difference) = check_conditions(&conditions) {
                return Ok(Ending::Incomparable(difference));
            }
        }
    }
    Ok(Ending::Over)
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
