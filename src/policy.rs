//! Policies: fixed limits on values, evaluated in `policy_id` order.
//!
//! formats.md §4 and §5 (Configuration); SRS-004 §11 and §17 (SHALL-013, SHALL-015, SHALL-027,
//! SHALL-028). Determinism: D2. Policies are read through [`Registry`], so that a table compiled
//! into firmware, one in C memory and one in a Rust slice are evaluated by the same code.

#![forbid(unsafe_code)]

use core::cmp::Ordering;

use crate::evidence::policy::{PolicyRecord, PolicyResult};
use crate::fault::{Error, Faults};
use crate::hash::{Hash, Hasher, Tag};
use crate::json::extract::{MAX_POLICIES, NO_VALUE};
use crate::json::writer;
use crate::ledger::{Ledger, LedgerSink};
use crate::profile::Profile;
use crate::sink::{Sink, shared};

pub use crate::evidence::policy::{MAX_ID_BYTES, is_valid_id};
pub use crate::selector::{
    DEFAULT_SELECTOR, ELAPSED_SELECTOR, MAX_SELECTOR_BYTES, Selector, is_valid_selector,
};

/// The comparison of a value with its threshold. A value *breaches* where the comparison holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Greater than.
    Gt,
    /// Less than.
    Lt,
    /// Greater than or equal.
    Ge,
    /// Less than or equal.
    Le,
    /// An operator outside the closed set; always breaches (SRS-004-SHALL-028).
    Unknown,
}

impl Comparison {
    /// The operator's name in policy files and in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Comparison::Gt => "GT",
            Comparison::Lt => "LT",
            Comparison::Ge => "GE",
            Comparison::Le => "LE",
            Comparison::Unknown => "UNKNOWN",
        }
    }
}

/// One policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy<'a> {
    /// The identity of the policy; satisfies [`is_valid_id`].
    pub id: &'a str,
    /// The limit, raw Q16.16.
    pub threshold: i32,
    /// The comparison under which a value breaches.
    pub comparison: Comparison,
    /// Whether the policy is evaluated at all; a disabled policy leaves no record.
    pub enabled: bool,
    /// The value that the policy looks at, and whose answers; satisfies [`is_valid_selector`].
    pub selector: &'a str,
}

impl<'a> Policy<'a> {
    /// The record of comparing `actual` in the step of observation `ledger_seq`.
    #[must_use]
    pub fn evaluate(&self, actual: i32, ledger_seq: u64, obs_ledger_seq: u64) -> PolicyRecord<'a> {
        let result = if breaches(actual, self.threshold, self.comparison) {
            PolicyResult::Breach
        } else {
            PolicyResult::Permitted
        };
        PolicyRecord {
            actual,
            ledger_seq,
            obs_ledger_seq,
            policy_id: self.id.as_bytes(),
            result,
            threshold: self.threshold,
        }
    }
}

/// The pure comparison on raw Q16.16. An unknown operator breaches, and so does the value that
/// stands for none (`i32::MIN`), whatever the operator (decision D18).
#[must_use]
pub fn breaches(actual: i32, threshold: i32, comparison: Comparison) -> bool {
    actual == NO_VALUE
        || match comparison {
            Comparison::Gt => actual > threshold,
            Comparison::Lt => actual < threshold,
            Comparison::Ge => actual >= threshold,
            Comparison::Le => actual <= threshold,
            Comparison::Unknown => true,
        }
}

/// A table of policies in ascending `policy_id` order.
pub trait Registry {
    /// The number of policies.
    fn len(&self) -> usize;

    /// The policy at `index`; `None` outside the table.
    fn get(&self, index: usize) -> Option<Policy<'_>>;

    /// Whether the table has no policy.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Registry for &[Policy<'_>] {
    fn len(&self) -> usize {
        <[Policy<'_>]>::len(self)
    }

    fn get(&self, index: usize) -> Option<Policy<'_>> {
        <[Policy<'_>]>::get(self, index).copied()
    }
}

impl<const N: usize> Registry for [Policy<'_>; N] {
    fn len(&self) -> usize {
        N
    }

    fn get(&self, index: usize) -> Option<Policy<'_>> {
        self.as_slice().get(index).copied()
    }
}

/// Whether every id is below its successor's, so that the table is sorted and free of duplicates.
#[must_use]
pub fn is_sorted(registry: &(impl Registry + ?Sized)) -> bool {
    iter_policies(registry)
        .zip(iter_policies(registry).skip(1))
        .all(|(a, b)| a.id.as_bytes() < b.id.as_bytes())
}

/// Checks a table: at most 64 policies, valid ids and selectors, strictly ascending ids. Unknown
/// operators are kept; they breach when evaluated.
///
/// # Errors
/// [`Error::Size`] for too many, [`Error::Schema`] for an id or selector, [`Error::Ordering`] for
/// an unsorted or duplicate id.
pub fn check(registry: &(impl Registry + ?Sized)) -> Result<(), Error> {
    if registry.len() > MAX_POLICIES {
        return Err(Error::Size);
    }
    let valid =
        |p: Policy<'_>| is_valid_id(p.id.as_bytes()) && is_valid_selector(p.selector.as_bytes());
    if iter_policies(registry).count() != registry.len() || !iter_policies(registry).all(valid) {
        return Err(Error::Schema);
    }
    if is_sorted(registry) {
        Ok(())
    } else {
        Err(Error::Ordering)
    }
}

pub(crate) fn iter_policies<R: Registry + ?Sized>(
    registry: &R,
) -> impl Iterator<Item = Policy<'_>> {
    (0..registry.len()).filter_map(|index| registry.get(index))
}

/// The rules an agent runs under: its policies, its two switches, and the manifest that its ledger
/// is bound to.
pub struct Rules<'r> {
    /// The policies.
    pub registry: &'r dyn Registry,
    /// Whether a TRUNCATED answer is evaluated like a COMPLETE one (SRS-004-SHALL-040).
    pub permit_truncated: bool,
    /// Whether an INVALID_OUTPUT stops the agent rather than alarming it (decision D21).
    pub stop_on_invalid: bool,
    /// SHA-256 of the host's manifest, where the ledger is bound to one (formats.md, Manifest).
    pub manifest: Option<Hash>,
}

impl Rules<'_> {
    /// Writes the canonical configuration, which names these rules in a ledger.
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) {
        out.put(b"{");
        if let Some(manifest) = &self.manifest {
            out.put(b"\"manifest\":");
            writer::hash(manifest, out);
            out.put(b",");
        }
        out.put(b"\"permit_truncated\":");
        writer::bool(self.permit_truncated, out);
        out.put(b",\"policies\":{");
        let mut previous = None;
        while let Some(selector) = next_selector(self.registry, previous) {
            if previous.is_some() {
                out.put(b",");
            }
            writer::string(selector.as_bytes(), Profile::Rfc8785, out);
            out.put(b":[");
            let mut separator: &[u8] = b"";
            for policy in iter_policies(self.registry).filter(|p| p.selector == selector) {
                out.put(separator);
                separator = b",";
                write_entry(&policy, out);
            }
            out.put(b"]");
            previous = Some(selector);
        }
        out.put(b"},\"stop_on_invalid\":");
        writer::bool(self.stop_on_invalid, out);
        out.put(b"}");
    }

    /// SHA-256 of the canonical configuration: the `input_hash` of every RESET_REQUEST.
    #[must_use]
    pub fn hash(&self) -> Hash {
        let mut hasher = Hasher::new();
        self.write(shared(&mut hasher));
        hasher.finish()
    }
}

/// The least selector above `previous` in code-unit order.
fn next_selector<'r>(registry: &'r dyn Registry, previous: Option<&str>) -> Option<&'r str> {
    iter_policies(registry)
        .map(|policy| policy.selector)
        .filter(|selector| previous.is_none_or(|p| compare_units(selector, p) == Ordering::Greater))
        .min_by(|a, b| compare_units(a, b))
}

/// Compares by UTF-16 code units, as RFC 8785 §3.2.3 orders names.
fn compare_units(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

fn write_entry(policy: &Policy<'_>, out: &mut (impl Sink + ?Sized)) {
    out.put(b"{\"comparison\":\"");
    out.put(policy.comparison.as_str().as_bytes());
    out.put(b"\",\"enabled\":");
    writer::bool(policy.enabled, out);
    out.put(b",\"policy_id\":");
    writer::string(policy.id.as_bytes(), Profile::Rfc8785, out);
    out.put(b",\"threshold\":");
    writer::i64(i64::from(policy.threshold), out);
    out.put(b"}");
}

/// Evaluates one value against every enabled policy, whatever its selector, and commits a record
/// for each where there is a ledger (c-abi.md `ax_policy_evaluate_all`).
///
/// # Errors
/// [`Error::Ledger`] where a record cannot be committed; the caller treats that as a breach.
pub fn evaluate_all(
    registry: &dyn Registry,
    input: &PolicyInput,
    mut ledger: Option<(&mut Ledger, &mut dyn LedgerSink)>,
    faults: &mut Faults,
) -> Result<Evaluation, Error> {
    let mut evaluation = Evaluation {
        ledger_seq: input.ledger_seq,
        ..Evaluation::default()
    };
    for policy in iter_policies(registry).filter(|p| p.enabled) {
        let record = policy.evaluate(input.value, input.ledger_seq, input.obs_ledger_seq);
        evaluation.breach |= record.result == PolicyResult::Breach;
        evaluation.count = evaluation.count.saturating_add(1);
        if let Some((ledger, sink)) = &mut ledger {
            ledger.record_written(
                Tag::Policy,
                |out| record.write(shared(out)),
                &mut **sink,
                faults,
            )?;
        }
    }
    Ok(evaluation)
}

/// A value to evaluate, and the sequences that its records carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyInput {
    /// Raw Q16.16, or `i32::MIN` for no value.
    pub value: i32,
    /// Sequence for the record.
    pub ledger_seq: u64,
    /// Sequence of the observation.
    pub obs_ledger_seq: u64,
}

/// The decision of the policies on one input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluation {
    /// Whether a policy was breached.
    pub breach: bool,
    /// The number of policies that were evaluated.
    pub count: u8,
    /// The observation's sequence.
    pub ledger_seq: u64,
}

/// The policies compiled into the library by `build.rs` (SRS-004 §17.5).
pub mod builtin {
    use super::{Comparison, Policy};

    include!(concat!(env!("OUT_DIR"), "/policies.rs"));
}
