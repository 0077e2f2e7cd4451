//! The base harness: what v3.0 did, without precedents and without a constant length.

use super::answers::{Answered, Answers};
use super::artifact::{Artifact, Rejection, assist};
use super::compile::{CompileError, Constraints, compile};
use super::draw::{Place, one_of};
use super::environment::{Environment, Ids, Situation};
use super::invalid::Stop;
use super::pipeline::{Generated, Recorded, Stages};
use super::prompt::{TAIL, question, situation_text};

/// The v3.0 pipeline. It stays as it is, bit for bit; what is new wraps it.
#[derive(Clone, Debug)]
pub struct V300Harness {
    model: String,
    system: String,
}

impl V300Harness {
    /// Asks `model` under the system message `system`.
    #[must_use]
    pub fn new(model: &str, system: String) -> V300Harness {
        V300Harness {
            model: model.to_owned(),
            system,
        }
    }

    /// Puts `user` to the model.
    ///
    /// # Errors
    /// What the oracle or the ledger could not do.
    pub fn ask(&self, user: &str, answers: &mut dyn Answers) -> Result<Option<Answered>, Stop> {
        Ok(answers.ask(&question(&self.model, &self.system, user))?)
    }
}

impl Stages for V300Harness {
    fn begin_episode(&mut self) {}

    fn generate_raw(
        &mut self,
        situation: &Situation,
        step: u32,
        answers: &mut dyn Answers,
    ) -> Result<Option<Generated>, Stop> {
        let user = format!("SITUATION\n{}{TAIL}", situation_text(situation, step));
        let answered = self.ask(&user, answers)?;
        Ok(answered.map(|answered| Generated {
            answered,
            measures: None,
        }))
    }

    fn assist(&self, raw: &str, environment: &dyn Environment) -> Result<Artifact, Rejection> {
        assist(raw, environment)
    }

    fn compile(
        &self,
        artifact: &Artifact,
        situation: &Situation,
    ) -> Result<Constraints, CompileError> {
        compile(artifact, situation)
    }

    fn record_precedent(&mut self, _: &Artifact, _: u32) -> Result<Recorded, Stop> {
        Ok(Recorded::None)
    }

    fn mask(&self, situation: &Situation, constraints: Option<&Constraints>) -> Ids {
        let admitted = |action: &&String| constraints.is_none_or(|c| c.admit(action));
        situation
            .feasible
            .keys()
            .filter(admitted)
            .cloned()
            .collect()
    }

    fn select(&self, mask: &Ids, place: Place) -> String {
        one_of(mask.iter(), place, "select")
            .cloned()
            .unwrap_or_default()
    }

    fn execute(&self, action: &str, environment: &mut dyn Environment) {
        environment.execute(action);
    }
}
