//! Where the top-level JSON objects of a text are (A2, A6), and whether anything else carries structure.
//!
//! One pass from left to right. A region that is not valid JSON ends the pass, or is prose as a whole: nothing inside
//! it is ever looked at as a candidate of its own.

use super::value;

/// The objects of a text without broken structure.
#[derive(Debug, Default)]
pub(super) struct TopLevelObjects<'t> {
    /// The number of the objects.
    pub(super) count: usize,
    /// The first of the objects.
    pub(super) first: Option<&'t str>,
}

/// Finds the top-level objects of `text`; `None` where a part of the text carries structure and is not valid JSON.
/// Quotes outside regions mean nothing.
pub(super) fn find_objects(text: &str) -> Option<TopLevelObjects<'_>> {
    let mut objects = TopLevelObjects::default();
    let mut at = 0;
    while let Some((start, bracket)) = find_bracket(text.as_bytes(), at) {
        at = match (bracket, value::find_end(text.as_bytes(), start)) {
            (b'{', Some(end)) => {
                objects.count += 1;
                objects.first = objects.first.or(text.get(start..end));
                end
            }
            (b'{', None) => find_placeholder_end(text, start)?,
            (b'[', Some(end)) => end,
            (b'[', None) => find_prose_end(text.as_bytes(), start)?,
            // What closes and was not opened.
            _ => return None,
        };
    }
    Some(objects)
}

/// The next bracket or brace from `at` on, and where it is.
fn find_bracket(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let mut rest = bytes.iter().enumerate().skip(at);
    rest.find(|(_, byte)| matches!(byte, b'{' | b'}' | b'[' | b']'))
        .map(|(at, byte)| (at, *byte))
}

/// After the placeholder that begins at `start`, such as `{name}`; `None` where there is none.
fn find_placeholder_end(text: &str, start: usize) -> Option<usize> {
    let inner = text.get(start + 1..)?;
    let is_in_name = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_.-".contains(c);
    let length = inner.find(|c| !is_in_name(c))?;
    let end = start + 1 + length;
    (text.as_bytes().get(end) == Some(&b'}')).then_some(end + 1)
}

/// After the `]` that closes the `[` at `start`, or the end of the text where none does; `None` where a brace stands
/// before that. Brackets in JSON strings do not count; braces count wherever they stand.
fn find_prose_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b'{' | b'}' => return None,
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' if !in_string => depth += 1,
            b']' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    Some(bytes.len())
}
