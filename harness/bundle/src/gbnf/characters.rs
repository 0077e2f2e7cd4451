//! Literals, classes and escapes.

use super::error::GrammarError;
use super::parse::Parser;
use super::rules::{Class, Symbol};

impl Parser<'_> {
    /// Reads a literal: its characters one after another. It may go on after the end of a line.
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
                None => {
                    return self.wrong(start, "the literal does not end; expected a closing \"");
                }
                Some(_) => {
                    let c = self.character()?;
                    symbols.push(self.rules.class(Class::new(false, vec![(c, c)])));
                }
            }
        }
    }

    /// Reads a class of characters; `None` for one without characters, which llama.cpp reads as the empty
    /// text.
    pub(super) fn class(&mut self) -> Result<Option<Symbol>, GrammarError> {
        let start = self.at;
        self.at += 1;
        let negated = self.take("^");
        let mut ranges = Vec::new();
        while !self.take("]") {
            if self.peek().is_none() {
                return self.wrong(start, "the class does not end; expected a closing ]");
            }
            let from = self.character()?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            let to = if is_range {
                self.at += 1;
                self.character()?
            } else {
                from
            };
            ranges.push((from, to));
        }
        if ranges.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.rules.class(Class::new(negated, ranges))))
    }

    /// Reads a character, which may be written as an escape. Escapes also name numbers that no character
    /// has; llama.cpp takes them, and no text fits them.
    fn character(&mut self) -> Result<u32, GrammarError> {
        let at = self.at;
        let mut rest = self.rest().chars();
        let code = match (rest.next(), rest.next()) {
            (Some('\\'), Some(escape)) => {
                self.at += 1 + escape.len_utf8();
                match escape {
                    'n' => '\n'.into(),
                    'r' => '\r'.into(),
                    't' => '\t'.into(),
                    '\\' | '"' | '[' | ']' | '-' => escape.into(),
                    'x' => self.hexadecimal(2)?,
                    'u' => self.hexadecimal(4)?,
                    'U' => self.hexadecimal(8)?,
                    _ => {
                        let reason = format!(
                            "there is no escape \\{escape}; expected one of \\n \\r \\t \\\\ \\\" \\[ \\] \\- \\xHH \\uHHHH \\UHHHHHHHH"
                        );
                        return self.wrong(at, reason);
                    }
                }
            }
            (Some(c), _) if c != '\\' => {
                self.at += c.len_utf8();
                c.into()
            }
            _ => return self.wrong(at, "the grammar ends inside a literal or class"),
        };
        Ok(code)
    }

    fn hexadecimal(&mut self, digits: usize) -> Result<u32, GrammarError> {
        let at = self.at;
        let text = self.rest().get(..digits).unwrap_or_default();
        let hexadecimal = text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit());
        match u32::from_str_radix(text, 16) {
            Ok(code) if hexadecimal => {
                self.at += digits;
                Ok(code)
            }
            _ => self.wrong(at, format!("expected {digits} hexadecimal digits")),
        }
    }
}
