//! Where the top-level JSON objects of a text are (A2, A6).
//!
//! One pass from left to right, and one linear look at each region it finds.

use std::collections::HashSet;

use super::value::{self, Beginning};

/// What a pass over a text has found.
#[derive(Debug, Default)]
pub(super) struct Found<'t> {
    /// Regions from a `{` to its `}`.
    pub(super) candidates: usize,
    /// Those of them that are valid JSON objects.
    pub(super) valid: usize,
    /// The first valid one.
    pub(super) first: Option<&'t str>,
    /// Whether a region never closes; the pass ends there.
    pub(super) unclosed: bool,
}

/// Passes over `text`. Quotes outside regions mean nothing.
pub(super) fn scan(text: &str) -> Found<'_> {
    let bytes = text.as_bytes();
    let mut found = Found::default();
    let mut arrays = Arrays::default();
    let mut at = 0;
    while let Some(next) = begins(bytes, at) {
        if bytes.get(next) == Some(&b'{') {
            let Some(end) = matching_end(bytes, next, b'{', b'}') else {
                found.unclosed = true;
                break;
            };
            found.candidates += 1;
            let region = text.get(next..end).unwrap_or_default();
            if matches!(value::at(region.as_bytes(), 0), Beginning::Whole(all) if all == region.len())
            {
                found.valid += 1;
                found.first.get_or_insert(region);
            }
            at = end;
        } else {
            match arrays.at(bytes, next) {
                Array::Whole(end) => at = end,
                Array::Unclosed => {
                    found.unclosed = true;
                    break;
                }
                Array::Prose => at = next + 1,
            }
        }
    }
    found
}

/// The next `{` or `[` from `at` on.
fn begins(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let offset = rest.iter().position(|byte| matches!(byte, b'{' | b'['))?;
    Some(at + offset)
}

/// Behind the `end` that closes the `begin` at `start`. Those in JSON strings do not count.
fn matching_end(bytes: &[u8], start: usize, begin: u8, end: u8) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (offset, byte) in bytes.get(start..)?.iter().enumerate() {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, byte) if *byte == begin => depth += 1,
            (false, byte) if *byte == end => {
                depth -= 1;
                if depth == 0 {
                    return Some(start + offset + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// What a `[` begins.
enum Array {
    /// An array, which ends before this place: a valid one, or the beginning of a valid one in which an
    /// object has begun, up to its bracket. Its objects are not top-level.
    Whole(usize),
    /// The beginning of a valid JSON array in which an object has begun, and that never closes.
    Unclosed,
    /// Nothing.
    Prose,
}

/// What is known about places further on, so that nested brackets are not read again and again.
#[derive(Default)]
struct Arrays {
    /// Places of `[` that begin nothing.
    prose: HashSet<usize>,
}

impl Arrays {
    fn at(&mut self, bytes: &[u8], start: usize) -> Array {
        if self.prose.remove(&start) {
            return Array::Prose;
        }
        match value::at(bytes, start) {
            Beginning::Whole(end) => return Array::Whole(end),
            Beginning::Cut { object: true, .. } => return Array::Unclosed,
            // A fault behind the beginning of an object, such as a last comma, does not make the
            // object a top-level one.
            Beginning::Wrong { object: true, .. } | Beginning::TooDeep { object: true, .. } => {
                return matching_end(bytes, start, b'[', b']')
                    .map_or(Array::Unclosed, Array::Whole);
            }
            // What is still open where reading failed, or where the text ends without an object,
            // fails there as well when it is begun by itself.
            Beginning::Cut { open, .. } | Beginning::Wrong { open, .. } => self.prose.extend(open),
            Beginning::TooDeep { open, .. } => {
                // If the array half-way down is nested too deep too, or fails, each before an object
                // begins, then so do those around it: half of them are settled by reading twice.
                let half = open.len() / 2;
                if let Some(middle) = open.get(half)
                    && matches!(
                        value::at(bytes, *middle),
                        Beginning::TooDeep { object: false, .. }
                            | Beginning::Wrong { object: false, .. }
                    )
                {
                    self.prose.extend(open.into_iter().take(half));
                }
            }
        }
        self.prose.remove(&start);
        Array::Prose
    }
}
