//! Whether a text fits a grammar: Earley's algorithm, a character at a time, with rules that may be
//! empty passed over when they are predicted (Aycock and Horspool).
//!
//! A rule at the end of an alternative takes the place of that alternative, as a tail call does: what its
//! end completes is what the alternative would have completed. So a rule that ends with itself, which is
//! what repetitions are, needs no more for the thousandth time than for the first.

use std::collections::HashSet;

use super::rules::{Rules, Symbol};
use super::verdict::{FoundInText, GrammarPlace, GrammarVerdict, Mismatch, Undecided};

/// A place in an alternative, and what the alternative's end completes: a rule, and before which character
/// that rule began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Item {
    at: usize,
    completes: u32,
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
    work: u64,
    max_work: u64,
}

/// Judges `text`; where `invalid` is given, that is what follows `text` and is no text.
pub(super) fn judge(
    rules: &Rules,
    text: &str,
    invalid: Option<FoundInText>,
    max_steps: u64,
) -> GrammarVerdict {
    let mut matcher = Matcher {
        rules,
        waiting: Vec::new(),
        items: Vec::new(),
        known: HashSet::new(),
        predicted: vec![0; rules.len()],
        work: 0,
        max_work: max_steps,
    };
    matcher.predict(rules.root, 0);
    let mut rest = text.chars();
    loop {
        let here = matcher.waiting.len();
        if !matcher.complete(here) {
            return GrammarVerdict::CannotBeTold(Undecided {
                place: find_place(text, here),
                steps: max_steps,
            });
        }
        let next = rest.next();
        let found = match (next, invalid) {
            (Some(c), _) => FoundInText::Character(c),
            (None, Some(invalid)) => invalid,
            (None, None) if matcher.is_whole() => return GrammarVerdict::Matches,
            (None, None) => FoundInText::End,
        };
        if !next.is_some_and(|c| matcher.advance(c)) {
            return GrammarVerdict::DoesNotMatch(Mismatch {
                place: find_place(text, here),
                found,
                expected: matcher.expected(),
            });
        }
    }
}

/// The place after the first `count` characters of `text`.
fn find_place(text: &str, count: usize) -> GrammarPlace {
    let mut place = GrammarPlace { line: 1, column: 1 };
    for c in text.chars().take(count) {
        place.column += 1;
        if c == '\n' {
            place.line += 1;
            place.column = 1;
        }
    }
    place
}

impl Matcher<'_> {
    fn add(&mut self, item: Item) {
        self.work += 1;
        if self.known.insert(item) {
            self.items.push(item);
        }
    }

    fn predict(&mut self, rule: u32, place: usize) {
        match self.predicted.get_mut(rule as usize) {
            Some(last) if *last <= place => *last = place + 1,
            _ => return,
        }
        self.begin(rule, rule, place);
    }

    /// Adds the alternatives of `rule`, whose end completes `completes`, which began at `origin`.
    fn begin(&mut self, rule: u32, completes: u32, origin: usize) {
        for at in self.rules.starts(rule) {
            self.add(Item {
                at: *at,
                completes,
                origin,
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
                Some(Symbol::Rule(rule)) if self.is_last(&item) => {
                    self.begin(rule, item.completes, item.origin);
                }
                Some(Symbol::Rule(rule)) => {
                    self.predict(rule, place);
                    if self.rules.is_nullable(rule) {
                        self.add(behind(item));
                    }
                }
                // What is empty here was passed over where it was predicted.
                Some(Symbol::End) if item.origin < place => {
                    let rule = item.completes;
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
            if self.work > self.max_work {
                return false;
            }
        }
        true
    }

    /// Whether nothing follows the symbol of an item.
    fn is_last(&self, item: &Item) -> bool {
        self.rules.symbol(item.at + 1) == Some(Symbol::End)
    }

    /// The rule that an item waits for.
    fn awaited(&self, item: &Item) -> Option<u32> {
        match self.rules.symbol(item.at) {
            Some(Symbol::Rule(rule)) if !self.is_last(item) => Some(rule),
            _ => None,
        }
    }

    fn is_whole(&self) -> bool {
        let whole = |item: &Item| {
            item.origin == 0
                && item.completes == self.rules.root
                && self.rules.symbol(item.at) == Some(Symbol::End)
        };
        self.items.iter().any(whole)
    }

    /// Goes on after `c`, and says whether it could stand here.
    fn advance(&mut self, c: char) -> bool {
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
            return false;
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
        true
    }

    /// What could come next.
    fn expected(&self) -> Vec<String> {
        let mut expected = Vec::new();
        let mut seen = HashSet::new();
        for item in &self.items {
            if let Some(Symbol::Char(index)) = self.rules.symbol(item.at)
                && let Some(class) = self.rules.class_of(index)
                && class.may_have_any()
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
