//! A grammar as plain rules: each some alternatives, each a sequence of characters and rules.

use std::collections::HashMap;
use std::fmt;

/// The most symbols of a grammar, once its repetitions are written out.
pub const MAX_SYMBOLS: usize = 200_000;

/// One place in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A character of this class.
    Char(usize),
    /// What this rule gives.
    Rule(usize),
    /// The sequence is over, and it was one of this rule's.
    End(usize),
}

/// Characters: those in the ranges, or all others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    negated: bool,
    /// In order and apart, so that a step of the matcher costs little however many there are.
    ranges: Vec<(char, char)>,
}

impl Class {
    pub(super) fn new(negated: bool, mut ranges: Vec<(char, char)>) -> Class {
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let overlaps = next.0 <= last.1;
            if overlaps {
                last.1 = last.1.max(next.1);
            }
            overlaps
        });
        Class { negated, ranges }
    }

    pub(super) fn has(&self, c: char) -> bool {
        let at = self.ranges.partition_point(|(_, to)| *to < c);
        let inside = self.ranges.get(at).is_some_and(|(from, _)| *from <= c);
        inside != self.negated
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.negated, self.ranges.as_slice()) {
            (true, []) => return f.write_str("any character"),
            (false, [(from, to)]) if from == to => return write!(f, "{from:?}"),
            (true, _) => f.write_str("[^")?,
            (false, _) => f.write_str("[")?,
        }
        for (from, to) in &self.ranges {
            write!(f, "{}", from.escape_debug())?;
            if from != to {
                write!(f, "-{}", to.escape_debug())?;
            }
        }
        f.write_str("]")
    }
}

#[derive(Clone, Debug, Default)]
struct Rule {
    /// Where its alternatives begin.
    starts: Vec<usize>,
    nullable: bool,
    /// Whether it only repeats: then its first alternative begins with itself, for the matcher's sake.
    repeats: bool,
}

/// All rules of a grammar.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    /// The alternatives one after another, each with its end.
    symbols: Vec<Symbol>,
    rules: Vec<Rule>,
    classes: Vec<Class>,
    known: HashMap<Class, usize>,
    pub(super) root: usize,
}

/// The grammar is larger than [`MAX_SYMBOLS`].
pub(super) struct TooLarge;

impl Rules {
    /// A rule without alternatives yet.
    pub(super) fn reserve(&mut self) -> usize {
        self.rules.push(Rule::default());
        self.rules.len() - 1
    }

    /// A rule that stands for `first` or else `second`.
    pub(super) fn either(
        &mut self,
        first: &[Symbol],
        second: &[Symbol],
    ) -> Result<Symbol, TooLarge> {
        let rule = self.reserve();
        self.alternative(rule, first)?;
        self.alternative(rule, second)?;
        Ok(Symbol::Rule(rule))
    }

    /// A rule that stands for any number of `symbol`.
    pub(super) fn any_number(&mut self, symbol: Symbol) -> Result<Symbol, TooLarge> {
        let rule = self.reserve();
        // Longer from the left: an Earley matcher then needs no more for the thousandth than for the
        // first.
        self.alternative(rule, &[Symbol::Rule(rule), symbol])?;
        self.alternative(rule, &[])?;
        if let Some(rule) = self.rules.get_mut(rule) {
            rule.repeats = true;
        }
        Ok(Symbol::Rule(rule))
    }

    pub(super) fn alternative(&mut self, rule: usize, sequence: &[Symbol]) -> Result<(), TooLarge> {
        self.room(sequence.len())?;
        let start = self.symbols.len();
        self.symbols.extend_from_slice(sequence);
        self.symbols.push(Symbol::End(rule));
        if let Some(rule) = self.rules.get_mut(rule) {
            rule.starts.push(start);
        }
        Ok(())
    }

    /// Whether `more` symbols and an end have room.
    pub(super) fn room(&self, more: usize) -> Result<(), TooLarge> {
        match self.symbols.len() + more < MAX_SYMBOLS {
            true => Ok(()),
            false => Err(TooLarge),
        }
    }

    pub(super) fn class(&mut self, class: Class) -> Symbol {
        let next = self.classes.len();
        let index = *self.known.entry(class.clone()).or_insert(next);
        if index == next {
            self.classes.push(class);
        }
        Symbol::Char(index)
    }

    pub(super) fn len(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn symbol(&self, at: usize) -> Option<Symbol> {
        self.symbols.get(at).copied()
    }

    pub(super) fn starts(&self, rule: usize) -> &[usize] {
        self.rules.get(rule).map_or(&[], |rule| &rule.starts)
    }

    pub(super) fn is_nullable(&self, rule: usize) -> bool {
        self.rules.get(rule).is_some_and(|rule| rule.nullable)
    }

    pub(super) fn class_of(&self, index: usize) -> Option<&Class> {
        self.classes.get(index)
    }

    /// The sequence of the alternative that begins at `start`.
    fn sequence(&self, start: usize) -> impl Iterator<Item = Symbol> {
        let rest = self.symbols.get(start..).unwrap_or_default().iter();
        rest.copied()
            .take_while(|symbol| !matches!(symbol, Symbol::End(_)))
    }

    /// Finds out which rules may be empty, in time linear in the symbols.
    pub(super) fn find_nullable(&mut self) {
        // Of each alternative its rule and how many of its symbols are not known to be empty; of each
        // rule the alternatives that it stands in.
        let mut alternatives: Vec<(usize, usize)> = Vec::new();
        let mut within: Vec<Vec<usize>> = vec![Vec::new(); self.rules.len()];
        let mut empty = Vec::new();
        let mut length = 0;
        for symbol in &self.symbols {
            match symbol {
                Symbol::End(rule) => {
                    if length == 0 {
                        empty.push(*rule);
                    }
                    alternatives.push((*rule, std::mem::take(&mut length)));
                    continue;
                }
                Symbol::Rule(rule) => {
                    if let Some(within) = within.get_mut(*rule) {
                        within.push(alternatives.len());
                    }
                }
                Symbol::Char(_) => {}
            }
            length += 1;
        }
        while let Some(rule) = empty.pop() {
            match self.rules.get_mut(rule) {
                Some(rule) if !rule.nullable => rule.nullable = true,
                _ => continue,
            }
            for alternative in within.get(rule).into_iter().flatten() {
                if let Some((rule, left)) = alternatives.get_mut(*alternative) {
                    *left -= 1;
                    if *left == 0 {
                        empty.push(*rule);
                    }
                }
            }
        }
    }

    /// A rule that may begin with itself, if there is one. A repetition of what may be empty is one
    /// too.
    pub(super) fn left_recursive(&self) -> Option<usize> {
        #[derive(Clone, Copy, PartialEq)]
        enum VisitState {
            Unvisited,
            Open,
            Done,
        }
        fn mark(states: &mut [VisitState], rule: usize, state: VisitState) {
            if let Some(slot) = states.get_mut(rule) {
                *slot = state;
            }
        }
        let mut states = vec![VisitState::Unvisited; self.rules.len()];
        for first in 0..self.rules.len() {
            if states.get(first) != Some(&VisitState::Unvisited) {
                continue;
            }
            mark(&mut states, first, VisitState::Open);
            // Each rule with the rules it may begin with that are still to be looked at.
            let mut open = vec![(first, self.beginnings(first))];
            while let Some((rule, beginnings)) = open.last_mut() {
                match beginnings.pop() {
                    Some(next) => match states.get(next) {
                        Some(VisitState::Open) => return Some(next),
                        Some(VisitState::Unvisited) => {
                            mark(&mut states, next, VisitState::Open);
                            open.push((next, self.beginnings(next)));
                        }
                        _ => {}
                    },
                    None => {
                        mark(&mut states, *rule, VisitState::Done);
                        open.pop();
                    }
                }
            }
        }
        None
    }

    /// The rules that `rule` may begin with.
    fn beginnings(&self, rule: usize) -> Vec<usize> {
        let repeats = self.rules.get(rule).is_some_and(|rule| rule.repeats);
        let mut found = Vec::new();
        for start in self.starts(rule) {
            for (place, symbol) in self.sequence(*start).enumerate() {
                let Symbol::Rule(next) = symbol else { break };
                let itself = repeats && place == 0;
                if !itself {
                    found.push(next);
                    if repeats && self.is_nullable(next) {
                        found.push(rule);
                    }
                }
                if !self.is_nullable(next) {
                    break;
                }
            }
        }
        found
    }
}
