//! The path of a selector: the steps that lead from an answer to one of its values. Determinism: D1.
//!
//! formats.md §4 (Policy files); RFC 6901; decisions D38 and D39 for `~*`, `~#`, `~j` and `~eN`, which RFC 6901
//! leaves free, so that no member is named by them. A path is read where it stands, step by step: nothing
//! of it is unescaped or kept.

use super::embedded::Embedding;
use super::escaped::Cursor;
use super::name::Name;

/// The suffix of a member that holds a raw Q16.16 integer.
const RAW_SUFFIX: &str = "_q16";

/// The step to every element of an array.
pub const EVERY: &str = "~*";

/// The last step to the number of an array's elements or of an object's members.
pub const COUNT: &str = "~#";

/// The step from a string to the JSON value that it holds.
pub const EMBEDDED: &str = "~j";

/// Splits `/~eN` off the end of a path: its value is divided by 10^N, N from −9 to 9. `None` where the path
/// ends otherwise.
#[must_use]
pub fn split_scale(path: &str) -> Option<(&str, i8)> {
    let (before, digit, sign) = match path.as_bytes() {
        [before @ .., b'/', b'~', b'e', b'-', digit @ b'1'..=b'9'] => (before, digit, -1i8),
        [before @ .., b'/', b'~', b'e', digit @ b'0'..=b'9'] => (before, digit, 1),
        _ => return None,
    };
    let exponent = i8::try_from(digit.wrapping_sub(b'0')).ok()?;
    Some((path.get(..before.len())?, exponent.wrapping_mul(sign)))
}

/// A name, which is one step from the outermost object, or a JSON Pointer of one step or more.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    /// The steps with a `/` between any two.
    steps: &'p str,
    /// The power of ten that the value is divided by.
    pub exponent: i8,
}

impl<'p> Path<'p> {
    /// The path that `text` writes: a JSON Pointer if it begins with `/`, else a name.
    #[must_use]
    pub fn new(text: &'p str) -> Self {
        let (text, exponent) = split_scale(text).unwrap_or((text, 0));
        let steps = match text.as_bytes().first() {
            Some(b'/') => text.get(1..).unwrap_or_default(),
            _ => text,
        };
        Path { steps, exponent }
    }

    /// Whether a step may be [`EMBEDDED`], by a short look.
    #[must_use]
    pub fn may_be_embedded(self) -> bool {
        let steps = self.steps.as_bytes();
        steps.contains(&b'~') && steps.windows(2).any(|pair| pair == EMBEDDED.as_bytes())
    }

    /// The step after the first `passed` steps; `None` after the last.
    #[must_use]
    pub fn step(self, passed: u8) -> Option<PathStep<'p>> {
        let mut steps = self.steps;
        for _ in 0..passed {
            steps = split_step(steps).1?;
        }
        let (text, rest) = split_step(steps);
        Some(PathStep {
            text,
            is_last: rest.is_none(),
        })
    }
}

/// The first step, and those after it.
fn split_step(steps: &str) -> (&str, Option<&str>) {
    let slash = steps.bytes().position(|byte| byte == b'/');
    let parts = slash.and_then(|at| Some((steps.get(..at)?, steps.get(at.wrapping_add(1)..)?)));
    match parts {
        Some((first, rest)) => (first, Some(rest)),
        None => (steps, None),
    }
}

/// One step of a path: the name of a member, the index of an array's element, [`EVERY`], [`COUNT`] or
/// [`EMBEDDED`].
#[derive(Clone, Copy, Debug)]
pub struct PathStep<'p> {
    /// The step as the path has it, in which `~0` is a `~` and `~1` a `/`.
    text: &'p str,
    /// Whether the path ends with this step, but for `~eN`.
    pub is_last: bool,
}

/// The two forms of a member that gives a selector's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `s`: a JSON number in natural units.
    Natural,
    /// `s_q16`: a JSON integer, the raw Q16.16 value.
    Raw,
}

impl PathStep<'_> {
    /// Whether this step leads to every element of an array.
    #[must_use]
    pub fn is_every(self) -> bool {
        self.text == EVERY
    }

    /// Whether this step leads to the number of elements or members.
    #[must_use]
    pub fn is_count(self) -> bool {
        self.text == COUNT
    }

    /// Whether this step leads from a string to the JSON value that it holds.
    #[must_use]
    pub fn is_embedded(self) -> bool {
        self.text == EMBEDDED
    }

    /// The form of the member that this step names which has `name`; `None` where it is another member.
    #[must_use]
    pub fn form_of<E: Embedding>(self, name: Cursor<'_, E>) -> Option<Form> {
        if self.is_every() || self.is_count() || self.is_embedded() {
            return None;
        }
        let mut units = Name::new(name);
        let mut expected = self.text.encode_utf16();
        let mut suffix = RAW_SUFFIX.bytes();
        let mut form = Form::Natural;
        // One place reads the name's units: on a device the code for it counts.
        loop {
            let found = units.next();
            let unit = match expected.next() {
                Some(TILDE) if expected.next() == Some(ONE) => Some(SLASH),
                None if found.is_none() && form == Form::Natural => return Some(form),
                None => {
                    form = Form::Raw;
                    suffix.next().map(u16::from)
                }
                unit => unit,
            };
            if found != unit {
                return None;
            }
            if found.is_none() {
                return Some(form);
            }
        }
    }

    /// The first byte of this step as the path has it.
    pub(super) fn first(self) -> Option<u8> {
        self.text.as_bytes().first().copied()
    }

    /// The index that this step is if it is one as RFC 6901 §4 writes it: in decimal, without leading zeros.
    #[must_use]
    pub fn index(self) -> Option<u32> {
        let digits = self.text.as_bytes();
        let has_leading_zero = digits.len() > 1 && digits.first() == Some(&b'0');
        if digits.is_empty() || has_leading_zero {
            return None;
        }
        digits.iter().try_fold(0u32, |value, digit| {
            let digit = char::from(*digit).to_digit(10)?;
            value.checked_mul(10)?.checked_add(digit)
        })
    }
}

const TILDE: u16 = b'~' as u16;
const ONE: u16 = b'1' as u16;
const SLASH: u16 = b'/' as u16;

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::json::escaped::EscapedText;
    use std::{format, vec::Vec};

    fn steps(text: &str) -> Vec<(&str, bool)> {
        (0..=255)
            .map_while(|passed| Path::new(text).step(passed))
            .map(|step| (step.text, step.is_last))
            .collect()
    }

    #[test]
    fn a_path_is_its_steps() {
        assert_eq!(steps("value"), [("value", true)]);
        assert_eq!(steps("/value"), [("value", true)]);
        assert_eq!(steps("/"), [("", true)]);
        assert_eq!(steps("//"), [("", false), ("", true)]);
        assert_eq!(
            steps("/é/0/~1x"),
            [("é", false), ("0", false), ("~1x", true)]
        );
        assert_eq!(steps(&"/".repeat(192)).len(), 192);
        assert_eq!(steps("/a/~e3"), [("a", true)]);
        assert_eq!(steps("/a/~*/~e-9"), [("a", false), ("~*", true)]);
    }

    #[test]
    fn a_scale_has_one_spelling() {
        for (path, expected) in [
            ("/a/~e0", Some(("/a", 0))),
            ("/a/~e9", Some(("/a", 9))),
            ("/a/~e-9", Some(("/a", -9))),
            ("/é/~e1", Some(("/é", 1))),
            ("/~e3", Some(("", 3))),
            ("/a/~e-0", None),
            ("/a/~e+1", None),
            ("/a/~e10", None),
            ("/a/~e", None),
            ("/a/~E3", None),
            ("/a~e3", None),
            ("/a/~0e3", None),
            ("/a/~e3/b", None),
            ("", None),
        ] {
            assert_eq!(split_scale(path), expected, "{path}");
        }
    }

    #[test]
    fn a_step_names_members() {
        let form = |path, name: &str| {
            let text = format!("{name}\\\"");
            let cursor = EscapedText::new(text.as_bytes()).cursor();
            Path::new(path).step(0).unwrap().form_of(cursor)
        };
        for (path, name, expected) in [
            ("value", "value", Some(Form::Natural)),
            ("value", "value_q16", Some(Form::Raw)),
            ("value", r"v\\u0061lue\\u005fq16", Some(Form::Raw)),
            ("value", "value_q1", None),
            ("value", "value_q16_", None),
            ("value", "valu", None),
            ("value", "Value", None),
            ("/", "", Some(Form::Natural)),
            ("/", "_q16", Some(Form::Raw)),
            ("/~0", "~", Some(Form::Natural)),
            ("/~1", "/", Some(Form::Natural)),
            ("/~1", "/_q16", Some(Form::Raw)),
            ("/~01", "~1", Some(Form::Natural)),
            ("/~01", "/", None),
            ("/~1", "~1", None),
            ("/a~1b", r"a\\/b", Some(Form::Natural)),
            ("/~0", r"\\u007e", Some(Form::Natural)),
            ("/😀", r"\\ud83d\\ude00", Some(Form::Natural)),
            ("/0", "0", Some(Form::Natural)),
            ("/~*", "~", None),
            ("/~*", "~*", None),
            ("/~*", "*", None),
            ("/~#", "~", None),
            ("/~#", "~#", None),
            ("/~j", "~", None),
            ("/~j", "~j", None),
            ("/~j", "j", None),
            ("/~0j", "~j", Some(Form::Natural)),
            ("/~0*", "~*", Some(Form::Natural)),
            ("/~0#", "~#", Some(Form::Natural)),
        ] {
            assert_eq!(form(path, name), expected, "{path} {name}");
        }
    }

    #[test]
    fn indices_have_one_spelling() {
        let is = |text: &str, index| {
            let step = PathStep {
                text,
                is_last: true,
            };
            step.index() == Some(index)
        };
        for index in [0, 1, 9, 10, 12_345, u32::MAX] {
            assert!(is(&format!("{index}"), index));
            assert!(!is(&format!("0{index}"), index));
            assert!(!is(&format!("+{index}"), index) && !is(&format!("{index} "), index));
            assert!(!is(&format!("{index}"), index ^ 1));
        }
        for text in [
            "",
            "~*",
            "~#",
            "~j",
            "-",
            "-1",
            "4294967296",
            "1.0",
            "1e0",
            "a",
            "٣",
            "99999999999999999999",
        ] {
            assert!((0..9).all(|index| !is(text, index)), "{text}");
        }
    }
}
