//! A grammar as plain rules: each some alternatives, each a sequence of characters and rules.

use std::collections::HashMap;
use std::fmt;

/// The most symbols of a grammar, once its repetitions are written out.
pub const MAX_SYMBOLS: usize = 2_000_000;

/// One place in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A character of this class.
    Char(u32),
    /// What this rule gives.
    Rule(u32),
    /// The sequence is over.
    End,
}

/// Characters: those in the ranges, or all others. Numbers that are no character may stand in a range too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    negated: bool,
    /// In order and apart, so that a step of the matcher costs little however many there are.
    ranges: Vec<(u32, u32)>,
}

impl Class {
    /// A class of these ranges; one whose end is below its beginning has no character.
    pub(super) fn new(negated: bool, mut ranges: Vec<(u32, u32)>) -> Class {
        ranges.retain(|(from, to)| from <= to);
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
        let c = u32::from(c);
        let at = self.ranges.partition_point(|(_, to)| *to < c);
        let inside = self.ranges.get(at).is_some_and(|(from, _)| *from <= c);
        inside != self.negated
    }

    /// Whether some character may be in the class: `[z-a]` has none.
    pub(super) fn may_have_any(&self) -> bool {
        let any = |(from, to): &(u32, u32)| {
            let surrogates_only = *from >= 0xd800 && *to <= 0xdfff;
            *from <= u32::from(char::MAX) && !surrogates_only
        };
        self.negated || self.ranges.iter().any(any)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |code: u32| match char::from_u32(code) {
            Some(c) => c.escape_debug().to_string(),
            None => format!("\\U{code:08X}"),
        };
        match (self.negated, self.ranges.as_slice()) {
            (true, []) => return f.write_str("any character"),
            (false, [(from, to)]) if from == to => {
                return match char::from_u32(*from) {
                    Some(c) => write!(f, "{c:?}"),
                    None => f.write_str(&shown(*from)),
                };
            }
            (true, _) => f.write_str("[^")?,
            (false, _) => f.write_str("[")?,
        }
        for (from, to) in &self.ranges {
            f.write_str(&shown(*from))?;
            if from != to {
                write!(f, "-{}", shown(*to))?;
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
    /// Whether the rule stands for several symbols that repeat: llama.cpp copies them and has no rule for them.
    inlined: bool,
}

/// All rules of a grammar.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    /// The alternatives one after another, each with its end.
    symbols: Vec<Symbol>,
    rules: Vec<Rule>,
    inlined: usize,
    classes: Vec<Class>,
    known: HashMap<Class, u32>,
    pub(super) root: u32,
}

/// The grammar is larger than [`MAX_SYMBOLS`].
pub(super) struct TooLarge;

impl Rules {
    /// A rule without alternatives yet.
    pub(super) fn reserve(&mut self) -> u32 {
        self.rules.push(Rule::default());
        // Each rule comes from a byte of the grammar or a symbol, and both have their bounds.
        u32::try_from(self.rules.len() - 1).unwrap_or(u32::MAX)
    }

    /// Takes the alternatives of a rule away.
    pub(super) fn clear(&mut self, rule: u32) {
        if let Some(rule) = self.rules.get_mut(rule as usize) {
            rule.starts.clear();
        }
    }

    /// How many rules llama.cpp would have.
    pub(super) fn symbol_ids(&self) -> usize {
        self.rules.len() - self.inlined
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
        self.alternative(rule, &[symbol, Symbol::Rule(rule)])?;
        self.alternative(rule, &[])?;
        Ok(Symbol::Rule(rule))
    }

    /// A rule that stands for `sequence`, which llama.cpp would copy instead.
    pub(super) fn inlined(&mut self, sequence: &[Symbol]) -> Result<Symbol, TooLarge> {
        let rule = self.reserve();
        self.inlined += 1;
        if let Some(rule) = self.rules.get_mut(rule as usize) {
            rule.inlined = true;
        }
        self.alternative(rule, sequence)?;
        Ok(Symbol::Rule(rule))
    }

    pub(super) fn alternative(&mut self, rule: u32, sequence: &[Symbol]) -> Result<(), TooLarge> {
        self.room(sequence.len())?;
        let start = self.symbols.len();
        self.symbols.extend_from_slice(sequence);
        self.symbols.push(Symbol::End);
        if let Some(rule) = self.rules.get_mut(rule as usize) {
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
        // A class comes from two bytes of the grammar at least.
        let next = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
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

    pub(super) fn starts(&self, rule: u32) -> &[usize] {
        self.rules
            .get(rule as usize)
            .map_or(&[], |rule| &rule.starts)
    }

    pub(super) fn is_nullable(&self, rule: u32) -> bool {
        self.rules
            .get(rule as usize)
            .is_some_and(|rule| rule.nullable)
    }

    pub(super) fn class_of(&self, index: u32) -> Option<&Class> {
        self.classes.get(index as usize)
    }

    /// Whether a rule has an alternative without symbols: what llama.cpp sees of it when it looks for rules
    /// that may be empty.
    pub(super) fn has_empty_alternative(&self, rule: u32) -> bool {
        let empty = |start: &usize| matches!(self.symbol(*start), Some(Symbol::End));
        self.starts(rule).iter().any(empty)
    }

    /// Whether a rule stands for symbols that llama.cpp would copy.
    pub(super) fn is_inlined(&self, rule: u32) -> bool {
        self.rules
            .get(rule as usize)
            .is_some_and(|rule| rule.inlined)
    }

    /// The sequence of the alternative that begins at `start`.
    pub(super) fn sequence(&self, start: usize) -> impl Iterator<Item = Symbol> {
        let rest = self.symbols.get(start..).unwrap_or_default().iter();
        rest.copied()
            .take_while(|symbol| !matches!(symbol, Symbol::End))
    }

    /// For each rule, whether it must be given: it stands in another, or llama.cpp has given a rule after
    /// it. The first definition of a rule that is there twice does not count.
    pub(super) fn needed(&self) -> Vec<bool> {
        let given = |rule: &Rule| !rule.starts.is_empty() && !rule.inlined;
        let last = self.rules.iter().rposition(given).unwrap_or(0);
        let mut needed: Vec<bool> = (0..self.rules.len()).map(|rule| rule < last).collect();
        let starts = self.rules.iter().flat_map(|rule| &rule.starts);
        for symbol in starts.flat_map(|start| self.sequence(*start)) {
            if let Symbol::Rule(rule) = symbol
                && let Some(needed) = needed.get_mut(rule as usize)
            {
                *needed = true;
            }
        }
        needed
    }

    /// Finds out which rules may be empty, in time linear in the symbols.
    pub(super) fn find_nullable(&mut self) {
        // Of each alternative its rule and how many of its symbols are not known to be empty; of each
        // rule the alternatives that it stands in.
        let mut alternatives: Vec<(usize, usize)> = Vec::new();
        let mut within: Vec<Vec<usize>> = vec![Vec::new(); self.rules.len()];
        let mut empty = Vec::new();
        for (number, rule) in self.rules.iter().enumerate() {
            for start in &rule.starts {
                let mut length = 0;
                for symbol in self.sequence(*start) {
                    if let Symbol::Rule(rule) = symbol
                        && let Some(within) = within.get_mut(rule as usize)
                    {
                        within.push(alternatives.len());
                    }
                    length += 1;
                }
                if length == 0 {
                    empty.push(number);
                }
                alternatives.push((number, length));
            }
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
}
