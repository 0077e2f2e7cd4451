//! What is known of a step of a path without a look at its text. Determinism: D1.
//!
//! Most members and elements of an answer are no policy's concern, and one byte tells that of most of them.

use super::embedded::Embedding;
use super::escaped::Cursor;
use super::path::PathStep;

/// Set where the path ends with the step.
const LAST: u8 = 0x80;

/// From here on the lower bits are the first character of a name, up to [`EVERY`]; those below are one more
/// than an index, or 0 where only the text tells.
const FIRST_CHARACTER: u8 = 0x20;

/// [`crate::json::path::EVERY`]. Names that begin with `~` are told by their text.
const EVERY: u8 = b'~';

/// [`crate::json::path::COUNT`].
const COUNT: u8 = 0x7f;

/// [`crate::json::path::EMBEDDED`]. No step begins with a `/`.
const EMBEDDED: u8 = b'/';

/// The kind of a step.
#[derive(Clone, Copy)]
pub struct StepKind(u8);

impl StepKind {
    /// Nothing is known.
    pub const UNKNOWN: StepKind = StepKind(0);

    /// The kind of `step`.
    pub fn of(step: PathStep<'_>) -> Self {
        let small = step.index().and_then(|index| u8::try_from(index).ok());
        let kind = match (small, step.first()) {
            _ if step.is_every() => EVERY,
            _ if step.is_count() => COUNT,
            _ if step.is_embedded() => EMBEDDED,
            (Some(index), _) if index < FIRST_CHARACTER.wrapping_sub(1) => index.wrapping_add(1),
            (_, Some(first @ FIRST_CHARACTER..EVERY)) => first,
            _ => 0,
        };
        StepKind(if step.is_last { kind | LAST } else { kind })
    }

    fn kind(self) -> u8 {
        self.0 & !LAST
    }

    /// Whether the path ends with the step.
    pub fn is_last(self) -> bool {
        self.0 & LAST != 0
    }

    /// Whether the step leads to every element of an array.
    pub fn is_every(self) -> bool {
        self.kind() == EVERY
    }

    /// Whether the step leads to the number of elements or members.
    pub fn is_count(self) -> bool {
        self.kind() == COUNT
    }

    /// Whether the step leads from a string to the JSON value that it holds.
    pub fn is_embedded(self) -> bool {
        self.kind() == EMBEDDED
    }

    /// The index that the step is, if it is a small one.
    pub fn index(self) -> Option<u32> {
        (1..FIRST_CHARACTER)
            .contains(&self.kind())
            .then(|| u32::from(self.kind()).wrapping_sub(1))
    }

    /// Whether the step may be an index, by all that is known.
    pub fn may_be_index(self) -> bool {
        self.kind() < FIRST_CHARACTER || self.kind().is_ascii_digit()
    }

    /// Whether the step may name the member of the name at `name`, by all that is known. Most names are spelt
    /// plainly, and then differ from most steps in the first byte.
    pub fn may_name<E: Embedding>(self, name: Cursor<'_, E>) -> bool {
        match self.kind() {
            EVERY | COUNT | EMBEDDED => false,
            first @ FIRST_CHARACTER.. => name.peek_plain().is_none_or(|byte| byte == first),
            _ => true,
        }
    }
}
