//! The values of selectors, collected as the tokens of an answer go by. Determinism: D1.
//!
//! formats.md §4, "Extracting the value"; decisions D38 and D39. All paths are followed at the same
//! time; what is kept of one is the number of its steps that have been taken, and whether a value is
//! owed to it, whatever its length.

use super::escaped::Cursor;
use super::number::convert;
use super::path::{Form, Path, Step};
use super::reader::Token;

/// The number that stands for 'no value' (decision D18); no extracted Q16.16 value equals it.
pub const NO_VALUE: i32 = i32::MIN;

/// The largest number of selectors: one for each policy of a registry.
pub const MAX_POLICIES: usize = 64;

/// Gives the paths of the selectors that are wanted.
pub trait Selectors {
    /// The number of selectors. Those from [`MAX_POLICIES`] on are ignored.
    fn count(&self) -> usize;

    /// The path of the selector at `index`, below `count`, without the oracle; `None` where none is
    /// wanted. It begins with `/` if it is a JSON Pointer, and is the name of a member at the top level
    /// else. It is asked for at each member or element of each object or array that it leads into, and
    /// at their ends, so it should be at hand.
    fn path(&self, index: usize) -> Option<&str>;

    /// Whether the selector at `index` takes the least of the values that `~*` leads to; else it takes
    /// the greatest.
    fn takes_least(&self, index: usize) -> bool;
}

/// The largest number of objects and arrays open at once, the outermost included.
pub const MAX_DEPTH: usize = 32;

/// What [`Values::owed`] says of a selector that has no value, whatever follows.
const BROKEN: u8 = u8::MAX;

/// The values being extracted.
pub struct Values<'v> {
    selectors: &'v dyn Selectors,
    /// The number of open containers, from the outermost on, that a path leads into.
    reach: u8,
    /// For each selector the number of steps of its path that lead to an open container.
    passed: [u8; MAX_POLICIES],
    /// For each selector the depth of the innermost container that still owes it a value: 1 for the
    /// answer, and that of the array for an element that `~*` led to; 0 where none is owed, [`BROKEN`]
    /// where one was not given or was given twice.
    owed: [u8; MAX_POLICIES],
    /// By depth the number of members or elements so far in each open container that a path leads into.
    counts: [u32; MAX_DEPTH],
    extracted: &'v mut [i32; MAX_POLICIES],
}

impl<'v> Values<'v> {
    /// Values of `selectors` to be put in `extracted`, of which none has been given.
    pub fn new(selectors: &'v dyn Selectors, extracted: &'v mut [i32; MAX_POLICIES]) -> Self {
        extracted.fill(NO_VALUE);
        Values {
            selectors,
            // Every path leads into the outermost object.
            reach: 1,
            passed: [0; MAX_POLICIES],
            owed: [1; MAX_POLICIES],
            counts: [0; MAX_DEPTH],
            extracted,
        }
    }

    /// Whether a path leads into the open container at `depth`, the outermost being at 1. The values
    /// in any other container are not to be taken in.
    pub fn reaches(&self, depth: u8) -> bool {
        self.reach == depth
    }

    /// Takes in what is or begins with `value`, in the container that is [reached](Self::reaches): the
    /// member whose name begins at `name`, or without one the next element.
    pub fn take(&mut self, name: Option<Cursor<'_>>, value: Token<'_, Cursor<'_>>) {
        let depth = self.reach;
        let Some(count) = self.counts.get_mut(usize::from(depth).wrapping_sub(1)) else {
            return;
        };
        let at = *count;
        *count = at.wrapping_add(1);
        for index in 0..self.selectors.count().min(MAX_POLICIES) {
            let Some((step, passed, owed)) = self.step_at(index, depth) else {
                continue;
            };
            let form = match name {
                Some(name) => step.form_of(name),
                None if step.is_every() => {
                    // The element before has given what it owed.
                    *owed = if *owed < depth { depth } else { BROKEN };
                    Some(Form::Natural)
                }
                None => step.is_index(at).then_some(Form::Natural),
            };
            let Some(form) = form else { continue };
            if step.is_last {
                let converted = match value {
                    Token::Number(text) => convert(text, form == Form::Raw, step.exponent),
                    _ => None,
                };
                self.give(index, converted);
            } else if form == Form::Natural
                && matches!(value, Token::ObjectStart(_) | Token::ArrayStart)
            {
                *passed = depth;
                self.reach = depth.wrapping_add(1);
                if let Some(count) = self.counts.get_mut(usize::from(depth)) {
                    *count = 0;
                }
            }
        }
    }

    /// Takes back the last step of every path that leads into the innermost container that is reached,
    /// which ends and so has its count.
    pub fn leave(&mut self) {
        let depth = self.reach;
        self.reach = depth.saturating_sub(1);
        let count = self.counts.get(usize::from(self.reach)).copied();
        for index in 0..self.selectors.count().min(MAX_POLICIES) {
            let Some((step, passed, _)) = self.step_at(index, depth) else {
                continue;
            };
            *passed = passed.saturating_sub(1);
            if step.is_count() {
                let units = count.and_then(|count| i16::try_from(count).ok());
                self.give(index, units.map(|units| i32::from(units).wrapping_shl(16)));
            }
        }
    }

    /// The step of selector `index` that leads on from the open container at `depth`, if its path leads
    /// there, with what is kept of the selector.
    fn step_at(&mut self, index: usize, depth: u8) -> Option<(Step<'v>, &mut u8, &mut u8)> {
        let passed = self.passed.get_mut(index)?;
        if passed.wrapping_add(1) != depth {
            return None;
        }
        let step = Path::new(self.selectors.path(index)?).step(*passed)?;
        Some((step, passed, self.owed.get_mut(index)?))
    }

    /// Gives selector `index` a value that its path leads to, or `None` if that is no value.
    fn give(&mut self, index: usize, value: Option<i32>) {
        let kept = self.extracted.get_mut(index).zip(self.owed.get_mut(index));
        let Some((extracted, owed)) = kept else {
            return;
        };
        *owed = match value {
            // Names do not repeat, so what was given before is the other form.
            Some(value) if !matches!(*owed, 0 | BROKEN) => {
                let is_kept = *extracted != NO_VALUE
                    && (*extracted < value) == self.selectors.takes_least(index);
                if !is_kept {
                    *extracted = value;
                }
                0
            }
            _ => BROKEN,
        };
    }

    /// Ends the answer: a selector to which a value is still owed has none.
    pub fn finish(&mut self) {
        for (extracted, owed) in self.extracted.iter_mut().zip(&self.owed) {
            if *owed != 0 {
                *extracted = NO_VALUE;
            }
        }
    }

    /// Says that the answer gives no values after all.
    pub fn discard(&mut self) {
        self.extracted.fill(NO_VALUE);
    }
}
