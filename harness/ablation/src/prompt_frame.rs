//! The frame of a prompt and Gate P4: two segments of a constant number of tokens between fixed markers.
//!
//! Every text is split into tokens once, as it stands in a prompt: a record when it is written, a situation when it
//! comes up, and the finished prompt at the gate. The gate compares the prompt's tokens with those of its parts one by
//! one, so that each segment has its length in the prompt itself.

use std::sync::Arc;

use axilog::hash::{Hash, sha256};
use axilog_oracle::Role;
use axilog_oracle::tokens::Tokenizer;

use super::context_tokenizer::ContextTokenizer;
use super::error::AblationError;
use super::invalid_run::{InvalidReason, InvalidRun};
use super::pad::{Padding, excerpt};
use super::prompt::{HEAD, MIDDLE, TAIL};

/// The least length of a segment, in tokens.
pub const MIN_LENGTH: u64 = 512;

/// How many tokens each padded segment has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentLengths {
    /// N, the length of the precedent's segment.
    pub precedent: u64,
    /// M, the length of the situation's segment.
    pub situation: u64,
}

impl SegmentLengths {
    /// The greater of the two lengths.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.precedent.max(self.situation)
    }
}

/// A text and its tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenizedText {
    text: String,
    tokens: Vec<u32>,
}

impl TokenizedText {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many tokens the text has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.tokens.len() as u64
    }

    /// Whether the text has no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Appends `content` and `count` paddings.
    fn append(&mut self, content: &TokenizedText, padding: &Padding, count: u64) {
        let count = usize::try_from(count).unwrap_or(0);
        self.text.push_str(&content.text);
        self.text.push_str(&padding.text().repeat(count));
        self.tokens.extend_from_slice(&content.tokens);
        self.tokens
            .resize(self.tokens.len() + count, padding.token());
    }
}

/// The measures of a finished prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptMeasures {
    /// How many tokens the record has.
    pub precedent_tokens: u64,
    /// How many paddings follow the record.
    pub precedent_padding: u64,
    /// How many tokens the situation has.
    pub situation_tokens: u64,
    /// How many paddings follow the situation.
    pub situation_padding: u64,
    /// How many tokens the whole prompt has as the model's provider counts it, chat frame included.
    pub prompt_tokens: u64,
    /// SHA-256 of the precedent's segment, padding included.
    pub precedent_hash: Hash,
}

/// The fixed parts of a run's prompts, into which records and situations are put.
#[derive(Clone, Debug)]
pub struct PromptFrame {
    tokenizer: ContextTokenizer,
    padding: Padding,
    lengths: Option<SegmentLengths>,
    system: String,
    /// How many tokens everything but the user's message has.
    surrounding_tokens: u64,
    /// [`HEAD`], [`MIDDLE`] and [`TAIL`].
    markers: [TokenizedText; 3],
}

impl PromptFrame {
    /// Builds the frame of prompts under the system message `system`, padded with `pad` to `lengths`.
    /// Without lengths, as calibration needs it, nothing is padded and the gate is open.
    ///
    /// # Errors
    /// [`InvalidReason::PadUnstable`]; [`AblationError::Tokens`].
    pub fn new(
        tokenizer: Arc<dyn Tokenizer>,
        pad: &str,
        system: String,
        lengths: Option<SegmentLengths>,
    ) -> Result<PromptFrame, AblationError> {
        let tokenizer = ContextTokenizer::new(tokenizer)?;
        let longest = lengths.map_or(MIN_LENGTH, |lengths| lengths.max());
        let padding = Padding::test(
            pad,
            &tokenizer,
            longest,
            &[HEAD, MIDDLE, TAIL],
            &[MIDDLE, TAIL],
        )?;
        let surroundings = [
            (Role::System.as_str(), system.as_str()),
            (Role::User.as_str(), ""),
        ];
        let surrounding_tokens = tokenizer.tokenizer().count_chat(&surroundings)?;
        let head = TokenizedText {
            text: HEAD.to_owned(),
            tokens: tokenizer.head_tokens().to_vec(),
        };
        let mut frame = PromptFrame {
            tokenizer,
            padding,
            lengths,
            system,
            surrounding_tokens,
            markers: Default::default(),
        };
        frame.markers = [head, frame.tokenize(MIDDLE)?, frame.tokenize(TAIL)?];
        Ok(frame)
    }

    /// The system message.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.system
    }

    /// The padding.
    #[must_use]
    pub fn padding(&self) -> &Padding {
        &self.padding
    }

    /// Splits a record or a situation into the tokens that it has in a prompt.
    ///
    /// # Errors
    /// [`InvalidReason::ShadowPersistence`] where the text changes the tokens of the marker before it;
    /// [`AblationError::Tokens`].
    pub fn tokenize(&self, text: impl Into<String>) -> Result<TokenizedText, AblationError> {
        let text = text.into();
        match self.tokenizer.encode_behind_head(&text)? {
            Some(tokens) => Ok(TokenizedText { text, tokens }),
            None => Err(InvalidRun::new(
                InvalidReason::ShadowPersistence,
                format!(
                    "{} changes the tokens of {HEAD:?} before it, so that it has no tokens of its own",
                    excerpt(&text)
                ),
            )
            .into()),
        }
    }

    /// Assembles the user's message from a record and a situation, and measures it.
    ///
    /// # Errors
    /// [`InvalidReason::BufferOverflow`], [`InvalidReason::ShadowPersistence`]; [`AblationError::Tokens`].
    pub fn assemble(
        &self,
        precedent: Option<&TokenizedText>,
        situation: &TokenizedText,
    ) -> Result<(String, PromptMeasures), AblationError> {
        let empty = TokenizedText::default();
        let precedent = precedent.unwrap_or(&empty);
        let precedent_padding = self.fill("precedent", precedent, |l| l.precedent)?;
        let situation_padding = self.fill("situation", situation, |l| l.situation)?;
        let [head, middle, tail] = &self.markers;
        let mut message = head.clone();
        message.append(precedent, &self.padding, precedent_padding);
        let segment = message.text.get(head.text.len()..).unwrap_or_default();
        let precedent_hash = sha256(segment.as_bytes());
        message.append(middle, &self.padding, 0);
        message.append(situation, &self.padding, situation_padding);
        message.append(tail, &self.padding, 0);
        if self.lengths.is_some() {
            self.check_tokens(&message)?;
        }
        let measures = PromptMeasures {
            precedent_tokens: precedent.len(),
            precedent_padding,
            situation_tokens: situation.len(),
            situation_padding,
            prompt_tokens: self.surrounding_tokens + message.len(),
            precedent_hash,
        };
        Ok((message.text, measures))
    }

    /// Counts the paddings that fill the segment named `segment` after `content`.
    fn fill(
        &self,
        segment: &str,
        content: &TokenizedText,
        length: impl Fn(&SegmentLengths) -> u64,
    ) -> Result<u64, InvalidRun> {
        let Some(length) = self.lengths.as_ref().map(length) else {
            return Ok(0);
        };
        length.checked_sub(content.len()).ok_or_else(|| {
            InvalidRun::new(
                InvalidReason::BufferOverflow,
                format!(
                    "the {segment} is {} tokens, and its segment has {length}",
                    content.len()
                ),
            )
        })
    }

    /// Checks that the finished message has exactly the tokens of its parts (Gate P4).
    fn check_tokens(&self, message: &TokenizedText) -> Result<(), AblationError> {
        let found = self.tokenizer.tokenizer().encode(&message.text)?;
        if found == message.tokens {
            return Ok(());
        }
        let (count, expected) = (found.len(), message.tokens.len());
        let same = found
            .iter()
            .zip(&message.tokens)
            .take_while(|(a, b)| a == b)
            .count();
        let detail = format!(
            "the finished message is {count} tokens where its parts are {expected} (token_jitter {}), and they differ from token {same} on",
            count.abs_diff(expected)
        );
        Err(InvalidRun::new(InvalidReason::ShadowPersistence, detail).into())
    }
}
