//! One step (Q4): generate_raw, formal assistant, compile, record_precedent, mask, select, execute, in this
//! order and no other.

use axilog::evidence::observation::Failure;
use axilog::hash::Hash;
use strum::IntoStaticStr;

use super::answer_source::{AnswerSource, MissingText, ReceivedAnswer};
use super::artifact::Artifact;
use super::assistant::Rejection;
use super::compile::{CompileError, Constraints};
use super::environment::{Environment, IdSet, Place, Situation};
use super::error::AblationError;
use super::novelty::{ConflictHistory, Novelty, sign_situation};
use super::prompt_frame::PromptMeasures;

/// The answer to a step's prompt.
#[derive(Clone, Debug)]
pub struct GeneratedAnswer {
    /// The answer, as the ledger holds it.
    pub answer: ReceivedAnswer,
    /// What was measured on the prompt; `None` where its length is not held constant.
    pub measures: Option<PromptMeasures>,
}

/// What became of a step's precedent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum PrecedentOutcome {
    /// There was no precedent: this harness records none, or the artifact did not compile.
    None,
    /// The precedent was written; it has this many tokens in a prompt.
    Written(u64),
    /// A placebo was written in the precedent's place.
    Replaced {
        /// How many tokens the placebo has in a prompt.
        tokens: u64,
        /// How many tokens it has more than the precedent.
        length_gap: i64,
    },
    /// The precedent was not written, because writing is disabled.
    Blocked,
}

impl PrecedentOutcome {
    /// The outcome as run documents name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The stages of a step, in their order.
pub trait Harness {
    /// Prepares for the first step of an episode in `environment`; the step of `place` is 0.
    fn begin_episode(&mut self, environment: &dyn Environment, place: Place);

    /// Asks for an action and its justification. `None` where no further answer comes: somebody stopped
    /// the run, or its replay is at the end of its ledger.
    ///
    /// # Errors
    /// [`AblationError::Invalid`]; what the oracle or the ledger could not do.
    fn generate_raw(
        &mut self,
        situation: &Situation,
        step: u32,
        answers: &mut dyn AnswerSource,
    ) -> Result<Option<GeneratedAnswer>, AblationError>;

    /// Reads the artifact in an answer.
    ///
    /// # Errors
    /// Why the answer is rejected.
    fn assist(&self, text: &str, environment: &dyn Environment) -> Result<Artifact, Rejection>;

    /// Compiles an artifact into constraints.
    ///
    /// # Errors
    /// Why the artifact does not compile.
    fn compile(
        &self,
        artifact: &Artifact,
        situation: &Situation,
    ) -> Result<Constraints, CompileError>;

    /// Records the precedent of an artifact that compiled.
    ///
    /// # Errors
    /// [`AblationError::Tokens`].
    fn record_precedent(
        &mut self,
        artifact: &Artifact,
        step: u32,
    ) -> Result<PrecedentOutcome, AblationError>;

    /// The feasible actions that the constraints leave; all of them without constraints.
    fn mask(&self, situation: &Situation, constraints: Option<&Constraints>) -> IdSet;

    /// Selects an action of the mask without looking at the proposal, so that no justification can sway
    /// the choice.
    fn select(&self, mask: &IdSet, place: Place) -> String;

    /// Does the selected action.
    fn execute(&self, action: &str, environment: &mut dyn Environment);

    /// Signs the conflict of a situation (Q6); `None` without a conflict.
    fn sign_conflict(&self, situation: &Situation) -> Option<Hash> {
        sign_situation(situation)
    }
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct CompletedStep {
    /// Where in the run the step is.
    pub place: Place,
    /// The answer to the step's prompt.
    pub generated: GeneratedAnswer,
    /// The artifact that the assistant read, or why it rejected the answer.
    pub assisted: Result<Artifact, Rejection>,
    /// Whether the artifact compiled; `None` without an artifact.
    pub compiled: Option<Result<(), CompileError>>,
    /// What became of the precedent.
    pub precedent: PrecedentOutcome,
    /// Whether the step's conflict was new.
    pub novelty: Novelty,
    /// How many actions the mask left.
    pub mask_size: usize,
    /// The action that was done.
    pub action: String,
}

/// How a step ended.
pub enum StepOutcome {
    /// The step was taken.
    Completed(Box<CompletedStep>),
    /// The step was not taken, because no further answer comes.
    Ended,
    /// The step was not taken, because the oracle gave no answer after every attempt.
    Failed(Failure),
}

/// Takes one step.
///
/// # Errors
/// [`AblationError::Invalid`]; what the oracle or the ledger could not do.
pub fn take_step(
    harness: &mut dyn Harness,
    environment: &mut dyn Environment,
    answers: &mut dyn AnswerSource,
    history: &mut ConflictHistory,
    place: Place,
) -> Result<StepOutcome, AblationError> {
    let situation = environment.situation();
    let Some(generated) = harness.generate_raw(&situation, place.step, answers)? else {
        return Ok(StepOutcome::Ended);
    };
    let assisted = match &generated.answer.text {
        Ok(text) => harness.assist(text, environment),
        Err(MissingText::NotAdmitted) => Err(Rejection::NotAdmitted),
        Err(MissingText::Failed(failure)) => return Ok(StepOutcome::Failed(*failure)),
    };
    // Conflicts count only for steps that are taken, so that a run that stops here and its replay agree.
    let novelty = history.record(harness.sign_conflict(&situation));
    let compiled = assisted
        .as_ref()
        .ok()
        .map(|artifact| harness.compile(artifact, &situation));
    let precedent = match (&assisted, &compiled) {
        (Ok(artifact), Some(Ok(_))) => harness.record_precedent(artifact, place.step)?,
        _ => PrecedentOutcome::None,
    };
    let constraints = compiled
        .as_ref()
        .and_then(|compiled| compiled.as_ref().ok());
    let mask = harness.mask(&situation, constraints);
    let action = harness.select(&mask, place);
    harness.execute(&action, environment);
    Ok(StepOutcome::Completed(Box::new(CompletedStep {
        place,
        generated,
        assisted,
        compiled: compiled.map(|compiled| compiled.map(|_| ())),
        precedent,
        novelty,
        mask_size: mask.len(),
        action,
    })))
}
