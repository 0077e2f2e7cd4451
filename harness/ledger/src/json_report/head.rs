//! How long a ledger is, where it ends and what it is bound to, as JSON.

use std::io::{Read, Seek};
use std::path::Path;

use axilog::agent::state::Health;
use axilog::evidence::transition::TransitionRecord;
use axilog::hash::{Hash, Tag};
use serde_json::{Value, json};

use super::verification::verification_json;
use crate::encoding::hex;
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::manifest::{FoundManifest, Manifest, find_manifest};
use crate::replay::{ReplayReport, replay_decisions};
use crate::rules::ExpectedRules;
use crate::verify::LedgerExpectations;

/// A replayed ledger, with its last recorded state and its manifest.
pub struct LedgerHead {
    /// The result of the replay.
    pub replayed: ReplayReport,
    /// The state of the agent that the last transition records.
    pub state: Health,
    /// The manifest, by its hash; `None` where the ledger has none, and where it is faulty.
    pub manifest: Option<(Hash, FoundManifest)>,
}

impl LedgerHead {
    /// Replays the ledger that is read from `source`, or verifies it where it has no decisions, and finds its manifest
    /// beside `path`.
    ///
    /// # Errors
    /// Those of [`replay_decisions`] and [`find_manifest`].
    pub fn read(
        source: impl Read + Seek,
        path: &Path,
        expected_rules: ExpectedRules<'_>,
    ) -> Result<LedgerHead, LedgerError> {
        let expected = LedgerExpectations::default();
        let mut state = Health::Uninit;
        let replayed = replay_decisions(source, path, expected_rules, &expected, &mut |record| {
            if record.entry.tag == Tag::Trans
                && let Ok(transition) = TransitionRecord::parse(record.entry.payload)
            {
                state = transition.next_state;
            }
        })?;
        let rules = replayed.rules.as_ref();
        let hash = rules
            .filter(|_| replayed.verification.fault.is_none())
            .and_then(|(rules, _)| rules.manifest());
        let manifest = match hash {
            Some(hash) => Some((hash, find_manifest(&BlobStore::of_ledger(path), &hash)?)),
            None => None,
        };
        Ok(LedgerHead {
            replayed,
            state,
            manifest,
        })
    }

    /// Whether the ledger is good, and its manifest the one that it names, where that is there.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let manifest_is_bad = matches!(self.manifest, Some((_, FoundManifest::Bad(_))));
        self.replayed.verification.fault.is_none() && !manifest_is_bad
    }

    /// The number of records that the ledger is expected to have from now on: a seal is a record, and is not counted
    /// there.
    #[must_use]
    pub fn expected_entries(&self) -> u64 {
        let replay = &self.replayed.verification.replay;
        let sealed = replay.ledger().sealed;
        replay.entries().saturating_sub(u64::from(sealed))
    }

    /// The object of `axilog head`: of a faulty ledger, that of its verification.
    #[must_use]
    pub fn to_json(&self, path: &Path) -> Value {
        let verified = &self.replayed.verification;
        if verified.fault.is_some() {
            return verification_json(path, verified);
        }
        let (ledger, entries) = (verified.replay.ledger(), verified.replay.entries());
        let head = hex(&ledger.head);
        let manifest = match &self.manifest {
            Some((_, FoundManifest::Good(manifest))) => manifest_json(manifest),
            _ => Value::Null,
        };
        json!({
            "ledger": path.to_string_lossy(),
            "verdict": verified.verdict().as_str(),
            "ok": self.is_good(),
            "entries": entries,
            "head": head,
            "expect_entries": self.expected_entries(),
            "extends": format!("{entries}:{head}"),
            "sealed": ledger.sealed,
            "state": self.state.as_str(),
            "replayed": self.replayed.rules.is_some(),
            "manifest_hash": self.manifest.as_ref().map(|(hash, _)| hex(hash)),
            "manifest": manifest,
        })
    }
}

fn manifest_json(manifest: &Manifest) -> Value {
    json!({
        "follows": manifest.predecessor(),
        "name": manifest.name(),
        "note": manifest.note(),
        "oracles": manifest.oracles(),
        "require_policy": manifest.requires_policy(),
        "running_values": manifest.running_values(),
    })
}
