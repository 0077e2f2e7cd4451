//! The canonical texts (RFC 8785): policy files (formats.md section 4) and
//! configurations (section 5). Nothing written here ever needs an escape:
//! names, ids and operators are of a closed alphabet. Determinism class D1.

use core::fmt::Write;
use std::collections::BTreeMap;

use crate::error::Fault;
use crate::message;
use crate::parse::{File, VALUE};
use crate::policy::Policy;

/// Writes a file that was read as RFC 8785 does: shape and order of the arrays as they
/// are, members and selectors sorted.
pub(crate) fn write_source(file: &File) -> String {
    let mut out = String::new();
    match file {
        File::Array(group) => {
            write_array(&mut out, group.entries.iter().map(|entry| &entry.policy));
        }
        File::Object(groups) => {
            let by_selector = groups
                .iter()
                .map(|group| {
                    let policies = group.entries.iter().map(|entry| &entry.policy);
                    (group.selector.as_str(), policies.collect())
                })
                .collect();
            write_object(&mut out, &by_selector);
        }
    }
    out
}

/// Writes the canonical policy file of `policies`, which are in order: the plain
/// array where every selector is `value`, else the object.
pub(crate) fn write_file(policies: &[Policy]) -> String {
    let mut out = String::new();
    if policies.iter().all(|policy| policy.selector == VALUE) {
        write_array(&mut out, policies.iter());
    } else {
        write_object(&mut out, &group_by_selector(policies));
    }
    out
}

/// Writes the Configuration of `policies`, which are in order.
pub(crate) fn write_configuration(
    manifest: Option<&[u8; 32]>,
    policies: &[Policy],
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
    write_object(&mut out, &group_by_selector(policies));
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
    let equal = text
        .bytes()
        .zip(canonical.bytes())
        .take_while(|(found, expected)| found == expected)
        .count();
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

/// Groups policies by selector, in byte order, which is UTF-16 order for ASCII.
fn group_by_selector(policies: &[Policy]) -> BTreeMap<&str, Vec<&Policy>> {
    let mut groups: BTreeMap<&str, Vec<&Policy>> = BTreeMap::new();
    for policy in policies {
        groups.entry(&policy.selector).or_default().push(policy);
    }
    groups
}

fn write_object(out: &mut String, groups: &BTreeMap<&str, Vec<&Policy>>) {
    out.push('{');
    for (index, (selector, policies)) in groups.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        let _ = write!(out, "\"{selector}\":");
        write_array(out, policies.iter().copied());
    }
    out.push('}');
}

fn write_array<'p>(out: &mut String, policies: impl Iterator<Item = &'p Policy>) {
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
