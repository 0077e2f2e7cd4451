//! How the policies of a set act together: what is left to the answers of each
//! oracle, and which policies decide nothing because another one permits no
//! more than they do (formats.md section 4). Determinism class D1.

use crate::envelope::{domain, permitted};
use crate::policy::PolicyEntry;
use crate::selector::{self, ELAPSED};

/// What a value of an oracle's answers may be under all policies that judge it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The oracle; `None` for every oracle that no policy names here.
    pub oracle: Option<String>,
    /// The path to the value.
    pub path: String,
    /// The smallest and the largest permitted value, raw Q16.16; `None` where
    /// nothing is permitted.
    pub permitted: Option<(i32, i32)>,
}

/// An enabled policy that never decides, and the one that decides instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The id of the policy that never decides.
    pub policy_id: String,
    /// The id of the policy that permits no more, wherever the first applies.
    pub by: String,
}

/// One scope for each oracle and path that an enabled policy names, in the
/// order of oracle and path.
pub(crate) fn scopes(policies: &[PolicyEntry]) -> Vec<Scope> {
    let enabled: Vec<&PolicyEntry> = policies.iter().filter(|policy| policy.enabled).collect();
    let mut places: Vec<(Option<&str>, &str)> = Vec::new();
    for policy in &enabled {
        let (oracle, path) = selector::split(&policy.selector);
        let known = |place: &(Option<&str>, &str)| place.0 == oracle && is_same(place.1, path);
        if !places.iter().any(known) {
            places.push((oracle, path));
        }
    }
    places.sort_unstable();
    places
        .into_iter()
        .map(|(oracle, path)| {
            let (low, high) = enabled
                .iter()
                .filter(|policy| judges(policy, oracle, path))
                .map(|policy| permitted(policy))
                .fold(domain(path), |(min, max), (low, high)| {
                    (low.max(min), high.min(max))
                });
            let ends = (i32::try_from(low), i32::try_from(high));
            Scope {
                oracle: oracle.map(str::to_owned),
                path: path.to_owned(),
                permitted: match ends {
                    (Ok(min), Ok(max)) if min <= max => Some((min, max)),
                    _ => None,
                },
            }
        })
        .collect()
}

/// The oracles that enabled policies name, in the order of their ids.
pub(crate) fn named_oracles(policies: &[PolicyEntry]) -> Vec<&str> {
    let enabled = policies.iter().filter(|policy| policy.enabled);
    let mut named: Vec<&str> = enabled
        .filter_map(|policy| selector::split(&policy.selector).0)
        .collect();
    named.sort_unstable();
    named.dedup();
    named
}

/// Whether an enabled policy judges the answers of `oracle`.
pub(crate) fn judges_oracle(policies: &[PolicyEntry], oracle: &str) -> bool {
    policies
        .iter()
        .filter(|policy| policy.enabled)
        .map(|policy| selector::split(&policy.selector))
        .any(|(own, path)| path != ELAPSED && own.is_none_or(|own| own == oracle))
}

/// The policies that never decide, in the order of their ids.
pub(crate) fn shadows(policies: &[PolicyEntry]) -> Vec<Shadow> {
    let enabled: Vec<&PolicyEntry> = policies.iter().filter(|policy| policy.enabled).collect();
    enabled
        .iter()
        .filter_map(|policy| {
            let by = enabled.iter().find(|other| decides_for(other, policy))?;
            Some(Shadow {
                policy_id: policy.policy_id.clone(),
                by: by.policy_id.clone(),
            })
        })
        .collect()
}

/// Whether `other` breaches wherever `policy` does. Of two that are alike the
/// one with the smaller id decides.
fn decides_for(other: &PolicyEntry, policy: &PolicyEntry) -> bool {
    let (oracle, path) = selector::split(&policy.selector);
    let ((low, high), (other_low, other_high)) = (permitted(policy), permitted(other));
    let covers = judges(other, oracle, path) && other_low >= low && other_high <= high;
    let is_alike =
        (other_low, other_high) == (low, high) && selector::split(&other.selector).0 == oracle;
    let is_first = other.policy_id < policy.policy_id;
    other.policy_id != policy.policy_id && covers && (!is_alike || is_first)
}

/// Whether a policy judges the value at `path` of the answers of `oracle`.
fn judges(policy: &PolicyEntry, oracle: Option<&str>, path: &str) -> bool {
    let (own_oracle, own_path) = selector::split(&policy.selector);
    (own_oracle.is_none() || own_oracle == oracle) && is_same(own_path, path)
}

/// Whether two paths lead to one value: a name is the pointer to a member at
/// the top level, but for the name of the time.
fn is_same(a: &str, b: &str) -> bool {
    let is_pointer_to = |pointer: &str, name: &str| {
        name != ELAPSED && pointer.strip_prefix('/').is_some_and(|step| step == name)
    };
    a == b || is_pointer_to(a, b) || is_pointer_to(b, a)
}
