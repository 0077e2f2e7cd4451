//! The v3.1 harness: the base harness with a precedent memory and a constant prompt length (Q7).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::answers::Answers;
use super::artifact::{Artifact, Rejection};
use super::base::V300Harness;
use super::compile::{CompileError, Constraints};
use super::draw::Place;
use super::environment::{Environment, Ids, Situation};
use super::invalid::{Invalid, Reason, Stop};
use super::pipeline::{Generated, Recorded, Stages};
use super::prompt::{Counted, Frame, HEAD, situation_text};
use super::record::{Memory, PrecedentRecord};

/// What is taken away from the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Everything: the base harness, which has none.
    V300,
    /// Nothing.
    Baseline,
    /// Writing: attempts are counted and nothing is kept.
    B,
    /// What was kept, at the start of each episode and only there.
    C,
}

impl Variant {
    /// As commands and documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Variant::V300 => "v300",
            Variant::Baseline => "baseline",
            Variant::B => "b",
            Variant::C => "c",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(text: &str) -> Result<Variant, String> {
        [Variant::V300, Variant::Baseline, Variant::B, Variant::C]
            .into_iter()
            .find(|variant| variant.as_str() == text)
            .ok_or_else(|| format!("there is no variant {text:?}; expected v300, baseline, b or c"))
    }
}

/// The base harness, a memory beside it.
pub struct V310AblationHarness<M> {
    base: V300Harness,
    frame: Frame,
    variant: Variant,
    memory: M,
    /// What the memory should hold: split once, when it was written.
    recorded: Option<Counted>,
}

impl<M: Memory> V310AblationHarness<M> {
    /// Wraps a base harness for `model`; prompts are made in `frame`, and `memory` is empty.
    pub fn new(model: &str, frame: Frame, variant: Variant, memory: M) -> V310AblationHarness<M> {
        V310AblationHarness {
            base: V300Harness::new(model, frame.system().to_owned()),
            frame,
            variant,
            memory,
            recorded: None,
        }
    }

    /// P2: the memory must hold what was recorded last.
    fn check_memory(&self) -> Result<(), Invalid> {
        let read = self.memory.read().map(PrecedentRecord::canonical);
        let expected = self.recorded.as_ref().map(Counted::text);
        if read.as_deref() == expected {
            return Ok(());
        }
        let told = |text: Option<&str>| text.map_or("nothing".to_owned(), str::to_owned);
        let (read, expected) = (told(read.as_deref()), told(expected));
        Err(Invalid::new(
            Reason::DeadChannel,
            format!("the memory holds {read} where {expected} was recorded"),
        ))
    }

    /// P2: the finished prompt must hold it too, and then its segment is not the empty one.
    fn check_prompt(&self, user: &str) -> Result<(), Invalid> {
        let injected = user.strip_prefix(HEAD).unwrap_or_default();
        let holds = self.recorded.as_ref().map_or_else(
            || !injected.starts_with('{'),
            |text| injected.starts_with('{') && injected.starts_with(text.text()),
        );
        if holds {
            return Ok(());
        }
        let detail = "the prompt does not begin with the precedent that was recorded";
        Err(Invalid::new(Reason::DeadChannel, detail))
    }
}

impl<M: Memory> Stages for V310AblationHarness<M> {
    fn begin_episode(&mut self) {
        self.base.begin_episode();
        if self.variant == Variant::C {
            self.memory.reset();
            self.recorded = None;
        }
    }

    fn generate_raw(
        &mut self,
        situation: &Situation,
        step: u32,
        answers: &mut dyn Answers,
    ) -> Result<Option<Generated>, Stop> {
        let situation = self.frame.count(situation_text(situation, step))?;
        self.check_memory()?;
        let (user, measures) = self.frame.assemble(self.recorded.as_ref(), &situation)?;
        self.check_prompt(&user)?;
        let answered = self.base.ask(&user, answers)?;
        Ok(answered.map(|answered| Generated {
            answered,
            measures: Some(measures),
        }))
    }

    fn assist(&self, raw: &str, environment: &dyn Environment) -> Result<Artifact, Rejection> {
        self.base.assist(raw, environment)
    }

    fn compile(
        &self,
        artifact: &Artifact,
        situation: &Situation,
    ) -> Result<Constraints, CompileError> {
        self.base.compile(artifact, situation)
    }

    fn record_precedent(&mut self, artifact: &Artifact, step: u32) -> Result<Recorded, Stop> {
        if self.variant == Variant::B {
            return Ok(Recorded::Blocked);
        }
        let record = PrecedentRecord::new(artifact, step);
        let text = self.frame.count(record.canonical())?;
        let tokens = text.len();
        self.memory.write(&record);
        self.recorded = Some(text);
        Ok(Recorded::Written(tokens))
    }

    fn mask(&self, situation: &Situation, constraints: Option<&Constraints>) -> Ids {
        self.base.mask(situation, constraints)
    }

    fn select(&self, mask: &Ids, place: Place) -> String {
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
    use crate::experiment::frame;
    use crate::pad::DEFAULT_PAD;
    use crate::record::NormativeStateV100;
    use crate::trap::CommitmentTrap;
    use axilog_oracle::tokens::Tiktoken;

    /// P2, on the prompt itself, whatever became of the memory.
    #[test]
    fn a_prompt_without_what_was_recorded_is_a_dead_channel() {
        let tokenizer = Arc::new(Tiktoken::named("o200k_base").unwrap());
        let world = CommitmentTrap::default();
        let (frame, _) = frame(&world, tokenizer, DEFAULT_PAD, None).unwrap();
        let record = r#"{"step_index":1}"#;
        let recorded = frame.count(record).unwrap();
        let (variant, memory) = (Variant::Baseline, NormativeStateV100::default());
        let mut harness = V310AblationHarness::new("m", frame, variant, memory);
        let prompt = |segment: &str| format!("{HEAD}{segment} X X END\n");
        let [empty, same, other] = ["", record, r#"{"step_index":2}"#].map(prompt);
        assert!(harness.check_prompt(&empty).is_ok());
        assert!(harness.check_prompt(&same).is_err());
        harness.recorded = Some(recorded);
        assert!(harness.check_prompt(&same).is_ok());
        for wrong in [empty, other, record.to_owned()] {
            let invalid = harness.check_prompt(&wrong).unwrap_err();
            assert_eq!(invalid.reason, Reason::DeadChannel, "{wrong}");
        }
    }
}
