//! The values of selectors, collected as the tokens of an answer go by. Determinism: D1.
//!
//! formats.md §4, "Extracting the value"; decisions D38 and D39. A string that `~j` reads is a container of one
//! element, the JSON value that it holds. All paths are followed at the same
//! time; what is kept of one is the number of its steps that have been taken, and whether a value is
//! owed to it, whatever its length.

use super::embedded::Embedding;
use super::escaped::Cursor;
use super::number::convert;
use super::path::{Form, Path, PathStep};
use super::reader::Token;
use super::step_kind::StepKind;
use crate::search::IS_SMALL;

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
    /// else. It is asked for again and again, so it should be at hand, and is the same each time.
    fn path(&self, index: usize) -> Option<&str>;

    /// Whether the selector at `index` takes the least of the values that `~*` leads to; else it takes
    /// the greatest.
    fn takes_least(&self, index: usize) -> bool;
}

/// The largest number of objects and arrays open at once, the outermost included.
pub const MAX_DEPTH: usize = 32;

/// The number of containers that may be open within one at `depth`.
pub fn room_within(depth: u8) -> usize {
    MAX_DEPTH.saturating_sub(usize::from(depth))
}

/// What [`Values::owed`] says of a selector that has no value, whatever follows.
const BROKEN: u8 = u8::MAX;

/// What [`Values::passed`] says of a selector whose path leads nowhere.
const NOWHERE: u8 = u8::MAX;

/// The number of steps of each path that are known without a look at the path.
const NOTED_STEPS: usize = if IS_SMALL { 1 } else { 4 };

/// The number of paths whose power of ten is known without a look at the path.
const NOTED_EXPONENTS: usize = if IS_SMALL { 0 } else { MAX_POLICIES };

/// The values being extracted.
pub struct Values<'v> {
    selectors: &'v dyn Selectors,
    count: usize,
    /// The number of open containers, from the outermost on, that a path leads into.
    reach: u8,
    /// For each selector the number of steps of its path that lead to an open container.
    passed: [u8; MAX_POLICIES],
    /// Whether a path may lead into a string.
    pub may_enter_strings: bool,
    /// The depth of the string into which a path leads; 0 where none does.
    string: u8,
    /// For each selector the depth of the innermost container that still owes it a value: 1 for the
    /// answer, and that of the array for an element that `~*` led to; 0 where none is owed, [`BROKEN`]
    /// where one was not given or was given twice.
    owed: [u8; MAX_POLICIES],
    /// The first steps of each path.
    noted: [[StepKind; MAX_POLICIES]; NOTED_STEPS],
    /// The powers of ten that the values are divided by.
    exponents: [i8; NOTED_EXPONENTS],
    /// By depth the number of members or elements so far in each open container that a path leads into.
    counts: [u32; MAX_DEPTH],
    /// The first element to which a path may lead, of the innermost container that a path leads into.
    next: u32,
    extracted: &'v mut [i32; MAX_POLICIES],
}

impl<'v> Values<'v> {
    /// Values of `selectors` to be put in `extracted`, of which none has been given.
    pub fn new(selectors: &'v dyn Selectors, extracted: &'v mut [i32; MAX_POLICIES]) -> Self {
        extracted.fill(NO_VALUE);
        let mut values = Values {
            selectors,
            count: selectors.count().min(MAX_POLICIES),
            // Every path leads into the outermost object.
            reach: 1,
            passed: [NOWHERE; MAX_POLICIES],
            may_enter_strings: false,
            string: 0,
            owed: [1; MAX_POLICIES],
            noted: [[StepKind::UNKNOWN; MAX_POLICIES]; NOTED_STEPS],
            exponents: [0; NOTED_EXPONENTS],
            counts: [0; MAX_DEPTH],
            next: 0,
            extracted,
        };
        for index in 0..values.count {
            values.note(index);
        }
        values
    }

    /// Notes what is to be known of the path of selector `index`.
    fn note(&mut self, index: usize) {
        if let Some(passed) = self.passed.get_mut(index)
            && let Some(path) = self.selectors.path(index).map(Path::new)
        {
            *passed = 0;
            if let Some(exponent) = self.exponents.get_mut(index) {
                *exponent = path.exponent;
            }
            let mut may_be_embedded = !IS_SMALL;
            for (number, noted) in (0..).zip(&mut self.noted) {
                if let Some((noted, step)) = noted.get_mut(index).zip(path.step(number)) {
                    *noted = StepKind::of(step);
                    self.may_enter_strings |= noted.is_embedded();
                    may_be_embedded &= !step.is_last;
                }
            }
            if may_be_embedded {
                self.may_enter_strings |= path.may_be_embedded();
            }
        }
    }

    /// Whether a path leads into the open container at `depth`, the outermost being at 1. The values
    /// in any other container are not to be taken in.
    pub fn reaches(&self, depth: u8) -> bool {
        self.reach == depth
    }

    /// Whether a path leads into the string at `depth`, which was taken in last.
    pub fn leads_into_string(&self, depth: u8) -> bool {
        self.string == depth
    }

    /// The number of elements that come next in the array that is [reached](Self::reaches) and that no path
    /// leads to.
    #[inline]
    pub fn unwanted(&self) -> u32 {
        let count = self.counts.get(usize::from(self.reach).wrapping_sub(1));
        count.map_or(0, |count| self.next.saturating_sub(*count))
    }

    /// Counts `number` elements of that array.
    #[inline]
    pub fn pass(&mut self, number: u32) {
        let count = self.counts.get_mut(usize::from(self.reach).wrapping_sub(1));
        if let Some(count) = count {
            *count = count.wrapping_add(number);
        }
    }

    /// Takes in what is or begins with `value`, in the container that is [reached](Self::reaches): the
    /// member whose name begins at `name`, or without one the next element.
    pub fn take<E: Embedding>(
        &mut self,
        name: Option<Cursor<'_, E>>,
        value: Token<'_, Cursor<'_, E>>,
    ) {
        let depth = self.reach;
        let Some(count) = self.counts.get_mut(usize::from(depth).wrapping_sub(1)) else {
            return;
        };
        let at = *count;
        *count = at.wrapping_add(1);
        if name.is_none() && at < self.next {
            return;
        }
        self.next = u32::MAX;
        let is_container = matches!(value, Token::ObjectStart(_) | Token::ArrayStart);
        // A string in such a string is text.
        let may_hold_json =
            matches!(value, Token::String(_)) && self.string == 0 && usize::from(depth) < MAX_DEPTH;
        let mut enters = false;
        // Policies often want the same value.
        let mut last: Option<(Form, i8, Option<i32>)> = None;
        for index in 0..self.count {
            let Some(kind) = self.step_at(index, depth) else {
                continue;
            };
            let form = match name {
                Some(name) if kind.may_name(name) => self
                    .path_step(index, depth)
                    .and_then(|step| step.form_of(name)),
                Some(_) => None,
                None => self.form_of_element(index, kind, at),
            };
            let Some(form) = form else { continue };
            if kind.is_last() {
                let exponent = self.exponent(index);
                let converted = match (value, last) {
                    (_, Some((as_form, as_exponent, converted)))
                        if as_form == form && as_exponent == exponent =>
                    {
                        converted
                    }
                    (Token::Number(text), _) => convert(text, form == Form::Raw, exponent),
                    _ => None,
                };
                last = Some((form, exponent, converted));
                self.give(index, converted);
            } else if form == Form::Natural
                && (is_container || may_hold_json && self.is_embedded(index, depth))
            {
                enters = true;
                if let Some(passed) = self.passed.get_mut(index) {
                    *passed = depth;
                }
            }
        }
        if enters {
            self.reach = depth.wrapping_add(1);
            if may_hold_json {
                self.string = self.reach;
            }
            self.next = 0;
            if let Some(count) = self.counts.get_mut(usize::from(depth)) {
                *count = 0;
            }
        }
    }

    /// The form of the value that the element `at` is of the array into which the path of selector `index`
    /// leads with a step of this `kind`; `None` where the path leads to another one.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn form_of_element(&mut self, index: usize, kind: StepKind, at: u32) -> Option<Form> {
        let depth = self.reach;
        let wanted = if kind.is_every() {
            let owed = self.owed.get_mut(index)?;
            // The element before has given what it owed.
            *owed = if *owed < depth { depth } else { BROKEN };
            self.next = at.wrapping_add(1);
            return Some(Form::Natural);
        } else {
            match kind.index() {
                None if kind.may_be_index() => self.path_step(index, depth)?.index()?,
                // Of a string's one element.
                None if kind.is_embedded() && depth == self.string => at,
                small => small?,
            }
        };
        if wanted > at {
            self.next = self.next.min(wanted);
        }
        (wanted == at).then_some(Form::Natural)
    }

    /// Takes back the last step of every path that leads into the innermost container that is reached,
    /// which ends and so has its count.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn leave(&mut self) {
        let depth = self.reach;
        if depth == self.string {
            self.string = 0;
        }
        self.reach = depth.saturating_sub(1);
        self.next = 0;
        let count = self.counts.get(usize::from(self.reach)).copied();
        for index in 0..self.count {
            let Some(kind) = self.step_at(index, depth) else {
                continue;
            };
            if let Some(passed) = self.passed.get_mut(index) {
                *passed = passed.saturating_sub(1);
            }
            if kind.is_count() {
                let units = count.and_then(|count| i16::try_from(count).ok());
                self.give(index, units.map(|units| i32::from(units).wrapping_shl(16)));
            }
        }
    }

    /// Gives back the string that is read as JSON, and is none after all: no path that leads there has a value,
    /// whatever was found in it.
    pub fn leave_broken_string(&mut self) {
        let depth = self.string.saturating_sub(1);
        for (passed, owed) in self.passed.iter_mut().zip(&mut self.owed) {
            if (depth..NOWHERE).contains(passed) {
                *passed = depth.saturating_sub(1);
                *owed = BROKEN;
            }
        }
        self.reach = depth;
        self.string = 0;
        self.next = 0;
    }

    /// The power of ten that the value of selector `index` is divided by.
    #[inline]
    fn exponent(&self, index: usize) -> i8 {
        match self.exponents.get(index) {
            Some(exponent) => *exponent,
            None => (self.selectors.path(index)).map_or(0, |path| Path::new(path).exponent),
        }
    }

    /// The kind of the step of selector `index` that leads on from the open container at `depth`, if its path
    /// leads there.
    #[inline]
    fn step_at(&self, index: usize, depth: u8) -> Option<StepKind> {
        let passed = *self.passed.get(index)?;
        if passed.wrapping_add(1) != depth {
            return None;
        }
        self.step_behind(index, passed)
    }

    /// The kind of the step after the first `passed` steps of the path of selector `index`.
    #[inline]
    fn step_behind(&self, index: usize, passed: u8) -> Option<StepKind> {
        match self.noted.get(usize::from(passed)) {
            Some(noted) => noted.get(index).copied(),
            None => self
                .path_step(index, passed.wrapping_add(1))
                .map(StepKind::of),
        }
    }

    /// Whether the path of selector `index` goes on with `~j` after its first `passed` steps.
    fn is_embedded(&self, index: usize, passed: u8) -> bool {
        self.step_behind(index, passed)
            .is_some_and(StepKind::is_embedded)
    }

    /// The step of selector `index` that leads on from a container at `depth`.
    fn path_step(&self, index: usize, depth: u8) -> Option<PathStep<'v>> {
        Path::new(self.selectors.path(index)?).step(depth.wrapping_sub(1))
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
                    && (*extracted == value
                        || (*extracted < value) == self.selectors.takes_least(index));
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
