//! Whether a text fits a grammar: Earley's algorithm, a character at a time, with rules that may be
//! empty passed over when they are predicted (Aycock and Horspool).

use std::collections::HashSet;
use std::fmt;

use super::rules::{Rules, Symbol};

/// The most steps of one match; beyond them the answer is that nobody knows.
pub const MAX_WORK: usize = 10_000_000;

/// The most alternatives that a message names.
const MAX_EXPECTED: usize = 8;

/// Why a text does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The character there; `None` where the text ends.
    pub found: Option<char>,
    /// What could stand there instead, the end included; empty where the text is too much work.
    pub expected: Vec<String>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if self.expected.is_empty() {
            return write!(f, "cannot be told within {MAX_WORK} steps");
        }
        match self.found {
            Some(c) => write!(f, "found {c:?}")?,
            None => f.write_str("the text ends")?,
        }
        let shown = self.expected.iter().take(MAX_EXPECTED);
        let shown: Vec<&str> = shown.map(String::as_str).collect();
        write!(f, ", expected {}", shown.join(" or "))?;
        if self.expected.len() > MAX_EXPECTED {
            write!(f, " or one of {} more", self.expected.len() - MAX_EXPECTED)?;
        }
        Ok(())
    }
}

/// A place in an alternative, and before which character that alternative began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Item {
    at: usize,
    origin: usize,
}

struct Matcher<'a> {
    rules: &'a Rules,
    /// For each character before the present one: the items that wait for a rule, by rule.
    waiting: Vec<Vec<Item>>,
    items: Vec<Item>,
    known: HashSet<Item>,
    /// For each rule the last place where it was predicted, from 1.
    predicted: Vec<usize>,
    work: usize,
}

pub(super) fn matches(rules: &Rules, text: &str) -> Result<(), Mismatch> {
    let mut matcher = Matcher {
        rules,
        waiting: Vec::new(),
        items: Vec::new(),
        known: HashSet::new(),
        predicted: vec![0; rules.len()],
        work: 0,
    };
    matcher.predict(rules.root, 0);
    let mut rest = text.chars();
    loop {
        let place = matcher.waiting.len();
        let known = matcher.complete(place);
        let found = rest.next();
        if !known {
            return Err(mismatch(text, place, found, Vec::new()));
        }
        let Some(c) = found else {
            return match matcher.is_whole() {
                true => Ok(()),
                false => Err(mismatch(text, place, None, matcher.expected())),
            };
        };
        let expected = matcher.advance(c);
        if let Some(expected) = expected {
            return Err(mismatch(text, place, found, expected));
        }
    }
}

fn mismatch(text: &str, place: usize, found: Option<char>, expected: Vec<String>) -> Mismatch {
    let mut at = Mismatch {
        line: 1,
        column: 1,
        found,
        expected,
    };
    for c in text.chars().take(place) {
        at.column += 1;
        if c == '\n' {
            at.line += 1;
            at.column = 1;
        }
    }
    at
}

impl Matcher<'_> {
    fn add(&mut self, item: Item) {
        self.work += 1;
        if self.known.insert(item) {
            self.items.push(item);
        }
    }

    fn predict(&mut self, rule: usize, place: usize) {
        match self.predicted.get_mut(rule) {
            Some(last) if *last <= place => *last = place + 1,
            _ => return,
        }
        for at in self.rules.starts(rule) {
            self.add(Item {
                at: *at,
                origin: place,
            });
        }
    }

    /// Follows from the items at `place` everything that follows without a character. `false` where
    /// that is too much work.
    fn complete(&mut self, place: usize) -> bool {
        let mut next = 0;
        while let Some(item) = self.items.get(next).copied() {
            next += 1;
            match self.rules.symbol(item.at) {
                Some(Symbol::Rule(rule)) => {
                    self.predict(rule, place);
                    if self.rules.is_nullable(rule) {
                        self.add(behind(item));
                    }
                }
                // What is empty here was passed over where it was predicted.
                Some(Symbol::End(rule)) if item.origin < place => {
                    let waiting = self.waiting.get(item.origin).map_or(&[][..], Vec::as_slice);
                    let from = waiting.partition_point(|item| self.awaited(item) < Some(rule));
                    let to = waiting.partition_point(|item| self.awaited(item) <= Some(rule));
                    for index in from..to {
                        let waiting = self.waiting.get(item.origin);
                        if let Some(item) = waiting.and_then(|items| items.get(index)).copied() {
                            self.add(behind(item));
                        }
                    }
                }
                _ => {}
            }
            if self.work > MAX_WORK {
                return false;
            }
        }
        true
    }

    /// The rule that an item waits for.
    fn awaited(&self, item: &Item) -> Option<usize> {
        match self.rules.symbol(item.at) {
            Some(Symbol::Rule(rule)) => Some(rule),
            _ => None,
        }
    }

    fn is_whole(&self) -> bool {
        let root = self.rules.root;
        self.items
            .iter()
            .any(|item| item.origin == 0 && self.rules.symbol(item.at) == Some(Symbol::End(root)))
    }

    /// Goes on behind `c`, or says what was expected instead.
    fn advance(&mut self, c: char) -> Option<Vec<String>> {
        let fits = |item: &Item| match self.rules.symbol(item.at) {
            Some(Symbol::Char(class)) => {
                self.rules.class_of(class).is_some_and(|class| class.has(c))
            }
            _ => false,
        };
        let next: Vec<Item> = self
            .items
            .iter()
            .copied()
            .filter(fits)
            .map(behind)
            .collect();
        if next.is_empty() {
            return Some(self.expected());
        }
        let waits = |item: &&Item| self.awaited(item).is_some();
        let mut waiting: Vec<Item> = self.items.iter().filter(waits).copied().collect();
        waiting.sort_unstable_by_key(|item| self.awaited(item));
        self.waiting.push(waiting);
        self.items.clear();
        self.known.clear();
        for item in next {
            self.add(item);
        }
        None
    }

    /// What could come next.
    fn expected(&self) -> Vec<String> {
        let mut expected = Vec::new();
        let mut seen = HashSet::new();
        for item in &self.items {
            if let Some(Symbol::Char(index)) = self.rules.symbol(item.at)
                && let Some(class) = self.rules.class_of(index)
                && seen.insert(index)
            {
                expected.push(class.to_string());
            }
        }
        if self.is_whole() {
            expected.push("the end".to_owned());
        }
        expected
    }
}

fn behind(item: Item) -> Item {
    Item {
        at: item.at + 1,
        ..item
    }
}
