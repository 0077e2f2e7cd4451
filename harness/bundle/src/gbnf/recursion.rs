//! Rules that begin with themselves: those that llama.cpp refuses, and those on which it never ends.

use super::rules::{Rules, Symbol};

/// A rule that another may begin with.
#[derive(Clone, Copy, Debug)]
struct Beginning {
    rule: u32,
    /// Whether something follows it.
    followed: bool,
}

impl Rules {
    /// A rule that may begin with itself in llama.cpp's eyes, if there is one. Of the rules that may be
    /// empty llama.cpp knows only those with an alternative that has no symbols.
    pub(super) fn left_recursive(&self) -> Option<u32> {
        let beginnings = |rule| self.beginnings(rule, &|rule| self.has_empty_alternative(rule));
        let components = self.components(&beginnings);
        let inside = |rule: u32| {
            let beginnings = beginnings(rule);
            let own = |to: &Beginning| same(&components, rule, to.rule);
            beginnings.iter().any(own)
        };
        self.numbers().find(|rule| inside(*rule))
    }

    /// A rule that is in use and may begin with itself and something behind it. llama.cpp has refused those
    /// that it sees; of the others it would stack up what follows them without an end.
    pub(super) fn endless(&self) -> Option<u32> {
        let beginnings = |rule| self.beginnings(rule, &|rule| self.is_nullable(rule));
        let components = self.components(&beginnings);
        let used = self.used();
        let grows = |rule: u32| {
            let beginnings = beginnings(rule);
            let own = |to: &Beginning| to.followed && same(&components, rule, to.rule);
            used.get(rule as usize) == Some(&true) && beginnings.iter().any(own)
        };
        self.numbers().find(|rule| grows(*rule))
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        // There are fewer rules than symbols, and their number is bounded.
        0..u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    /// The rules that `rule` may begin with, where those that `empty` names may be passed over.
    fn beginnings(&self, rule: u32, empty: &dyn Fn(u32) -> bool) -> Vec<Beginning> {
        let mut found = Vec::new();
        if self.is_inlined(rule) {
            return found;
        }
        for start in self.starts(rule) {
            // The place that is next, below it those after the inlined rules that it is in.
            let mut places = vec![*start];
            while let Some(place) = places.pop() {
                match self.symbol(place) {
                    Some(Symbol::Rule(next)) => {
                        places.push(place + 1);
                        if self.is_inlined(next) {
                            places.extend(self.starts(next));
                            continue;
                        }
                        let ended =
                            |place: &usize| matches!(self.symbol(*place), Some(Symbol::End));
                        found.push(Beginning {
                            rule: next,
                            followed: !places.iter().all(ended),
                        });
                        if !empty(next) {
                            break;
                        }
                    }
                    Some(Symbol::End) => {}
                    _ => break,
                }
            }
        }
        found
    }

    /// Which rules the root needs.
    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.len()];
        let mut open = vec![self.root];
        while let Some(rule) = open.pop() {
            match used.get_mut(rule as usize) {
                Some(used) if !*used => *used = true,
                _ => continue,
            }
            let symbols = self
                .starts(rule)
                .iter()
                .flat_map(|start| self.sequence(*start));
            open.extend(symbols.filter_map(|symbol| match symbol {
                Symbol::Rule(rule) => Some(rule),
                _ => None,
            }));
        }
        used
    }

    /// For each rule the number of its strongly connected component (Tarjan's algorithm): two rules that may
    /// begin with each other have one number.
    fn components(&self, beginnings: &dyn Fn(u32) -> Vec<Beginning>) -> Vec<usize> {
        const UNVISITED: usize = usize::MAX;
        let mut low = vec![UNVISITED; self.len()];
        let mut component = vec![UNVISITED; self.len()];
        let (mut visited, mut finished) = (0, 0);
        let mut on_path: Vec<u32> = Vec::new();
        let get = |of: &[usize], rule: u32| of.get(rule as usize).copied().unwrap_or(UNVISITED);
        let set = |of: &mut [usize], rule: u32, value: usize| {
            if let Some(slot) = of.get_mut(rule as usize) {
                *slot = value;
            }
        };
        for first in self.numbers() {
            if get(&low, first) != UNVISITED {
                continue;
            }
            // Each rule with its own number and the beginnings that are still to be looked at.
            let mut open: Vec<(u32, usize, Vec<Beginning>)> = Vec::new();
            let mut next = Some(first);
            loop {
                if let Some(rule) = next.take() {
                    set(&mut low, rule, visited);
                    on_path.push(rule);
                    open.push((rule, visited, beginnings(rule)));
                    visited += 1;
                }
                let Some((rule, number, left)) = open.last_mut() else {
                    break;
                };
                let (rule, number) = (*rule, *number);
                if let Some(Beginning { rule: to, .. }) = left.pop() {
                    if get(&low, to) == UNVISITED {
                        next = Some(to);
                    } else if get(&component, to) == UNVISITED {
                        let lowest = get(&low, rule).min(get(&low, to));
                        set(&mut low, rule, lowest);
                    }
                    continue;
                }
                open.pop();
                let lowest = get(&low, rule);
                if lowest == number {
                    while let Some(member) = on_path.pop() {
                        set(&mut component, member, finished);
                        if member == rule {
                            break;
                        }
                    }
                    finished += 1;
                } else if let Some((above, _, _)) = open.last() {
                    let lowest = lowest.min(get(&low, *above));
                    set(&mut low, *above, lowest);
                }
            }
        }
        component
    }
}

/// Whether two rules are in one component.
fn same(components: &[usize], a: u32, b: u32) -> bool {
    components.get(a as usize) == components.get(b as usize)
}
