//! Literals, classes and escapes.

use super::error::GrammarError;
use super::parse::Parser;
use super::rules::{Class, Symbol};

impl Parser<'_> {
    /// A literal: its characters one after another.
    pub(super) fn literal(&mut self) -> Result<Vec<Symbol>, GrammarError> {
        let start = self.at;
        self.at += 1;
        let mut symbols = Vec::new();
        loop {
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(symbols);
                }
                None | Some('\n' | '\r') => {
                    return self.wrong(start, "the literal does not end on its line");
                }
                Some(_) => {
                    let c = self.character()?;
                    symbols.push(self.rules.class(Class::new(false, vec![(c, c)])));
                }
            }
        }
    }

    /// A class of characters.
    pub(super) fn class(&mut self) -> Result<Symbol, GrammarError> {
        let start = self.at;
        self.at += 1;
        let negated = self.take("^");
        let mut ranges = Vec::new();
        while !self.take("]") {
            if matches!(self.peek(), None | Some('\n' | '\r')) {
                return self.wrong(start, "the class does not end on its line");
            }
            let at = self.at;
            let from = self.character()?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            let to = if is_range {
                self.at += 1;
                self.character()?
            } else {
                from
            };
            if to < from {
                return self.wrong(at, format!("the range {from:?} to {to:?} is empty"));
            }
            ranges.push((from, to));
        }
        if ranges.is_empty() {
            let reason = "a class without characters; for any character write .";
            return self.wrong(start, reason);
        }
        Ok(self.rules.class(Class::new(negated, ranges)))
    }

    /// A character, which may be written as an escape.
    fn character(&mut self) -> Result<char, GrammarError> {
        let at = self.at;
        let mut rest = self.rest().chars();
        let c = match (rest.next(), rest.next()) {
            (Some('\\'), Some(escape)) => {
                self.at += 1 + escape.len_utf8();
                match escape {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '\\' | '"' | '[' | ']' => escape,
                    'x' => self.hexadecimal(2)?,
                    'u' => self.hexadecimal(4)?,
                    'U' => self.hexadecimal(8)?,
                    _ => {
                        let reason = format!("there is no escape \\{escape}");
                        return self.wrong(at, reason);
                    }
                }
            }
            (Some(c), _) if c != '\\' => {
                self.at += c.len_utf8();
                c
            }
            _ => return self.wrong(at, "the grammar ends inside a literal or class"),
        };
        Ok(c)
    }

    fn hexadecimal(&mut self, digits: usize) -> Result<char, GrammarError> {
        let at = self.at;
        let text = self.rest().get(..digits).unwrap_or_default();
        let hexadecimal = text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit());
        let code = u32::from_str_radix(text, 16).ok().filter(|_| hexadecimal);
        match code.and_then(char::from_u32) {
            Some(c) => {
                self.at += digits;
                Ok(c)
            }
            None => self.wrong(
                at,
                format!("expected {digits} hexadecimal digits of a character"),
            ),
        }
    }
}
