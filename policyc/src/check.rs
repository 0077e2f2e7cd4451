//! The rules a policy file must satisfy beyond its shape (formats.md section
//! 4, "Policy files"). Determinism class D1.

use std::collections::BTreeMap;

use crate::envelope::{decimal, domain, permitted};
use crate::error::Fault;
use crate::message;
use crate::parse::Entry;
use crate::policy::PolicyEntry;
use crate::selector::ELAPSED;

/// 32767 units: the longest elapsed time that is exact. Whatever is longer
/// saturates to one raw value, so a limit above this would not be the limit
/// it looks like; at the very end of the range it could never be breached.
const MAX_ELAPSED: i32 = 32767 * 65536;

/// Checks the limits of a whole file: none on `elapsed` that saturation would
/// falsify, whatever the operator and enabled or not, and a value left for
/// every selector with enabled policies.
pub(crate) fn check_limits<'e>(
    entries: impl Iterator<Item = &'e Entry> + Clone,
) -> Result<(), Fault> {
    let mut by_selector: BTreeMap<&str, (&Entry, &Entry)> = BTreeMap::new();
    for entry in entries {
        let policy = &entry.policy;
        check_elapsed(entry)?;
        if !policy.enabled {
            continue;
        }
        check_satisfiable(entry)?;
        let (low, high) = permitted(policy);
        let (lowest, highest) = by_selector
            .entry(&policy.selector)
            .or_insert((entry, entry));
        if low > permitted(&lowest.policy).0 {
            *lowest = entry;
        }
        if high < permitted(&highest.policy).1 {
            *highest = entry;
        }
        check_compatible(lowest, highest)?;
    }
    Ok(())
}

fn check_elapsed(entry: &Entry) -> Result<(), Fault> {
    let policy = &entry.policy;
    if policy.selector != ELAPSED || policy.threshold <= MAX_ELAPSED {
        return Ok(());
    }
    Err(Fault::expected(
        entry.threshold_at,
        format_args!(
            "the limit {} on elapsed",
            describe_amount(policy.threshold.into())
        ),
        format_args!(
            "at most {}, since elapsed saturates above it",
            describe_amount(MAX_ELAPSED.into())
        ),
    ))
}

fn check_satisfiable(entry: &Entry) -> Result<(), Fault> {
    let policy = &entry.policy;
    let (low, high) = permitted(policy);
    if low <= high {
        return Ok(());
    }
    let (min, max) = domain(&policy.selector);
    Err(Fault::expected(
        entry.threshold_at,
        format_args!(
            "policy {}, which every value of {} breaches ({} {})",
            quote_id(policy),
            message::quote(&policy.selector),
            policy.comparison.name(),
            policy.threshold
        ),
        format_args!("a limit that some value from {min} to {max} meets"),
    ))
}

/// Checks that some value is permitted by `lowest`, whose interval begins highest, and by
/// `highest`, whose interval ends lowest.
fn check_compatible(lowest: &Entry, highest: &Entry) -> Result<(), Fault> {
    let low = permitted(&lowest.policy).0;
    let high = permitted(&highest.policy).1;
    if low <= high {
        return Ok(());
    }
    Err(Fault::expected(
        lowest.threshold_at.max(highest.threshold_at),
        format_args!(
            "no permitted value of {}: policy {} wants at least {} and policy {} at most {}",
            message::quote(&lowest.policy.selector),
            quote_id(&lowest.policy),
            describe_amount(low),
            quote_id(&highest.policy),
            describe_amount(high)
        ),
        "limits that some value meets",
    ))
}

fn quote_id(policy: &PolicyEntry) -> String {
    message::quote(&policy.policy_id)
}

/// Describes a raw value, with its decimal.
fn describe_amount(raw: i64) -> String {
    i32::try_from(raw).map_or_else(
        |_| raw.to_string(),
        |raw| format!("{raw} ({})", decimal(raw)),
    )
}
