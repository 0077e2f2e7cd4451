//! Whether a valid JSON value begins at a place in a text, and where it ends.
//!
//! Valid is what every parser reads alike: RFC 8259, at most 128 levels, no member name twice in an
//! object, no lone surrogate, no integer beyond ±(2^53−1), no number whose canonical form would be one, no
//! number beyond the doubles, and none that is so small that the nearest double is 0.

use std::cell::Cell;
use std::collections::HashSet;

use axilog::json::name::Name;
use axilog::json::reader::{Reader, Token};
use axilog::json::source::Plain;

use crate::jcs::{Tracked, is_inexact_integer, limit};

/// What begins at a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// A valid value, which ends before this place.
    Whole(usize),
    /// A valid value so far; the text ends too early.
    Cut {
        /// Whether an object has begun in it.
        object: bool,
        /// Where the arrays that are still open begin, outermost first, up to the first open object.
        open: Vec<usize>,
    },
    /// No valid value.
    Wrong {
        /// Whether an object has begun before the fault.
        object: bool,
        /// As in [`Beginning::Cut`].
        open: Vec<usize>,
    },
    /// A value nested too deep.
    TooDeep {
        /// Whether an object has begun before that.
        object: bool,
        /// As in [`Beginning::Cut`].
        open: Vec<usize>,
    },
}

/// A container that is being read.
enum Open {
    Array(usize),
    Object(HashSet<Vec<u16>>),
}

/// Reads the container that begins at `start`.
pub(super) fn at(bytes: &[u8], start: usize) -> Beginning {
    let read = Cell::new(0);
    let source = Tracked::new(Plain::new(bytes).at(start), &read);
    let mut tokens = Reader::new(source, limit());
    let mut open: Vec<Open> = Vec::new();
    let mut object = false;
    loop {
        let Ok(Some(token)) = tokens.next() else {
            let open_arrays = open_arrays(&open);
            return match bytes.get(read.get()) {
                None => Beginning::Cut {
                    object,
                    open: open_arrays,
                },
                Some(b'[' | b'{') if tokens.depth() >= limit() => Beginning::TooDeep {
                    object,
                    open: open_arrays,
                },
                Some(_) => Beginning::Wrong {
                    object,
                    open: open_arrays,
                },
            };
        };
        let valid = match token {
            Token::ArrayStart => {
                open.push(Open::Array(read.get().saturating_sub(1)));
                true
            }
            Token::ObjectStart(_) => {
                object = true;
                open.push(Open::Object(HashSet::new()));
                true
            }
            Token::Key(name) => match open.last_mut() {
                Some(Open::Object(names)) => names.insert(Name::new(name.plain()).collect()),
                _ => false,
            },
            Token::Number(number) => is_representable(number),
            Token::ArrayEnd | Token::ObjectEnd => {
                open.pop();
                true
            }
            Token::String(_) | Token::Literal => true,
        };
        if !valid {
            return Beginning::Wrong {
                object,
                open: open_arrays(&open),
            };
        }
        if open.is_empty() {
            return Beginning::Whole(read.get());
        }
    }
}

fn open_arrays(open: &[Open]) -> Vec<usize> {
    let arrays = open.iter().map_while(|container| match container {
        Open::Array(start) => Some(*start),
        Open::Object(_) => None,
    });
    arrays.collect()
}

fn is_representable(number: &[u8]) -> bool {
    let Ok(number) = std::str::from_utf8(number) else {
        return false;
    };
    let Ok(value) = number.parse::<f64>() else {
        return false;
    };
    // What has a point or an exponent and is that large is written as an integer up to 1e21.
    let becomes_inexact = (9_007_199_254_740_992.0..1e21).contains(&value.abs());
    let digits = number.split(['e', 'E']).next().unwrap_or_default();
    let vanishes = value == 0.0 && digits.contains(|c| matches!(c, '1'..='9'));
    value.is_finite() && !vanishes && !is_inexact_integer(number) && !becomes_inexact
}
