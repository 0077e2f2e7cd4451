//! The notation of GBNF.

use std::collections::HashMap;

use super::error::GrammarError;
use super::rules::{Class, MAX_SYMBOLS, Rules, Symbol, TooLarge};

/// The most bytes of a grammar's text.
pub const MAX_BYTES: usize = 1 << 20;
/// The most parentheses that may be open at once.
pub const MAX_NESTING: usize = 64;
/// The largest number in `{m,n}`.
pub const MAX_REPEAT: u32 = 2000;

/// Reads a grammar's rules.
pub(super) fn parse(text: &str) -> Result<Rules, GrammarError> {
    if text.len() > MAX_BYTES {
        let reason = format!("the grammar has more than {MAX_BYTES} bytes");
        return Err(GrammarError::at(text, 0, reason));
    }
    let mut parser = Parser {
        text,
        at: 0,
        rules: Rules::default(),
        unfinished: 0,
        names: HashMap::new(),
    };
    parser.space(true);
    while parser.peek().is_some() {
        parser.rule()?;
    }
    parser.finish()
}

/// A rule's name: its number, where it is first used, where it is given and how many rules there were
/// then.
struct Name {
    rule: usize,
    used: usize,
    given: Option<(usize, usize)>,
}

pub(super) struct Parser<'a> {
    text: &'a str,
    /// How far reading has come, in bytes.
    pub(super) at: usize,
    pub(super) rules: Rules,
    /// The symbols of the sequences that are being read, which are not among the rules yet.
    unfinished: usize,
    names: HashMap<&'a str, Name>,
}

impl<'a> Parser<'a> {
    /// What is still to be read.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The character that is next.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes `token` where it stands here.
    pub(super) fn take(&mut self, token: &str) -> bool {
        let here = self.rest().starts_with(token);
        if here {
            self.at += token.len();
        }
        here
    }

    /// An error at `at`.
    pub(super) fn wrong<T>(&self, at: usize, reason: impl Into<String>) -> Result<T, GrammarError> {
        Err(GrammarError::at(self.text, at, reason))
    }

    /// Describes the next character, for messages.
    fn describe_next(&self) -> String {
        self.peek()
            .map_or("the end".to_owned(), |c| format!("{c:?}"))
    }

    /// Passes over blanks and comments, and over line ends where `lines` says so.
    fn space(&mut self, lines: bool) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\n' | '\r') if lines => self.at += 1,
                Some('#') => {
                    let rest = self.rest();
                    self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn name(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).filter(|name| !name.is_empty())
    }

    /// The rule of this name, which stands at `at`.
    fn named(&mut self, name: &'a str, at: usize) -> &mut Name {
        let rules = &mut self.rules;
        self.names.entry(name).or_insert_with(|| Name {
            rule: rules.reserve(),
            used: at,
            given: None,
        })
    }

    fn rule(&mut self) -> Result<(), GrammarError> {
        let at = self.at;
        let Some(name) = self.name() else {
            return self.wrong(
                at,
                format!("found {}, expected a rule's name", self.describe_next()),
            );
        };
        self.space(false);
        if !self.take("::=") {
            let reason = format!(
                "found {}, expected ::= behind {name:?}",
                self.describe_next()
            );
            return self.wrong(self.at, reason);
        }
        self.space(true);
        let before = self.rules.len();
        let entry = self.named(name, at);
        if entry.given.replace((at, before)).is_some() {
            return self.wrong(at, format!("the rule {name:?} is there twice"));
        }
        let rule = entry.rule;
        self.alternatives(rule, 0)?;
        match self.peek() {
            None | Some('\n' | '\r') => {
                self.space(true);
                Ok(())
            }
            Some(_) => {
                let reason = format!(
                    "found {}, expected more of the rule or a line end",
                    self.describe_next()
                );
                self.wrong(self.at, reason)
            }
        }
    }

    /// Alternatives of `rule`, inside `depth` parentheses.
    fn alternatives(&mut self, rule: usize, depth: usize) -> Result<(), GrammarError> {
        loop {
            let sequence = self.sequence(depth)?;
            self.unfinished -= sequence.len();
            let added = self.rules.alternative(rule, &sequence);
            self.sized(added)?;
            if !self.take("|") {
                return Ok(());
            }
            self.space(true);
        }
    }

    fn sized<T>(&self, added: Result<T, TooLarge>) -> Result<T, GrammarError> {
        added.or_else(|TooLarge| {
            let reason =
                format!("with its repetitions the grammar has more than {MAX_SYMBOLS} symbols");
            self.wrong(self.at, reason)
        })
    }

    fn sequence(&mut self, depth: usize) -> Result<Vec<Symbol>, GrammarError> {
        let mut sequence = Vec::new();
        loop {
            let at = self.at;
            let Some(c) = self.peek() else {
                return Ok(sequence);
            };
            let unit = match c {
                '"' => self.literal()?,
                '[' => vec![self.class()?],
                '.' => {
                    self.at += 1;
                    vec![self.rules.class(Class::new(true, Vec::new()))]
                }
                '(' => vec![self.group(depth + 1)?],
                '<' => {
                    return self.wrong(
                        at,
                        "tokens depend on a model's vocabulary and are not supported",
                    );
                }
                '*' | '+' | '?' | '{' => {
                    return self.wrong(at, format!("{c:?} has nothing before it to repeat"));
                }
                _ => match self.name() {
                    Some(name) => vec![Symbol::Rule(self.named(name, at).rule)],
                    None => return Ok(sequence),
                },
            };
            self.space(depth > 0);
            let unit = self.repeated(unit, depth)?;
            // Here already: a mebibyte of `x{2000}` would be gigabytes before its rule ends.
            self.unfinished += unit.len();
            let room = self.rules.room(self.unfinished);
            self.sized(room)?;
            sequence.extend(unit);
        }
    }

    fn group(&mut self, depth: usize) -> Result<Symbol, GrammarError> {
        let at = self.at;
        if depth > MAX_NESTING {
            return self.wrong(at, format!("more than {MAX_NESTING} open parentheses"));
        }
        self.at += 1;
        self.space(true);
        let rule = self.rules.reserve();
        self.alternatives(rule, depth)?;
        if !self.take(")") {
            let reason = format!(
                "found {}, expected more of the group or )",
                self.describe_next()
            );
            return self.wrong(self.at, reason);
        }
        Ok(Symbol::Rule(rule))
    }

    /// `unit`, as often as what stands behind it says.
    fn repeated(&mut self, unit: Vec<Symbol>, depth: usize) -> Result<Vec<Symbol>, GrammarError> {
        let at = self.at;
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => self.bounds()?,
            _ => return Ok(unit),
        };
        if self.text.as_bytes().get(at) != Some(&b'{') {
            self.at += 1;
        }
        self.space(depth > 0);
        if matches!(self.peek(), Some('*' | '+' | '?' | '{')) {
            return self.wrong(
                self.at,
                "one repetition behind another; put the first in parentheses",
            );
        }
        let written = self.written_out(unit, least, most);
        self.sized(written)
    }

    /// `least` to `most` of `unit`; any number from `least` where `most` is `None`.
    fn written_out(
        &mut self,
        unit: Vec<Symbol>,
        least: u32,
        most: Option<u32>,
    ) -> Result<Vec<Symbol>, TooLarge> {
        let one = match unit.as_slice() {
            [symbol] => *symbol,
            _ => {
                let rule = self.rules.reserve();
                self.rules.alternative(rule, &unit)?;
                Symbol::Rule(rule)
            }
        };
        let mut sequence = vec![one; least as usize];
        match most {
            None => sequence.push(self.rules.any_number(one)?),
            Some(most) => {
                let mut more = None;
                for _ in least..most {
                    let next: Vec<Symbol> = [Some(one), more].into_iter().flatten().collect();
                    more = Some(self.rules.either(&next, &[])?);
                }
                sequence.extend(more);
            }
        }
        Ok(sequence)
    }

    /// `{m}`, `{m,}` or `{m,n}`.
    fn bounds(&mut self) -> Result<(u32, Option<u32>), GrammarError> {
        let start = self.at;
        self.at += 1;
        self.space(false);
        let least = self.number()?;
        self.space(false);
        let most = if self.take(",") {
            self.space(false);
            let open = self.peek() == Some('}');
            if open { None } else { Some(self.number()?) }
        } else {
            Some(least)
        };
        self.space(false);
        if !self.take("}") {
            return self.wrong(
                self.at,
                format!("found {}, expected }}", self.describe_next()),
            );
        }
        if most.is_some_and(|most| most < least) {
            return self.wrong(start, "the second number is below the first");
        }
        Ok((least, most))
    }

    fn number(&mut self) -> Result<u32, GrammarError> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let number = rest.get(..end).and_then(|digits| digits.parse().ok());
        match number {
            Some(number) if number <= MAX_REPEAT => {
                self.at += end;
                Ok(number)
            }
            _ => self.wrong(self.at, format!("expected a number from 0 to {MAX_REPEAT}")),
        }
    }

    /// The rules, once everything in them is there.
    fn finish(mut self) -> Result<Rules, GrammarError> {
        let missing = self.names.iter().filter(|(_, name)| name.given.is_none());
        if let Some((name, entry)) = missing.min_by_key(|(_, name)| name.used) {
            return self.wrong(entry.used, format!("there is no rule {name:?}"));
        }
        let Some(root) = self.names.get("root") else {
            return self.wrong(self.text.len(), "there is no rule \"root\"");
        };
        self.rules.root = root.rule;
        self.rules.find_nullable();
        if let Some(rule) = self.rules.left_recursive() {
            return Err(self.recursion(rule));
        }
        Ok(self.rules)
    }

    fn recursion(&self, rule: usize) -> GrammarError {
        let named = self.names.iter().find(|(_, name)| name.rule == rule);
        // What has no name is a part of the rule that was begun last before it.
        let begun = |name: &Name| name.given.filter(|(_, before)| *before <= rule);
        let last = self.names.iter().max_by_key(|(_, name)| begun(name));
        let (what, found) = match named {
            Some(_) => ("the rule", named),
            None => ("a part of the rule", last),
        };
        let given = |name: &Name| name.given.map_or(0, |(at, _)| at);
        let (name, at) = found.map_or(("", 0), |(name, entry)| (*name, given(entry)));
        let reason = format!(
            "{what} {name:?} may begin with itself or repeats what may be empty; llama.cpp refuses such a grammar"
        );
        GrammarError::at(self.text, at, reason)
    }
}
