//! The notation of GBNF.
//!
//! Rules are numbered in llama.cpp's order, because that order decides which names may stay without a rule.

use std::collections::HashMap;

use super::error::{GrammarError, GrammarErrorKind};
use super::rules::{Class, MAX_SYMBOLS, Rules, Symbol, TooLarge};

/// The most bytes of a grammar's text.
pub const MAX_BYTES: usize = 1 << 20;
/// The largest `m` of `{m}`, `{m,}` and `{m,n}`, as llama.cpp has it; a larger `n` is none.
pub const MAX_REPEAT: u64 = 2000;

/// Reads a grammar's rules.
pub(super) fn parse(text: &str) -> Result<Rules, GrammarError> {
    let refused = |at, kind, reason| Err(GrammarError::at(text, at, kind, reason));
    if text.len() > MAX_BYTES {
        let reason = format!("the grammar has more than {MAX_BYTES} bytes");
        return refused(0, GrammarErrorKind::Unsupported, reason);
    }
    if let Some(at) = text.find('\0') {
        let reason = "a NUL, after which llama.cpp reads nothing; remove it".to_owned();
        return refused(at, GrammarErrorKind::Unsupported, reason);
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

/// A rule's name: its number, where it is first used, where it is given last and how many rules there were
/// then.
struct Name {
    rule: u32,
    used: usize,
    given: Option<(usize, usize)>,
}

/// An alternative that is being read, and its last unit, which a repetition would repeat.
#[derive(Default)]
pub(super) struct Sequence {
    symbols: Vec<Symbol>,
    last: usize,
    /// The rules that llama.cpp would have to write for the last unit.
    pub(super) rules_of_last: u64,
}

impl Sequence {
    /// Begins a unit of so many rules.
    fn begin_unit(&mut self, rules: usize) {
        self.last = self.symbols.len();
        self.rules_of_last = rules.max(1) as u64;
    }

    pub(super) fn last_unit(&self) -> &[Symbol] {
        self.symbols.get(self.last..).unwrap_or_default()
    }

    /// Removes the last unit and says how many symbols it had.
    pub(super) fn forget_last_unit(&mut self) -> usize {
        let symbols = self.symbols.len() - self.last;
        self.symbols.truncate(self.last);
        symbols
    }
}

/// A rule or a group whose alternatives are being read.
struct OpenRule {
    rule: u32,
    /// How many of llama.cpp's rules there were before it.
    before: usize,
    sequence: Sequence,
}

pub(super) struct Parser<'a> {
    text: &'a str,
    /// How far reading has come, in bytes.
    pub(super) at: usize,
    pub(super) rules: Rules,
    /// The symbols of the sequences that are being read, which are not among the rules yet.
    pub(super) unfinished: usize,
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
        let kind = GrammarErrorKind::Malformed;
        Err(GrammarError::at(self.text, at, kind, reason))
    }

    /// Describes the next character, for messages.
    pub(super) fn describe_next(&self) -> String {
        match self.peek() {
            Some('\u{feff}') => "a byte-order mark".to_owned(),
            Some(c) => format!("{c:?}"),
            None => "the end".to_owned(),
        }
    }

    /// Passes over blanks and comments, and over line ends where `lines` says so.
    pub(super) fn space(&mut self, lines: bool) {
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

    /// Reads a rule. Of two rules with one name llama.cpp takes the later.
    fn rule(&mut self) -> Result<(), GrammarError> {
        let at = self.at;
        let Some(name) = self.name() else {
            let reason = format!("found {}, expected a rule's name", self.describe_next());
            return self.wrong(at, reason);
        };
        self.space(false);
        let before = self.rules.len();
        let entry = self.named(name, at);
        let rule = entry.rule;
        entry.given = Some((at, before));
        if !self.take("::=") {
            let reason = format!(
                "found {}, expected ::= after {name:?}",
                self.describe_next()
            );
            return self.wrong(self.at, reason);
        }
        self.space(true);
        self.rules.clear(rule);
        self.alternatives(rule)?;
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

    /// Reads the alternatives of `rule`, with the groups in them.
    fn alternatives(&mut self, rule: u32) -> Result<(), GrammarError> {
        let mut outer: Vec<OpenRule> = Vec::new();
        let mut open = self.open_rule(rule);
        loop {
            let nested = !outer.is_empty();
            match self.peek() {
                Some('(') => {
                    self.at += 1;
                    self.space(true);
                    let before = self.rules.symbol_ids();
                    let group = self.rules.reserve();
                    let inner = OpenRule {
                        before,
                        ..self.open_rule(group)
                    };
                    outer.push(std::mem::replace(&mut open, inner));
                }
                Some('|') => {
                    self.at += 1;
                    self.space(true);
                    let sequence = std::mem::take(&mut open.sequence);
                    self.close_alternative(open.rule, &sequence)?;
                }
                Some('*' | '+' | '?' | '{') => self.repetition(&mut open.sequence, nested)?,
                Some(_) if self.unit(&mut open.sequence)? => self.space(nested),
                next => {
                    self.close_alternative(open.rule, &open.sequence)?;
                    let Some(mut around) = outer.pop() else {
                        return Ok(());
                    };
                    if next != Some(')') {
                        let reason = format!(
                            "found {}, expected more of the group or )",
                            self.describe_next()
                        );
                        return self.wrong(self.at, reason);
                    }
                    self.at += 1;
                    let rules = self.rules.symbol_ids() - open.before;
                    around.sequence.begin_unit(rules);
                    self.push(&mut around.sequence, Symbol::Rule(open.rule))?;
                    open = around;
                    self.space(!outer.is_empty());
                }
            }
        }
    }

    fn open_rule(&self, rule: u32) -> OpenRule {
        OpenRule {
            rule,
            before: self.rules.symbol_ids(),
            sequence: Sequence::default(),
        }
    }

    fn close_alternative(&mut self, rule: u32, sequence: &Sequence) -> Result<(), GrammarError> {
        self.unfinished -= sequence.symbols.len();
        let added = self.rules.alternative(rule, &sequence.symbols);
        self.check_size(added)
    }

    /// Puts `symbol` at the end of `sequence`. The bound is checked here already: a mebibyte of `x{2000}`
    /// would be gigabytes before its rule ends.
    pub(super) fn push(
        &mut self,
        sequence: &mut Sequence,
        symbol: Symbol,
    ) -> Result<(), GrammarError> {
        self.unfinished += 1;
        let room = self.rules.room(self.unfinished);
        self.check_size(room)?;
        sequence.symbols.push(symbol);
        Ok(())
    }

    pub(super) fn check_size<T>(&self, added: Result<T, TooLarge>) -> Result<T, GrammarError> {
        added.map_err(|TooLarge| {
            let reason =
                format!("with its repetitions the grammar has more than {MAX_SYMBOLS} symbols");
            GrammarError::at(self.text, self.at, GrammarErrorKind::Unsupported, reason)
        })
    }

    /// Reads a literal, a class, a dot or a name, and says whether one stood here.
    fn unit(&mut self, sequence: &mut Sequence) -> Result<bool, GrammarError> {
        let at = self.at;
        let unit = match self.peek() {
            Some('"') => self.literal()?,
            Some('[') => self.class()?.into_iter().collect(),
            Some('.') => {
                self.at += 1;
                vec![self.rules.class(Class::new(true, Vec::new()))]
            }
            Some('<') => return self.token(at),
            Some('!') if self.rest().starts_with("!<") => return self.token(at),
            _ => match self.name() {
                Some(name) => vec![Symbol::Rule(self.named(name, at).rule)],
                None => return Ok(false),
            },
        };
        sequence.begin_unit(1);
        for symbol in unit {
            self.push(sequence, symbol)?;
        }
        Ok(true)
    }

    /// Refuses a token.
    fn token<T>(&self, at: usize) -> Result<T, GrammarError> {
        if !self.rest().contains('>') {
            return self.wrong(at, "the token does not end; expected a closing >");
        }
        let reason = "tokens depend on a model's vocabulary and are not supported";
        let kind = GrammarErrorKind::Unsupported;
        Err(GrammarError::at(self.text, at, kind, reason))
    }

    /// The rules, once everything in them is there.
    fn finish(mut self) -> Result<Rules, GrammarError> {
        let needed = self.rules.needed();
        let missing = self.names.iter().filter(|(_, name)| {
            name.given.is_none() && needed.get(name.rule as usize) == Some(&true)
        });
        if let Some((name, entry)) = missing.min_by_key(|(_, name)| name.used) {
            return self.wrong(entry.used, format!("there is no rule {name:?}"));
        }
        let Some(root) = self.names.get("root").filter(|root| root.given.is_some()) else {
            return self.wrong(self.text.len(), "there is no rule \"root\"");
        };
        self.rules.root = root.rule;
        self.rules.find_nullable();
        if let Some(rule) = self.rules.left_recursive() {
            let reason = "may begin with itself or repeats what may be empty; llama.cpp refuses such a grammar";
            return self.wrong_rule(rule, reason);
        }
        if let Some(rule) = self.rules.endless() {
            let reason = "may begin with itself after what may be empty; llama.cpp never ends on such a grammar";
            return self.wrong_rule(rule, reason);
        }
        Ok(self.rules)
    }

    /// An error in the rule with this number.
    fn wrong_rule<T>(&self, rule: u32, reason: &str) -> Result<T, GrammarError> {
        let named = self.names.iter().find(|(_, name)| name.rule == rule);
        // What has no name is a part of the rule that was begun last before it.
        let begun = |name: &Name| name.given.filter(|(_, before)| *before <= rule as usize);
        let last = self.names.iter().max_by_key(|(_, name)| begun(name));
        let (what, found) = match named {
            Some(_) => ("the rule", named),
            None => ("a part of the rule", last),
        };
        let given = |name: &Name| name.given.map_or(0, |(at, _)| at);
        let (name, at) = found.map_or(("", 0), |(name, entry)| (*name, given(entry)));
        self.wrong(at, format!("{what} {name:?} {reason}"))
    }
}
