//! What a ledger is verified against: rules, and what the caller knows of it from elsewhere.

use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, sha256};
use axilog::json::writer;
use axilog::ledger::Entry;
use axilog::profile::Profile;
use axilog::replay::{CheckedEntry, Verdict};

use super::expectations::LedgerExpectations;
use crate::encoding::{ByteBuffer, hex};
use crate::rules::RuleSet;

/// The rules and expectations of a pass over a ledger.
pub(super) struct Terms<'t> {
    /// The rules of a replay; `None` for a verification.
    pub(super) rules: Option<&'t RuleSet>,
    /// What the caller expects.
    pub(super) expected: &'t LedgerExpectations,
    /// The expected models of oracles, escaped as records escape them.
    pub(super) pins: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<'t> Terms<'t> {
    pub(super) fn new(rules: Option<&'t RuleSet>, expected: &'t LedgerExpectations) -> Terms<'t> {
        let pins = (expected.models.iter())
            .map(|(oracle, model)| (escape_id(oracle), escape_id(model)))
            .collect();
        Terms {
            rules,
            expected,
            pins,
        }
    }

    /// The digest of everything that is verified against.
    pub(super) fn digest(&self) -> Hash {
        let LedgerExpectations {
            entries,
            head,
            models,
            earlier_heads,
        } = self.expected;
        let mut bytes = Vec::new();
        put_list(&mut bytes, self.rules.map(RuleSet::hash).as_slice());
        put_list(&mut bytes, entries.map(u64::to_le_bytes).as_slice());
        put_list(&mut bytes, head.as_slice());
        let ids: Vec<&str> = (models.iter())
            .flat_map(|(oracle, model)| [oracle.as_str(), model.as_str()])
            .collect();
        put_list(&mut bytes, &ids);
        for earlier in earlier_heads {
            put_list(&mut bytes, &[earlier.entries.to_le_bytes()]);
            put_list(&mut bytes, &[earlier.head]);
        }
        sha256(&bytes)
    }

    /// Whether a record that is good by itself is not as the caller expects.
    pub(super) fn are_broken_by(&self, record: &CheckedEntry<'_>) -> bool {
        let view = record.observation();
        view.is_some_and(|view| find_model_mismatch(view, &self.pins).is_some())
            || self.check_earlier_heads(record.entry()).is_some()
    }

    /// Compares the record with the heads that were noted when it was the last one.
    pub(super) fn check_earlier_heads(&self, entry: &Entry<'_>) -> Option<(Verdict, String)> {
        let earlier = self.expected.earlier_heads.iter().find(|earlier| {
            earlier.entries == entry.sequence.saturating_add(1) && earlier.head != entry.chain
        })?;
        Some((
            Verdict::Altered,
            format!(
                "the chain value after {} records is {}, and was {} when that head was noted: what stands up to here was written anew",
                earlier.entries,
                hex(&entry.chain),
                hex(&earlier.head)
            ),
        ))
    }
}

/// Writes how many texts there are, and each with its length.
fn put_list(bytes: &mut Vec<u8>, list: &[impl AsRef<[u8]>]) {
    bytes.extend_from_slice(&(list.len() as u64).to_le_bytes());
    for text in list.iter().map(AsRef::as_ref) {
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text);
    }
}

/// Compares the observation's model with the one that `pins` has for its oracle; a difference is described.
pub(super) fn find_model_mismatch(
    view: &ObservationView<'_>,
    pins: &[(Vec<u8>, Vec<u8>)],
) -> Option<String> {
    let (oracle, model) = (view.oracle_id.bytes(), view.model_id.bytes());
    let (_, wanted) = pins.iter().find(|(o, m)| o == oracle && m != model)?;
    Some(format!(
        "the oracle \"{}\" has the model \"{}\", expected \"{}\"",
        oracle.escape_ascii(),
        model.escape_ascii(),
        wanted.escape_ascii()
    ))
}

/// Escapes an identity as records do. All profiles escape the characters of an identity alike.
fn escape_id(id: &str) -> Vec<u8> {
    let mut bytes = ByteBuffer::default();
    writer::escape(id.as_bytes(), Profile::Rfc8785, &mut bytes);
    bytes.0
}
