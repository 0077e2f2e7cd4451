//! The values of selectors, collected as the tokens of an answer go by. Determinism: D1.
//!
//! formats.md §4, "Extracting the value". All paths are followed at the same time; what is kept of one
//! is the number of its steps that have been taken, whatever its length.

use super::escaped::Cursor;
use super::number::{decimal_to_q16, integer_to_q16};
use super::path::{Form, Path};
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
    /// else. It is asked for once per member or element of each object or array that it leads into, so
    /// it should be at hand.
    fn path(&self, index: usize) -> Option<&str>;
}

/// The place of a value in the object or the array around it.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// The member whose name begins here.
    Member(Cursor<'a>),
    /// The element at this index, counted from 0.
    Element(u32),
}

/// The values being extracted.
pub struct Values<'v> {
    selectors: &'v dyn Selectors,
    /// The number of open containers, from the outermost on, that a path leads into.
    reach: u8,
    /// For each selector the number of steps of its path that lead to an open container.
    passed: [u8; MAX_POLICIES],
    /// Bit i: a value for selector i has been met.
    met: u64,
    extracted: &'v mut [i32; MAX_POLICIES],
}

impl<'v> Values<'v> {
    /// Values of `selectors` to be put in `extracted`, of which none has been met.
    pub fn new(selectors: &'v dyn Selectors, extracted: &'v mut [i32; MAX_POLICIES]) -> Self {
        extracted.fill(NO_VALUE);
        Values {
            selectors,
            // Every path leads into the outermost object.
            reach: 1,
            passed: [0; MAX_POLICIES],
            met: 0,
            extracted,
        }
    }

    /// Whether a path leads into the open container at `depth`, the outermost being at 1. The values
    /// in any other container are not to be taken in.
    pub fn reaches(&self, depth: u8) -> bool {
        self.reach == depth
    }

    /// Takes in what is or begins with `value`, at `place` in the container that is
    /// [reached](Self::reaches).
    pub fn take(&mut self, place: Place<'_>, value: Token<'_, Cursor<'_>>) {
        let depth = self.reach;
        let count = self.selectors.count();
        let states = self.extracted.iter_mut().zip(&mut self.passed);
        for (index, (extracted, passed)) in states.enumerate().take(count) {
            if passed.wrapping_add(1) != depth {
                continue;
            }
            let path = self.selectors.path(index).map(Path::new);
            let Some(step) = path.and_then(|path| path.step(*passed)) else {
                continue;
            };
            let form = match place {
                Place::Member(name) => step.form_of(name),
                Place::Element(at) => step.is_index(at).then_some(Form::Natural),
            };
            let Some(form) = form else { continue };
            if step.is_last {
                let bit = 1u64.wrapping_shl(u32::try_from(index).unwrap_or(0));
                let converted = match (value, form) {
                    // Names do not repeat, so what was met before is the other form.
                    _ if self.met & bit != 0 => None,
                    (Token::Number(text), Form::Natural) => decimal_to_q16(text),
                    (Token::Number(text), Form::Raw) => integer_to_q16(text),
                    _ => None,
                };
                self.met |= bit;
                *extracted = converted.unwrap_or(NO_VALUE);
            } else if form == Form::Natural
                && matches!(value, Token::ObjectStart(_) | Token::ArrayStart)
            {
                *passed = depth;
                self.reach = depth.wrapping_add(1);
            }
        }
    }

    /// Takes back the last step of every path that leads into the innermost container that is reached,
    /// which ends.
    pub fn leave(&mut self) {
        self.reach = self.reach.saturating_sub(1);
        for passed in &mut self.passed {
            if *passed == self.reach {
                *passed = passed.saturating_sub(1);
            }
        }
    }

    /// Says that the answer gives no values after all.
    pub fn discard(&mut self) {
        self.extracted.fill(NO_VALUE);
    }
}
