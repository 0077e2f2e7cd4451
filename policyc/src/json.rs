//! A strict reader of JSON (RFC 8259) into a tree that knows where each value
//! stands. Refused beyond the grammar: duplicate member names (compared after
//! unescaping), lone surrogate escapes, more than 32 levels of containers.
//! Numbers are kept as their text. Determinism class D1.

use core::str::Chars;
use std::collections::HashSet;

use crate::error::Fault;
use crate::message;

/// Objects and arrays may be nested this deep, counting the outer one; it
/// also bounds the reader's own recursion.
const MAX_DEPTH: usize = 32;

/// A value, and the offset of its first byte.
pub(crate) struct Value<'t> {
    pub at: usize,
    pub kind: Kind<'t>,
}

pub(crate) enum Kind<'t> {
    Null,
    Bool(bool),
    Number(&'t str),
    String(String),
    Array(Vec<Value<'t>>),
    Object(Vec<Member<'t>>),
}

/// A member of an object, in the order of the text, with the offset of its
/// name's opening quote.
pub(crate) struct Member<'t> {
    pub at: usize,
    pub name: String,
    pub value: Value<'t>,
}

impl Value<'_> {
    /// Describes the value for a message: strings, numbers and literals as they
    /// are, containers by their kind.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "null".into(),
            Kind::Bool(true) => "true".into(),
            Kind::Bool(false) => "false".into(),
            Kind::Number(text) => {
                format!("the number {}", message::shorten(text, message::LONGEST))
            }
            Kind::String(text) => format!("the string {}", message::quote(text)),
            Kind::Array(_) => "an array".into(),
            Kind::Object(_) => "an object".into(),
        }
    }
}

/// Reads `text` as exactly one JSON value with white space around its tokens.
pub(crate) fn read(text: &str) -> Result<Value<'_>, Fault> {
    let mut reader = Reader {
        text,
        rest: text.chars(),
    };
    reader.skip_white_space();
    let value = reader.read_value(0)?;
    reader.skip_white_space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.fault("the end of the file")),
    }
}

struct Reader<'t> {
    text: &'t str,
    rest: Chars<'t>,
}

impl<'t> Reader<'t> {
    fn at(&self) -> usize {
        self.text.len().saturating_sub(self.rest.as_str().len())
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn fault(&self, expected: &str) -> Fault {
        Fault::expected(
            self.at(),
            message::describe_character(self.peek()),
            expected,
        )
    }

    /// Takes the next character if it is `wanted`.
    fn take(&mut self, wanted: char) -> bool {
        let taken = self.peek() == Some(wanted);
        if taken {
            self.rest.next();
        }
        taken
    }

    fn skip_white_space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.rest.next();
        }
    }

    /// `depth` containers are open around this value.
    fn read_value(&mut self, depth: usize) -> Result<Value<'t>, Fault> {
        let at = self.at();
        let kind = match self.peek() {
            Some('{') => self.read_object(depth.saturating_add(1))?,
            Some('[') => self.read_array(depth.saturating_add(1))?,
            Some('"') => Kind::String(self.read_string()?),
            Some('-' | '0'..='9') => Kind::Number(self.read_number()?),
            Some('a'..='z') => self.read_literal()?,
            _ => return Err(self.fault("a JSON value")),
        };
        Ok(Value { at, kind })
    }

    fn open(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::expected(
                self.at(),
                format_args!("a container at level {depth}"),
                format_args!("at most {MAX_DEPTH} levels"),
            ));
        }
        self.rest.next();
        self.skip_white_space();
        Ok(())
    }

    fn read_array(&mut self, depth: usize) -> Result<Kind<'t>, Fault> {
        self.open(depth)?;
        let mut values = Vec::new();
        if self.take(']') {
            return Ok(Kind::Array(values));
        }
        loop {
            self.skip_white_space();
            values.push(self.read_value(depth)?);
            self.skip_white_space();
            if self.take(']') {
                return Ok(Kind::Array(values));
            }
            if !self.take(',') {
                return Err(self.fault("`,` or `]`"));
            }
        }
    }

    fn read_object(&mut self, depth: usize) -> Result<Kind<'t>, Fault> {
        self.open(depth)?;
        let mut members = Vec::new();
        let mut names = HashSet::new();
        if self.take('}') {
            return Ok(Kind::Object(members));
        }
        loop {
            self.skip_white_space();
            let at = self.at();
            if self.peek() != Some('"') {
                return Err(self.fault("a member name in double quotes"));
            }
            let name = self.read_string()?;
            if !names.insert(name.clone()) {
                return Err(Fault::expected(
                    at,
                    format_args!("the member {} a second time", message::quote(&name)),
                    "every member name once",
                ));
            }
            self.skip_white_space();
            if !self.take(':') {
                return Err(self.fault("`:`"));
            }
            self.skip_white_space();
            let value = self.read_value(depth)?;
            members.push(Member { at, name, value });
            self.skip_white_space();
            if self.take('}') {
                return Ok(Kind::Object(members));
            }
            if !self.take(',') {
                return Err(self.fault("`,` or `}`"));
            }
        }
    }

    fn read_literal(&mut self) -> Result<Kind<'t>, Fault> {
        let start = self.at();
        while self.peek().is_some_and(|next| next.is_alphanumeric()) {
            self.rest.next();
        }
        match self.text_since(start) {
            "null" => Ok(Kind::Null),
            "true" => Ok(Kind::Bool(true)),
            "false" => Ok(Kind::Bool(false)),
            other => Err(Fault::expected(
                start,
                message::quote_excerpt(other),
                "a JSON value",
            )),
        }
    }

    fn text_since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at()).unwrap_or_default()
    }

    fn read_number(&mut self) -> Result<&'t str, Fault> {
        let start = self.at();
        self.take('-');
        if self.take('0') {
            if self.peek().is_some_and(|next| next.is_ascii_digit()) {
                return Err(self.fault("no digit after a leading 0"));
            }
        } else {
            self.read_digits()?;
        }
        if self.take('.') {
            self.read_digits()?;
        }
        if self.take('e') || self.take('E') {
            let _sign = self.take('+') || self.take('-');
            self.read_digits()?;
        }
        Ok(self.text_since(start))
    }

    /// One or more digits.
    fn read_digits(&mut self) -> Result<(), Fault> {
        if !self.peek().is_some_and(|next| next.is_ascii_digit()) {
            return Err(self.fault("a digit"));
        }
        while self.peek().is_some_and(|next| next.is_ascii_digit()) {
            self.rest.next();
        }
        Ok(())
    }

    fn read_string(&mut self) -> Result<String, Fault> {
        self.take('"');
        let mut string = String::new();
        loop {
            match self.peek() {
                Some('"') => {
                    self.rest.next();
                    return Ok(string);
                }
                Some('\\') => string.push(self.read_escape()?),
                None | Some('\0'..='\u{1F}') => {
                    return Err(self.fault("the rest of a string in double quotes"));
                }
                Some(other) => {
                    self.rest.next();
                    string.push(other);
                }
            }
        }
    }

    fn read_escape(&mut self) -> Result<char, Fault> {
        let start = self.at();
        self.take('\\');
        let plain = match self.peek() {
            Some(mark @ ('"' | '\\' | '/')) => mark,
            Some('b') => '\u{8}',
            Some('f') => '\u{C}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.read_code_point(start),
            _ => return Err(self.fault("one of \" \\ / b f n r t u after `\\`")),
        };
        self.rest.next();
        Ok(plain)
    }

    /// The rest of an escape that begins at `start`, from the `u` on; a
    /// surrogate pair is two escapes and one character.
    fn read_code_point(&mut self, start: usize) -> Result<char, Fault> {
        let first = self.read_code_unit()?;
        let mut units = vec![first];
        if matches!(first, 0xD800..=0xDBFF) && self.rest.as_str().starts_with("\\u") {
            self.rest.next();
            units.push(self.read_code_unit()?);
        }
        let mut decoded = char::decode_utf16(units);
        match (decoded.next(), decoded.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(Fault::expected(
                start,
                format_args!("a lone surrogate `{}`", self.text_since(start)),
                "a surrogate pair or another character",
            )),
        }
    }

    /// `u` and four hexadecimal digits.
    fn read_code_unit(&mut self) -> Result<u16, Fault> {
        self.take('u');
        let start = self.at();
        for _ in 0..4 {
            if !self.peek().is_some_and(|next| next.is_ascii_hexdigit()) {
                return Err(self.fault("a hexadecimal digit"));
            }
            self.rest.next();
        }
        u16::from_str_radix(self.text_since(start), 16)
            .map_err(|_| Fault::expected(start, "another code", "four hexadecimal digits"))
    }
}
