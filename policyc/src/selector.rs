//! Selectors, `[oracle#]path`: which value of whose answer a policy judges
//! (formats.md section 4, "Policy files"). Determinism class D1.

use core::cmp::Ordering;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::is_nfc;

use crate::error::Fault;
use crate::message;

/// The longest selector, in bytes.
pub const MAX_SELECTOR: usize = 192;

/// The step to every element of an array, and how often a path may have it.
pub const EVERY: &str = "~*";
const MAX_EVERY_STEPS: usize = 2;

/// The last step to the number of an array's elements or of an object's members.
pub const COUNT: &str = "~#";

/// The step from a string to the JSON value that it holds, which a path may
/// have once.
pub const EMBEDDED: &str = "~j";

/// The selector of the time between two time observations. It always has a
/// value, never a negative one, and saturates.
pub(crate) const ELAPSED: &str = "elapsed";

/// The most consecutive marks of an admissible text, after the Stream-Safe
/// Text Format of UAX #15.
const MAX_MARKS: usize = 30;

/// Splits `/~eN` off the end of a path, and gives N: the value is divided by 10^N.
///
/// ```
/// assert_eq!(axilog_policyc::split_scale("/amount/~e-3"), ("/amount", -3));
/// assert_eq!(axilog_policyc::split_scale("/amount"), ("/amount", 0));
/// ```
pub fn split_scale(path: &str) -> (&str, i8) {
    let scale = path.rsplit_once("/~e").and_then(|(before, digits)| {
        let magnitude = digits.strip_prefix('-').unwrap_or(digits);
        let is_canonical = magnitude.len() == 1 && digits != "-0" && !digits.starts_with('+');
        Some((before, digits.parse().ok().filter(|_| is_canonical)?))
    });
    scale.unwrap_or((path, 0))
}

/// Checks a selector: at most 192 bytes, the oracle an `oracle_id` without
/// `#`, the path a name or an RFC 6901 pointer that does not end in `_q16`,
/// which is how an answer marks a raw value.
pub(crate) fn check_selector(at: usize, selector: &str) -> Result<(), Fault> {
    match find_fault(selector) {
        None => Ok(()),
        Some(expected) => {
            let found = format_args!("the selector {}", message::quote(selector));
            Err(Fault::expected(at, found, expected))
        }
    }
}

/// What was expected of a path, a name or a pointer without an oracle, that is
/// not valid; `None` for a valid one.
///
/// ```
/// assert_eq!(axilog_policyc::find_path_fault("/items/~*/price"), None);
/// assert!(axilog_policyc::find_path_fault("tool.pay#amount").is_some());
/// ```
pub fn find_path_fault(path: &str) -> Option<String> {
    match split(path) {
        (Some(_), _) => Some("a path without an oracle".into()),
        (None, path) => find_fault(path),
    }
}

/// What was expected of a selector that is not valid.
fn find_fault(selector: &str) -> Option<String> {
    if selector.len() > MAX_SELECTOR {
        return Some(format!("at most {MAX_SELECTOR} bytes"));
    }
    if selector.contains('\0') {
        return Some("no U+0000, which a C string cannot hold".into());
    }
    let (oracle, path) = split(selector);
    if oracle.is_some_and(|oracle| !is_oracle_id(oracle)) {
        return Some(
            "in front of the # an oracle_id: at least one character, none of them a control \
             character, in NFC"
                .into(),
        );
    }
    if oracle.is_some() && path == ELAPSED {
        return Some("elapsed without an oracle, since time is no oracle's answer".into());
    }
    let (path, is_scaled) = match split_scale(path) {
        (before, _) if before.len() < path.len() => (before, true),
        _ => (path, false),
    };
    let expected = if path.ends_with("_q16") {
        "a path not ending in _q16"
    } else if is_scaled && (!path.starts_with('/') || path.ends_with(COUNT)) {
        "in front of the step ~eN a pointer to a number that is no count"
    } else if let Some(steps) = path.strip_prefix('/') {
        find_step_fault(steps)?
    } else {
        if is_name(path) {
            return None;
        }
        "a name (a letter or _, then characters of A-Z a-z 0-9 _ -) or a pointer, which begins with /"
    };
    Some(expected.into())
}

/// Takes a selector apart: the oracle is what stands before the first `#`,
/// unless the selector begins with `/` and is all path.
pub(crate) fn split(selector: &str) -> (Option<&str>, &str) {
    if selector.starts_with('/') {
        return (None, selector);
    }
    match selector.split_once('#') {
        Some((oracle, path)) => (Some(oracle), path),
        None => (None, selector),
    }
}

/// The path of a selector: a name or a pointer, without the oracle.
///
/// ```
/// assert_eq!(axilog_policyc::selector_path("tool.cmd_vel#/linear/x"), "/linear/x");
/// ```
pub fn selector_path(selector: &str) -> &str {
    split(selector).1
}

/// Whether observations may have this `oracle_id` (formats.md section 3,
/// "Admission"), its length aside.
fn is_oracle_id(id: &str) -> bool {
    let mut marks: usize = 0;
    let few_marks = id.chars().all(|character| {
        let is_mark = canonical_combining_class(character) != 0;
        marks = if is_mark { marks.saturating_add(1) } else { 0 };
        marks <= MAX_MARKS
    });
    !id.is_empty() && !id.bytes().any(|byte| byte < 0x20) && is_nfc(id) && few_marks
}

fn is_name(path: &str) -> bool {
    path.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && path
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// What was expected of the steps of a pointer that is not valid.
fn find_step_fault(steps: &str) -> Option<&'static str> {
    let is_escaped = |step: &str| {
        let mut tildes = step.split('~').skip(1);
        tildes.all(|behind| behind.starts_with(['0', '1']))
    };
    let is_step = |step: &str| matches!(step, EVERY | COUNT | EMBEDDED) || is_escaped(step);
    let before = steps.rsplit('/').skip(1).collect::<Vec<_>>();
    if !steps.split('/').all(is_step) {
        Some(
            "a pointer in which ~ is written ~0 and / within a name ~1, or a step ~* (every element), \
             ~j (the JSON in a string) or, at the end, ~# (the number of elements) or ~e-9 to ~e9 (scale)",
        )
    } else if before.contains(&COUNT) {
        Some("~# as the last step only, since a number has nothing inside")
    } else if steps.split('/').filter(|step| *step == EVERY).count() > MAX_EVERY_STEPS {
        Some("at most two steps ~*")
    } else if steps.split('/').filter(|step| *step == EMBEDDED).count() > 1 {
        Some("at most one step ~j, since a string in the JSON of a string is text")
    } else {
        None
    }
}

/// Compares by UTF-16 code units, as RFC 8785 orders member names.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// Groups items by selector, in the order of [`compare`]; in a group they keep
/// their order.
pub(crate) fn group<'s, T>(
    items: impl IntoIterator<Item = (&'s str, T)>,
) -> Vec<(&'s str, Vec<T>)> {
    let mut groups: Vec<(&str, Vec<T>)> = Vec::new();
    for (selector, item) in items {
        match groups.binary_search_by(|(other, _)| compare(other, selector)) {
            Ok(at) => {
                if let Some((_, group)) = groups.get_mut(at) {
                    group.push(item);
                }
            }
            Err(at) => groups.insert(at, (selector, vec![item])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::is_oracle_id;

    #[test]
    fn oracle_ids_are_those_of_observations() {
        let marks = |count| format!("a{}", "\u{315}".repeat(count));
        for good in ["a", " ", "é", "\u{7f}", "\u{80}", "\"\\/", &marks(30)] {
            assert!(is_oracle_id(good), "{good:?}");
        }
        for bad in ["", "a\nb", "\u{1f}", "e\u{301}", "\u{212b}", &marks(31)] {
            assert!(!is_oracle_id(bad), "{bad:?}");
        }
    }
}
