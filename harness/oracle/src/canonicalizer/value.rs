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

/// Where the valid value ends that begins at `start`; `None` where none begins there.
pub(super) fn find_end(bytes: &[u8], start: usize) -> Option<usize> {
    let read = Cell::new(0);
    let source = Tracked::new(Plain::new(bytes).at(start), &read);
    let mut tokens = Reader::new(source, limit());
    // For each container that is open: the names in it, or none for an array.
    let mut open: Vec<Option<HashSet<Vec<u16>>>> = Vec::new();
    while let Ok(Some(token)) = tokens.next() {
        let is_valid = match token {
            Token::ArrayStart => {
                open.push(None);
                true
            }
            Token::ObjectStart(_) => {
                open.push(Some(HashSet::new()));
                true
            }
            Token::Key(name) => match open.last_mut() {
                Some(Some(names)) => names.insert(Name::new(name.into_text()).collect()),
                _ => false,
            },
            Token::Number(number) => is_representable(number.stored),
            Token::ArrayEnd | Token::ObjectEnd => {
                open.pop();
                true
            }
            Token::String(_) | Token::Literal => true,
        };
        if !is_valid {
            return None;
        }
        if open.is_empty() {
            return Some(read.get());
        }
    }
    None
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
