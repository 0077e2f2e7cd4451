//! The base harness: what v3.0 did, without precedents and without a constant prompt length.

use axilog::hash::Hash;

use super::answer_source::{AnswerSource, ReceivedAnswer};
use super::artifact::Artifact;
use super::assistant::{Rejection, assist};
use super::compile::{CompileError, Constraints, compile};
use super::draw::{SELECT, draw_one};
use super::environment::{Environment, IdSet, Place, Situation};
use super::error::AblationError;
use super::novelty::sign_conflict;
use super::pipeline::{GeneratedAnswer, Harness, PrecedentOutcome};
use super::prompt::{SITUATION, TAIL, build_question, render_situation};
use super::sampling::Sampling;

/// The harness of v3.0. It stays as it is, bit for bit; [`super::v310_ablation_harness`] wraps it.
#[derive(Clone, Debug)]
pub struct V300AblationHarness {
    model: String,
    system: String,
    sampling: Sampling,
}

impl V300AblationHarness {
    /// A harness that asks `model` under the system message `system`.
    #[must_use]
    pub fn new(model: &str, system: String) -> V300AblationHarness {
        V300AblationHarness {
            model: model.to_owned(),
            system,
            sampling: Sampling::default(),
        }
    }

    /// Asks with these sampling parameters.
    #[must_use]
    pub fn with_sampling(mut self, sampling: Sampling) -> V300AblationHarness {
        self.sampling = sampling;
        self
    }

    /// Puts the user message `user` to the model.
    ///
    /// # Errors
    /// What the oracle or the ledger could not do.
    pub fn ask(
        &self,
        user: &str,
        answers: &mut dyn AnswerSource,
    ) -> Result<Option<ReceivedAnswer>, AblationError> {
        answers.ask(&build_question(
            &self.model,
            &self.system,
            user,
            self.sampling,
        ))
    }
}

impl Harness for V300AblationHarness {
    fn begin_episode(&mut self, _: &dyn Environment, _: Place) {}

    fn generate_raw(
        &mut self,
        situation: &Situation,
        step: u32,
        answers: &mut dyn AnswerSource,
    ) -> Result<Option<GeneratedAnswer>, AblationError> {
        let user = format!("{SITUATION}{}{TAIL}", render_situation(situation, step));
        let answer = self.ask(&user, answers)?;
        Ok(answer.map(|answer| GeneratedAnswer {
            answer,
            measures: None,
        }))
    }

    fn assist(&self, text: &str, environment: &dyn Environment) -> Result<Artifact, Rejection> {
        assist(text, environment)
    }

    fn compile(
        &self,
        artifact: &Artifact,
        situation: &Situation,
    ) -> Result<Constraints, CompileError> {
        compile(artifact, situation)
    }

    fn record_precedent(
        &mut self,
        _: &Artifact,
        _: u32,
    ) -> Result<PrecedentOutcome, AblationError> {
        Ok(PrecedentOutcome::None)
    }

    fn mask(&self, situation: &Situation, constraints: Option<&Constraints>) -> IdSet {
        let admits = |action: &&String| constraints.is_none_or(|c| c.admit(action));
        situation.feasible.keys().filter(admits).cloned().collect()
    }

    fn select(&self, mask: &IdSet, place: Place) -> String {
        draw_one(mask.iter(), place, SELECT)
            .cloned()
            .unwrap_or_default()
    }

    fn execute(&self, action: &str, environment: &mut dyn Environment) {
        environment.execute(action);
    }

    /// Signs with what is in store, as documents of the base harness have always had it. Q6 is about v3.1,
    /// and nothing is decided by this signature.
    fn sign_conflict(&self, situation: &Situation) -> Option<Hash> {
        let constraints = situation.conflicting_constraints();
        (!constraints.is_empty()).then(|| sign_conflict(&constraints, &situation.resources))
    }
}
