//! The strict JSON tokenizer: RFC 8259, no recursion, bounded nesting. Determinism: D1.
//!
//! formats.md §4, "Extracting the value", and §2. It checks the grammar, escapes and surrogate
//! pairs; repeated names are for whoever reads the tokens. UTF-8 is taken for valid.

use super::name;
use super::number::Number;
use super::source::Source;

/// The text is not JSON, or is nested too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidJson;

/// One step through a text. Cursors stand at the first byte between the quotes, or at the brace.
#[derive(Clone, Copy, Debug)]
pub enum Token<'a, S> {
    /// `{`
    ObjectStart(S),
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// A member's name; the colon is after it. The member's value follows.
    Key(S),
    /// A string value.
    String(S),
    /// A number value, which conforms to the grammar: all its bytes.
    Number(&'a [u8]),
    /// `true`, `false` or `null`.
    Literal,
}

/// The tokens that may come next.
#[derive(Clone, Copy, Debug)]
enum Expect {
    /// A value.
    Value,
    /// A value or `]`, just after `[`.
    FirstItem,
    /// A name or `}`, just after `{`.
    FirstKey,
    /// A comma or the end of the container, after a value in it.
    Next,
    /// Nothing: the outermost value is complete.
    End,
}

/// Reads one JSON text, token by token.
#[derive(Clone, Copy, Debug)]
pub struct Reader<S> {
    source: S,
    expect: Expect,
    white_space: bool,
    limit: u8,
    depth: u8,
    /// Bit 0 is the innermost open container; 1 is an object, 0 an array.
    objects: u128,
}

impl<'a, S: Source<'a>> Reader<S> {
    /// Reads the text at `source`, with white space allowed around tokens. At most `limit`
    /// containers may be open at once, the outermost included; 128 is the most that can be.
    #[must_use]
    pub fn new(source: S, limit: u8) -> Self {
        Reader {
            source,
            expect: Expect::Value,
            white_space: true,
            limit: limit.min(128),
            depth: 0,
            objects: 0,
        }
    }

    /// A reader that refuses white space.
    #[must_use]
    pub fn compact(source: S, limit: u8) -> Self {
        Reader {
            white_space: false,
            ..Reader::new(source, limit)
        }
    }

    /// The number of open containers.
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.depth
    }

    /// The position after the last token.
    #[must_use]
    pub fn position(&self) -> usize {
        self.source.position()
    }

    /// The next token; `None` when one value has been read and nothing follows it.
    ///
    /// # Errors
    /// [`InvalidJson`] for anything that is not JSON. The reader is of no use after that.
    #[allow(clippy::should_implement_trait)]
    // Where code may be large, a token's functions become a part of the caller's loop.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn next(&mut self) -> Result<Option<Token<'a, S>>, InvalidJson> {
        let Some(byte) = self.peek() else {
            return match self.expect {
                Expect::End => Ok(None),
                _ => Err(InvalidJson),
            };
        };
        let in_object = self.objects & 1 == 1;
        match (self.expect, byte) {
            (Expect::Value, _) => self.value(byte),
            (Expect::Next, b',') => {
                self.source.bump();
                let byte = self.peek().ok_or(InvalidJson)?;
                if in_object {
                    self.key(byte)
                } else {
                    self.value(byte)
                }
            }
            (Expect::Next | Expect::FirstKey, b'}') if in_object => {
                Ok(self.close(Token::ObjectEnd))
            }
            (Expect::Next | Expect::FirstItem, b']') if !in_object => {
                Ok(self.close(Token::ArrayEnd))
            }
            (Expect::FirstKey, _) => self.key(byte),
            (Expect::FirstItem, _) => self.value(byte),
            (Expect::Next | Expect::End, _) => Err(InvalidJson),
        }
        .map(Some)
    }

    /// Moves on over whole elements of the innermost open container, as `pass` does: it is told whether the
    /// first would be the container's first, and returns their number. Does nothing where no element may come
    /// next.
    #[inline]
    pub(super) fn skip_elements(&mut self, pass: impl FnOnce(&mut S, bool) -> u32) -> u32 {
        let is_first = matches!(self.expect, Expect::FirstItem);
        let is_next = matches!(self.expect, Expect::Next) && self.objects & 1 == 0;
        if !is_first && !is_next {
            return 0;
        }
        let number = pass(&mut self.source, is_first);
        if number > 0 {
            self.expect = Expect::Next;
        }
        number
    }

    /// The next byte that is not white space, if white space is allowed.
    #[inline(always)]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.source.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') if self.white_space => self.source.bump(),
                byte => return byte,
            }
        }
    }

    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn key(&mut self, byte: u8) -> Result<Token<'a, S>, InvalidJson> {
        let content = self.string(byte)?;
        if self.peek() != Some(b':') {
            return Err(InvalidJson);
        }
        self.source.bump();
        self.expect = Expect::Value;
        Ok(Token::Key(content))
    }

    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn value(&mut self, byte: u8) -> Result<Token<'a, S>, InvalidJson> {
        let start = self.source;
        let token = match byte {
            b'{' => {
                self.open(1)?;
                self.expect = Expect::FirstKey;
                return Ok(Token::ObjectStart(start));
            }
            b'[' => {
                self.open(0)?;
                self.expect = Expect::FirstItem;
                return Ok(Token::ArrayStart);
            }
            b'"' => Token::String(self.string(byte)?),
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.literal(b"true")?,
            b'f' => self.literal(b"false")?,
            _ => self.literal(b"null")?,
        };
        self.value_ends();
        Ok(token)
    }

    fn open(&mut self, object: u128) -> Result<(), InvalidJson> {
        if self.depth >= self.limit {
            return Err(InvalidJson);
        }
        self.source.bump();
        self.depth = self.depth.wrapping_add(1);
        self.objects = self.objects << 1 | object;
        Ok(())
    }

    fn close(&mut self, token: Token<'a, S>) -> Token<'a, S> {
        self.source.bump();
        self.depth = self.depth.saturating_sub(1);
        self.objects >>= 1;
        self.value_ends();
        token
    }

    fn value_ends(&mut self) {
        self.expect = if self.depth == 0 {
            Expect::End
        } else {
            Expect::Next
        };
    }

    /// Passes a string whose first byte is `byte`, and gives the place after its opening quote.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn string(&mut self, byte: u8) -> Result<S, InvalidJson> {
        if byte != b'"' {
            return Err(InvalidJson);
        }
        self.source.bump();
        let content = self.source;
        loop {
            self.source.skip_plain();
            if self.source.skip_quote() {
                return Ok(content);
            }
            let byte = self.source.peek().ok_or(InvalidJson)?;
            self.source.bump();
            match byte {
                b'\\' => self.escape()?,
                0..0x20 => return Err(InvalidJson),
                _ => {}
            }
        }
    }

    /// Passes an escape after its backslash, and with a high surrogate the low one.
    fn escape(&mut self) -> Result<(), InvalidJson> {
        match name::escape(&mut self.source).ok_or(InvalidJson)? {
            0xd800..0xdc00 => {
                if self.source.peek() != Some(b'\\') {
                    return Err(InvalidJson);
                }
                self.source.bump();
                match name::escape(&mut self.source) {
                    Some(0xdc00..0xe000) => Ok(()),
                    _ => Err(InvalidJson),
                }
            }
            0xdc00..0xe000 => Err(InvalidJson),
            _ => Ok(()),
        }
    }

    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn number(&mut self) -> Result<Token<'a, S>, InvalidJson> {
        let start = self.source.position();
        // No byte of a number may follow a number, so the longest run is the whole token.
        self.source.skip_number();
        let text = self.source.since(start);
        Number::parse(text).ok_or(InvalidJson)?;
        Ok(Token::Number(text))
    }

    fn literal(&mut self, word: &[u8]) -> Result<Token<'a, S>, InvalidJson> {
        for &byte in word {
            if self.source.peek() != Some(byte) {
                return Err(InvalidJson);
            }
            self.source.bump();
        }
        Ok(Token::Literal)
    }
}
