//! The canonical texts (RFC 8785): policy files (formats.md section 4) and
//! configurations (section 5). Selectors alone may need escapes: ids and
//! operators are of a closed alphabet. Determinism class D1.

use core::fmt::Write;

use crate::error::Fault;
use crate::parse::{File, Group, VALUE};
use crate::policy::PolicyEntry;
use crate::{message, selector};

/// Writes a file that was read as RFC 8785 does: shape and order of the arrays as they
/// are, members and selectors sorted.
pub(crate) fn write_source(file: &File) -> String {
    let mut out = String::new();
    match file {
        File::Array(group) => {
            write_array(&mut out, group.entries.iter().map(|entry| &entry.policy));
        }
        File::Object(groups) => {
            let mut groups: Vec<&Group> = groups.iter().collect();
            groups.sort_by(|a, b| selector::compare(&a.selector, &b.selector));
            write_object(
                &mut out,
                groups.into_iter().map(|group| {
                    let policies = group.entries.iter().map(|entry| &entry.policy);
                    (group.selector.as_str(), policies)
                }),
            );
        }
    }
    out
}

/// Writes the canonical policy file of `policies`, which are in order: the plain
/// array where every selector is `value`, else the object.
pub(crate) fn write_file(policies: &[PolicyEntry]) -> String {
    let mut out = String::new();
    if policies.iter().all(|policy| policy.selector == VALUE) {
        write_array(&mut out, policies.iter());
    } else {
        write_groups(&mut out, policies);
    }
    out
}

/// Writes the Configuration of `policies`, which are in order.
pub(crate) fn write_configuration(
    manifest: Option<&[u8; 32]>,
    policies: &[PolicyEntry],
    permit_truncated: bool,
    stop_on_invalid: bool,
) -> String {
    let mut out = String::from("{");
    // Writing to a String cannot fail.
    if let Some(hash) = manifest {
        out.push_str("\"manifest\":\"");
        for byte in hash {
            let _ = write!(out, "{byte:02x}");
        }
        out.push_str("\",");
    }
    let _ = write!(out, "\"permit_truncated\":{permit_truncated},\"policies\":");
    write_groups(&mut out, policies);
    let _ = write!(out, ",\"stop_on_invalid\":{stop_on_invalid}}}");
    out
}

/// Refuses `text` unless it is `canonical`, or with `final_lf` that and one
/// LF; points at the first byte that differs.
pub(crate) fn check_canonical(
    text: &str,
    canonical: &str,
    final_lf: bool,
    remedy: &str,
) -> Result<(), Fault> {
    // By characters, since a place within one cannot be cut out.
    let equal = text
        .chars()
        .zip(canonical.chars())
        .take_while(|(found, expected)| found == expected)
        .map(|(found, _)| found.len_utf8())
        .sum();
    let rest = text.get(equal..).unwrap_or_default();
    let expected = canonical.get(equal..).unwrap_or_default();
    if expected.is_empty() {
        // All that may follow is the one LF.
        let end = if final_lf {
            rest.strip_prefix('\n').unwrap_or(rest)
        } else {
            rest
        };
        if end.is_empty() {
            return Ok(());
        }
        let at = text.len().saturating_sub(end.len());
        let allowed = if final_lf {
            " after at most one line feed"
        } else {
            ""
        };
        return Err(Fault {
            at,
            reason: format!(
                "found {}, expected the end of the file{allowed}{remedy}",
                message::quote_excerpt(end)
            ),
        });
    }
    Err(Fault {
        at: equal,
        reason: format!(
            "found {}, expected {} in the canonical form{remedy}",
            message::quote_excerpt(rest),
            message::quote_excerpt(expected)
        ),
    })
}

/// Writes the object from selector to the policies that have it.
fn write_groups(out: &mut String, policies: &[PolicyEntry]) {
    let items = policies
        .iter()
        .map(|policy| (policy.selector.as_str(), policy));
    write_object(out, selector::group(items));
}

fn write_object<'p, P>(out: &mut String, groups: impl IntoIterator<Item = (&'p str, P)>)
where
    P: IntoIterator<Item = &'p PolicyEntry>,
{
    out.push('{');
    for (index, (selector, policies)) in groups.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, selector);
        out.push(':');
        write_array(out, policies.into_iter());
    }
    out.push('}');
}

/// Writes a string with the escapes of RFC 8785 section 3.2.2.2.
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

fn write_array<'p>(out: &mut String, policies: impl Iterator<Item = &'p PolicyEntry>) {
    out.push('[');
    for (index, policy) in policies.enumerate() {
        if index > 0 {
            out.push(',');
        }
        let _ = write!(
            out,
            "{{\"comparison\":\"{}\",\"enabled\":{},\"policy_id\":\"{}\",\"threshold\":{}}}",
            policy.comparison.name(),
            policy.enabled,
            policy.policy_id,
            policy.threshold
        );
    }
    out.push(']');
}
