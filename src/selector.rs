//! Selectors: which value of whose answer a policy judges.
//!
//! formats.md §4 (Policy files), decisions D5 and D29; SRS-004 §10 and §17. Determinism: D1. A selector
//! is `[oracle#]path`, and the path a name or a JSON Pointer (RFC 6901), in which `~*` leads to every
//! element of an array and `~#` to the number of elements or members (D38), and a last `~eN` divides the
//! value by 10^N (D39).

#![forbid(unsafe_code)]

use crate::evidence::observation;
use crate::json::path::{COUNT, EVERY, split_scale};

/// The longest selector in bytes.
pub const MAX_SELECTOR_BYTES: usize = 192;

/// The most steps of a path that lead to every element of an array.
pub const MAX_EVERY_STEPS: usize = 2;

/// The selector of a policy that names none.
pub const DEFAULT_SELECTOR: &str = "value";

/// The one selector that applies to time and not to answers.
pub const ELAPSED_SELECTOR: &str = "elapsed";

/// A selector, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector<'s> {
    /// The oracle whose answers are judged; `None` for those of every oracle.
    pub oracle: Option<&'s str>,
    /// The way to the value: a name, or a JSON Pointer, which begins with `/`.
    pub path: &'s str,
}

impl<'s> Selector<'s> {
    /// Takes apart `text`: the oracle is what stands before the first `#`, unless `text` begins with `/`
    /// and is all path.
    #[must_use]
    pub fn split(text: &'s str) -> Self {
        let hash = match text.as_bytes() {
            [b'/', ..] => None,
            bytes => bytes.iter().position(|&byte| byte == b'#'),
        };
        let parts = hash.and_then(|at| Some((text.get(..at)?, text.get(at.wrapping_add(1)..)?)));
        match parts {
            Some((oracle, path)) => Selector {
                oracle: Some(oracle),
                path,
            },
            None => Selector {
                oracle: None,
                path: text,
            },
        }
    }
}

/// Whether `selector` is one: at most 192 bytes of UTF-8 without U+0000, in front of the path an
/// `oracle_id` without `#` or nothing, and the path either `[A-Za-z_][A-Za-z0-9_-]*` or a JSON Pointer
/// of one step or more, not ending in `_q16`, of whose steps at most two are `~*` and only the last may be
/// `~#`. After a pointer that does not end in `~#` may stand `/~eN`, N from −9 to 9. `elapsed` takes no
/// oracle.
#[must_use]
pub fn is_valid_selector(selector: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(selector) else {
        return false;
    };
    if text.len() > MAX_SELECTOR_BYTES || selector.contains(&0) {
        return false;
    }
    let Selector { oracle, path } = Selector::split(text);
    let has_valid_oracle = oracle.is_none_or(|oracle| {
        observation::is_valid_id(oracle.as_bytes()) && path != ELAPSED_SELECTOR
    });
    has_valid_oracle
        && match split_scale(path) {
            Some((pointer, _)) => {
                pointer.starts_with('/')
                    && !pointer.ends_with(COUNT)
                    && is_valid_path(pointer.as_bytes())
            }
            None => is_valid_path(path.as_bytes()),
        }
}

fn is_valid_path(path: &[u8]) -> bool {
    let is_path = match path {
        [b'/', steps @ ..] => is_pointer(steps),
        _ => is_name(path),
    };
    is_path && !path.ends_with(b"_q16")
}

fn is_name(path: &[u8]) -> bool {
    path.first()
        .is_some_and(|first| !first.is_ascii_digit() && *first != b'-')
        && path
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn is_pointer(steps: &[u8]) -> bool {
    let steps = || steps.split(|byte| *byte == b'/');
    let every = steps().filter(|step| *step == EVERY.as_bytes()).count();
    let mut is_over = false;
    every <= MAX_EVERY_STEPS
        && steps().all(|step| {
            let is_behind_count = is_over;
            is_over = step == COUNT.as_bytes();
            !is_behind_count && (is_over || step == EVERY.as_bytes() || is_escaped(step))
        })
}

/// Whether every `~` of a step is followed by `0` or `1`.
fn is_escaped(step: &[u8]) -> bool {
    let behind = step.iter().skip(1).map(Some).chain([None]);
    step.iter()
        .zip(behind)
        .all(|(byte, behind)| *byte != b'~' || matches!(behind, Some(b'0' | b'1')))
}
