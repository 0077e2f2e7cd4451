//! The prompt and Gate P4: two segments of a fixed number of tokens in a fixed skeleton.
//!
//! Every text is split into tokens once: a record when it is written, a situation when it comes up, and
//! the finished prompt when the gate looks at it. The gate compares the prompt's tokens with those of its
//! parts one by one, so the length of each segment is that in the prompt itself.

use std::sync::Arc;

use axilog::evidence::observation::Params;
use axilog::hash::{Hash, sha256};
use axilog_oracle::tokens::Tokenizer;
use axilog_oracle::{Question, Role};
use serde_json::{Map, Value, json};

use super::canonical;
use super::environment::{Environment, Situation};
use super::invalid::{Invalid, Reason, Stop};
use super::pad::Pad;

/// The most tokens an answer may have.
pub const MAX_TOKENS: i32 = 1024;

/// What stands before the precedent, between it and the situation, and behind it.
pub const HEAD: &str = "PRECEDENT\n";
/// See [`HEAD`].
pub const MIDDLE: &str = " END\nSITUATION\n";
/// See [`HEAD`].
pub const TAIL: &str = " END\nAnswer with the JSON object and nothing else.";

const ANSWER: &str = "Answer with exactly one JSON object with these members: action (a feasible action), \
     authorized_violations (the commitments that may be broken for it, an array), \
     required_preservations (the commitments that must be kept, an array), conflict_attribution (an array \
     of pairs [kept, broken], kept from required_preservations and broken from authorized_violations), \
     predicted_effects (an object with the arrays satisfies and violates: what the action does).";

const PRECEDENT: &str = "Between PRECEDENT and END stands the record of the last justification that was \
     accepted, if there is one. The letters X that fill the lines mean nothing.";

/// How many tokens each segment has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Of the precedent: N.
    pub precedent: u64,
    /// Of the situation: M.
    pub situation: u64,
}

/// A text and its tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    text: String,
    tokens: Vec<u32>,
}

impl Counted {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many tokens it is.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.tokens.len() as u64
    }

    /// Whether it is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }
}

/// What was measured on a finished prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// Tokens of the record.
    pub precedent_tokens: u64,
    /// Padding behind it.
    pub precedent_padding: u64,
    /// Tokens of the situation.
    pub situation_tokens: u64,
    /// Padding behind it.
    pub situation_padding: u64,
    /// The whole prompt as the model's provider counts it, its frame included.
    pub prompt_tokens: u64,
    /// SHA-256 of the precedent segment, padding included.
    pub precedent_hash: Hash,
}

/// The system message without any word of precedents.
#[must_use]
pub fn base_system(environment: &dyn Environment) -> String {
    format!("{} {ANSWER}", environment.brief())
}

/// The system message.
#[must_use]
pub fn system(environment: &dyn Environment) -> String {
    format!("{} {PRECEDENT} {ANSWER}", environment.brief())
}

/// The question that `user` puts to `model` under `system`: temperature 0, no seed.
#[must_use]
pub fn question(model: &str, system: &str, user: &str) -> Question {
    let params = Params {
        max_tokens: Some(MAX_TOKENS),
        temperature: Some(0),
        ..Params::NULL
    };
    Question::new(model, system, user, params)
}

/// SHA-256 over everything in a prompt that is the same at every step.
#[must_use]
pub fn skeleton_hash(system: &str) -> Hash {
    sha256(canonical(&json!([system, HEAD, MIDDLE, TAIL])).as_bytes())
}

/// A situation as it is put into prompts: canonical JSON.
#[must_use]
pub fn situation_text(situation: &Situation, step: u32) -> String {
    let feasible: Map<String, Value> = situation
        .feasible
        .iter()
        .map(|(action, effects)| {
            let effects = json!({ "satisfies": effects.satisfies, "violates": effects.violates });
            (action.clone(), effects)
        })
        .collect();
    let resources: Map<String, Value> = situation
        .resources
        .iter()
        .map(|(name, amount)| (name.clone(), amount.to_string().into()))
        .collect();
    canonical(&json!({
        "feasible": feasible,
        "observation": situation.observation,
        "resources": resources,
        "step": step,
    }))
}

/// What prompts are made in.
#[derive(Clone, Debug)]
pub struct Frame {
    tokenizer: Arc<dyn Tokenizer>,
    pad: Pad,
    lengths: Option<Lengths>,
    system: String,
    /// Tokens of everything but the user's message.
    around: u64,
    parts: [Counted; 3],
}

impl Frame {
    /// The frame of prompts under `system`, padded with `pad` to `lengths`. Without lengths, as
    /// calibration needs it, nothing is padded and the gate is open.
    ///
    /// # Errors
    /// [`Reason::PadUnstable`]; an error of the tokenizer.
    pub fn new(
        tokenizer: Arc<dyn Tokenizer>,
        pad: &str,
        system: String,
        lengths: Option<Lengths>,
    ) -> Result<Frame, Stop> {
        let longest = lengths.map_or(super::calibration::FLOOR, |l| l.precedent.max(l.situation));
        let pad = Pad::test(
            pad,
            &*tokenizer,
            longest,
            &[HEAD, MIDDLE, TAIL],
            &[MIDDLE, TAIL],
        )?;
        let around =
            tokenizer.count_chat(&[(Role::System.as_str(), &system), (Role::User.as_str(), "")])?;
        let mut frame = Frame {
            tokenizer,
            pad,
            lengths,
            system,
            around,
            parts: Default::default(),
        };
        frame.parts = [frame.count(HEAD)?, frame.count(MIDDLE)?, frame.count(TAIL)?];
        Ok(frame)
    }

    /// The system message.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.system
    }

    /// The padding.
    #[must_use]
    pub fn pad(&self) -> &Pad {
        &self.pad
    }

    /// Splits a text for a segment.
    ///
    /// # Errors
    /// An error of the tokenizer.
    pub fn count(&self, text: impl Into<String>) -> Result<Counted, Stop> {
        let text = text.into();
        let tokens = self.tokenizer.encode(&text)?;
        Ok(Counted { text, tokens })
    }

    /// The user's message with these contents, and what the gate measured on it.
    ///
    /// # Errors
    /// [`Reason::BufferOverflow`], [`Reason::ShadowPersistence`]; an error of the tokenizer.
    pub fn assemble(
        &self,
        precedent: Option<&Counted>,
        situation: &Counted,
    ) -> Result<(String, Measures), Stop> {
        let none = Counted::default();
        let precedent = precedent.unwrap_or(&none);
        let [head, middle, tail] = &self.parts;
        let mut made = Counted::default();
        self.add(&mut made, head, 0);
        let precedent_padding = self.padding("precedent", precedent, |l| l.precedent)?;
        let from = made.text.len();
        self.add(&mut made, precedent, precedent_padding);
        let segment = made.text.get(from..).unwrap_or_default();
        let precedent_hash = sha256(segment.as_bytes());
        self.add(&mut made, middle, 0);
        let situation_padding = self.padding("situation", situation, |l| l.situation)?;
        self.add(&mut made, situation, situation_padding);
        self.add(&mut made, tail, 0);
        if self.lengths.is_some() {
            self.gate(&made)?;
        }
        let measures = Measures {
            precedent_tokens: precedent.len(),
            precedent_padding,
            situation_tokens: situation.len(),
            situation_padding,
            prompt_tokens: self.around + made.len(),
            precedent_hash,
        };
        Ok((made.text, measures))
    }

    fn add(&self, made: &mut Counted, content: &Counted, padding: u64) {
        let padding = usize::try_from(padding).unwrap_or(0);
        made.text.push_str(&content.text);
        made.text.push_str(&self.pad.text().repeat(padding));
        made.tokens.extend_from_slice(&content.tokens);
        made.tokens
            .resize(made.tokens.len() + padding, self.pad.token());
    }

    fn padding(
        &self,
        segment: &str,
        content: &Counted,
        length: impl Fn(&Lengths) -> u64,
    ) -> Result<u64, Invalid> {
        let Some(length) = self.lengths.as_ref().map(length) else {
            return Ok(0);
        };
        length.checked_sub(content.len()).ok_or_else(|| {
            Invalid::new(
                Reason::BufferOverflow,
                format!(
                    "the {segment} is {} tokens, and its segment has {length}",
                    content.len()
                ),
            )
        })
    }

    /// Gate P4, on the finished message.
    fn gate(&self, made: &Counted) -> Result<(), Stop> {
        let found = self.tokenizer.encode(&made.text)?;
        if found == made.tokens {
            return Ok(());
        }
        let (is, expected) = (found.len(), made.tokens.len());
        let at = found
            .iter()
            .zip(&made.tokens)
            .take_while(|(a, b)| a == b)
            .count();
        let detail = format!(
            "the finished message is {is} tokens where its parts are {expected} (token_jitter {}), and they differ from token {at} on",
            is.abs_diff(expected)
        );
        Err(Invalid::new(Reason::ShadowPersistence, detail).into())
    }
}
