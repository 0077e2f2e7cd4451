//! One step (Q4): generate_raw, formal assistant, compile, record_precedent, mask, select, execute, in this
//! order and no other.

use axilog::evidence::observation::Failure;

use super::answers::{Answered, Answers, NoAnswer};
use super::artifact::{Artifact, Rejection};
use super::compile::{CompileError, Constraints};
use super::draw::Place;
use super::environment::{Environment, Ids, Situation};
use super::invalid::Stop;
use super::novelty::{History, Novelty};
use super::prompt::Measures;

/// What the oracle was asked and what came back.
#[derive(Clone, Debug)]
pub struct Generated {
    /// What came back.
    pub answered: Answered,
    /// What the prompt measures; `None` where its length is not held.
    pub measures: Option<Measures>,
}

/// What became of a precedent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// There was none to record: this harness records none, or the artifact did not compile.
    None,
    /// Written; so many tokens as it goes into prompts.
    Written(u64),
    /// Not written, because writing is disabled.
    Blocked,
}

impl Recorded {
    /// As run documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Recorded::None => "NONE",
            Recorded::Written(_) => "WRITTEN",
            Recorded::Blocked => "BLOCKED",
        }
    }
}

/// The stages of a harness, in the order of a step.
pub trait Stages {
    /// Before the first step of an episode.
    fn begin_episode(&mut self);

    /// Asks. `None` where nothing more is answered: somebody stopped the run, or its replay is at its end.
    ///
    /// # Errors
    /// What makes the run invalid; what the oracle or the ledger could not do.
    fn generate_raw(
        &mut self,
        situation: &Situation,
        step: u32,
        answers: &mut dyn Answers,
    ) -> Result<Option<Generated>, Stop>;

    /// The artifact in what was said.
    ///
    /// # Errors
    /// Why there is none.
    fn assist(&self, raw: &str, environment: &dyn Environment) -> Result<Artifact, Rejection>;

    /// What it binds.
    ///
    /// # Errors
    /// Why it binds nothing.
    fn compile(
        &self,
        artifact: &Artifact,
        situation: &Situation,
    ) -> Result<Constraints, CompileError>;

    /// Only called with an artifact that compiled.
    ///
    /// # Errors
    /// An error of the tokenizer.
    fn record_precedent(&mut self, artifact: &Artifact, step: u32) -> Result<Recorded, Stop>;

    /// The feasible actions that are left; all of them without constraints.
    fn mask(&self, situation: &Situation, constraints: Option<&Constraints>) -> Ids;

    /// One of them, whatever was proposed: what is blind to the justification cannot be swayed by it.
    fn select(&self, mask: &Ids, place: Place) -> String;

    /// Does it.
    fn execute(&self, action: &str, environment: &mut dyn Environment);
}

/// What is known of a step afterwards.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it was.
    pub place: Place,
    /// What was asked and what came back.
    pub generated: Generated,
    /// The artifact that the assistant read, or why there is none.
    pub assisted: Result<Artifact, Rejection>,
    /// What the compiler said; `None` where there was nothing to compile.
    pub compiled: Option<Result<(), CompileError>>,
    /// What became of the precedent.
    pub recorded: Recorded,
    /// Whether its conflict was new.
    pub novelty: Novelty,
    /// How many actions were left.
    pub mask: usize,
    /// The one that was done.
    pub action: String,
}

/// How a step ended.
pub enum Stepped {
    /// It was done.
    Done(Box<Step>),
    /// Nothing more is answered.
    Ended,
    /// The oracle gave no answer, for good.
    Failed(Failure),
}

/// Takes one step.
///
/// # Errors
/// What makes the run invalid; what the oracle or the ledger could not do.
pub fn step(
    stages: &mut dyn Stages,
    environment: &mut dyn Environment,
    answers: &mut dyn Answers,
    history: &mut History,
    place: Place,
) -> Result<Stepped, Stop> {
    let situation = environment.situation();
    let Some(generated) = stages.generate_raw(&situation, place.step, answers)? else {
        return Ok(Stepped::Ended);
    };
    let assisted = match &generated.answered.raw {
        Ok(raw) => stages.assist(raw, environment),
        Err(NoAnswer::NotAdmitted) => Err(Rejection::NotAdmitted),
        Err(NoAnswer::Failed(failure)) => return Ok(Stepped::Failed(*failure)),
    };
    // Only of steps that are taken: a run that stops here and its replay have seen the same.
    let novelty = history.see(&situation);
    let compiled = assisted
        .as_ref()
        .ok()
        .map(|artifact| stages.compile(artifact, &situation));
    let recorded = match (&assisted, &compiled) {
        (Ok(artifact), Some(Ok(_))) => stages.record_precedent(artifact, place.step)?,
        _ => Recorded::None,
    };
    let constraints = compiled
        .as_ref()
        .and_then(|compiled| compiled.as_ref().ok());
    let mask = stages.mask(&situation, constraints);
    let action = stages.select(&mask, place);
    stages.execute(&action, environment);
    Ok(Stepped::Done(Box::new(Step {
        place,
        generated,
        assisted,
        compiled: compiled.map(|compiled| compiled.map(|_| ())),
        recorded,
        novelty,
        mask: mask.len(),
        action,
    })))
}
