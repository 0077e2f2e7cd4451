//! The v3.1 harness: the base harness with a precedent memory and a constant prompt length (Q7).

use super::answer_source::AnswerSource;
use super::artifact::Artifact;
use super::assistant::Rejection;
use super::compile::{CompileError, Constraints};
use super::environment::{Environment, IdSet, Place, Situation};
use super::error::AblationError;
use super::invalid_run::{InvalidReason, InvalidRun};
use super::pipeline::{GeneratedAnswer, Harness, PrecedentOutcome};
use super::placebo::draw_placebo;
use super::precedent::{PrecedentMemory, PrecedentRecord};
use super::prompt::{HEAD, render_situation};
use super::prompt_frame::{PromptFrame, TokenizedText};
use super::sampling::Sampling;
use super::v300_ablation_harness::V300AblationHarness;
use super::variant::Variant;

/// The base harness with a precedent memory beside it.
pub struct V310AblationHarness<M> {
    base: V300AblationHarness,
    frame: PromptFrame,
    variant: Variant,
    memory: M,
    /// The record that the memory should hold, split into tokens when it was written.
    expected_record: Option<TokenizedText>,
    /// The seed and the episode; the step is 0.
    episode: Place,
    /// Every constraint of the environment, of which placebos are drawn.
    constraints: IdSet,
}

impl<M: PrecedentMemory> V310AblationHarness<M> {
    /// Wraps a base harness for `model`. Prompts are assembled in `frame`, and `memory` is empty.
    pub fn new(
        model: &str,
        frame: PromptFrame,
        variant: Variant,
        memory: M,
    ) -> V310AblationHarness<M> {
        V310AblationHarness {
            base: V300AblationHarness::new(model, frame.system().to_owned()),
            frame,
            variant,
            memory,
            expected_record: None,
            episode: Place::default(),
            constraints: IdSet::new(),
        }
    }

    /// Asks with these sampling parameters.
    #[must_use]
    pub fn with_sampling(mut self, sampling: Sampling) -> V310AblationHarness<M> {
        self.base = self.base.with_sampling(sampling);
        self
    }

    /// Puts a record into the memory. From now on every prompt must hold its text.
    fn write(&mut self, record: &PrecedentRecord, text: TokenizedText) {
        self.memory.write(record);
        self.expected_record = Some(text);
    }

    /// Checks that the memory holds the record that was written last (P2).
    fn check_memory(&self) -> Result<(), InvalidRun> {
        let found = self.memory.read().map(PrecedentRecord::canonical);
        let expected = self.expected_record.as_ref().map(TokenizedText::text);
        if found.as_deref() == expected {
            return Ok(());
        }
        let (found, expected) = (
            found.as_deref().unwrap_or("nothing"),
            expected.unwrap_or("nothing"),
        );
        Err(InvalidRun::new(
            InvalidReason::DeadChannel,
            format!("the memory holds {found} where {expected} was recorded"),
        ))
    }

    /// Checks that the finished user message holds that record too, or none where there is none (P2).
    fn check_prompt(&self, user: &str) -> Result<(), InvalidRun> {
        let injected = user.strip_prefix(HEAD).unwrap_or_default();
        let is_expected = self.expected_record.as_ref().map_or_else(
            || !injected.starts_with('{'),
            |record| injected.starts_with('{') && injected.starts_with(record.text()),
        );
        if is_expected {
            return Ok(());
        }
        let detail = "the prompt does not begin with the precedent that was recorded";
        Err(InvalidRun::new(InvalidReason::DeadChannel, detail))
    }
}

impl<M: PrecedentMemory> Harness for V310AblationHarness<M> {
    fn begin_episode(&mut self, environment: &dyn Environment, place: Place) {
        self.base.begin_episode(environment, place);
        self.constraints.clone_from(environment.constraints());
        self.episode = place;
        if self.variant == Variant::C {
            self.memory.reset();
            self.expected_record = None;
        }
    }

    fn generate_raw(
        &mut self,
        situation: &Situation,
        step: u32,
        answers: &mut dyn AnswerSource,
    ) -> Result<Option<GeneratedAnswer>, AblationError> {
        let situation = self.frame.tokenize(render_situation(situation, step))?;
        self.check_memory()?;
        let (user, measures) = self
            .frame
            .assemble(self.expected_record.as_ref(), &situation)?;
        self.check_prompt(&user)?;
        let answer = self.base.ask(&user, answers)?;
        Ok(answer.map(|answer| GeneratedAnswer {
            answer,
            measures: Some(measures),
        }))
    }

    fn assist(&self, text: &str, environment: &dyn Environment) -> Result<Artifact, Rejection> {
        self.base.assist(text, environment)
    }

    fn compile(
        &self,
        artifact: &Artifact,
        situation: &Situation,
    ) -> Result<Constraints, CompileError> {
        self.base.compile(artifact, situation)
    }

    fn record_precedent(
        &mut self,
        artifact: &Artifact,
        step: u32,
    ) -> Result<PrecedentOutcome, AblationError> {
        if self.variant == Variant::B {
            return Ok(PrecedentOutcome::Blocked);
        }
        let record = PrecedentRecord::new(artifact, step);
        let text = self.frame.tokenize(record.canonical())?;
        let tokens = text.len();
        if self.variant != Variant::Placebo {
            self.write(&record, text);
            return Ok(PrecedentOutcome::Written(tokens));
        }
        let place = Place {
            step,
            ..self.episode
        };
        let tokenize = |text| self.frame.tokenize(text);
        let placebo = draw_placebo(&record, tokens, &self.constraints, place, tokenize)?;
        let (tokens, length_gap) = (placebo.text.len(), placebo.length_gap);
        self.write(&placebo.record, placebo.text);
        Ok(PrecedentOutcome::Replaced { tokens, length_gap })
    }

    fn mask(&self, situation: &Situation, constraints: Option<&Constraints>) -> IdSet {
        self.base.mask(situation, constraints)
    }

    fn select(&self, mask: &IdSet, place: Place) -> String {
        self.base.select(mask, place)
    }

    fn execute(&self, action: &str, environment: &mut dyn Environment) {
        self.base.execute(action, environment);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::environment_source::open_harbour;
    use crate::experiment::build_frame;
    use crate::pad::DEFAULT_PAD;
    use crate::precedent::NormativeStateV100;
    use axilog_oracle::tokens::Tiktoken;

    /// P2, on the prompt itself, whatever the memory holds.
    #[test]
    fn a_prompt_without_the_recorded_precedent_is_a_dead_channel() {
        let tokenizer = Arc::new(Tiktoken::for_name("o200k_base").unwrap());
        let trap = open_harbour().unwrap();
        let (frame, _) = build_frame(&trap, tokenizer, DEFAULT_PAD, None).unwrap();
        let record = r#"{"step_index":1}"#;
        let tokenized = frame.tokenize(record).unwrap();
        let (variant, memory) = (Variant::Baseline, NormativeStateV100::default());
        let mut harness = V310AblationHarness::new("m", frame, variant, memory);
        let prompt = |segment: &str| format!("{HEAD}{segment} X X END\n");
        let [empty, same, other] = ["", record, r#"{"step_index":2}"#].map(prompt);
        assert!(harness.check_prompt(&empty).is_ok());
        assert!(harness.check_prompt(&same).is_err());
        harness.expected_record = Some(tokenized);
        assert!(harness.check_prompt(&same).is_ok());
        for wrong in [empty, other, record.to_owned()] {
            let invalid = harness.check_prompt(&wrong).unwrap_err();
            assert_eq!(invalid.reason, InvalidReason::DeadChannel, "{wrong}");
        }
    }
}
