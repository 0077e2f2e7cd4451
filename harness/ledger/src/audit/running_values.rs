//! The running values of a ledger, computed again from its answers.
//!
//! decisions.md D41. A writer that left one out, or recorded another value, had answers acted on that a limit forbids.

use axilog::agent::stimulus::CONTROL_ORACLE;
use axilog::hash::{Hash, sha256};

use super::report::name_first;
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::manifest::{FoundManifest, find_manifest};
use crate::rules::read_manifest_hash;
use crate::running_values::{RunningValueFollower, RunningValues};
use crate::verify::VerifiedRecord;

/// The computation of a ledger's running values, in progress.
pub(super) struct RunningValueCheck {
    store: BlobStore,
    /// `None` until the first reset says what is declared, and where nobody can know it.
    follower: Option<RunningValueFollower>,
    has_read_manifest: bool,
    /// What is wrong, a line each.
    faults: Vec<String>,
}

/// What the computation found.
#[derive(Default)]
pub(super) struct RunningValueFindings {
    /// The number of running values that are recorded as they should be.
    pub(super) recomputed: u64,
    /// The number of faults.
    pub(super) faults: usize,
    /// The first of them, a line each.
    pub(super) named: Vec<String>,
    /// The answer after which running values are missing at the end of the ledger.
    pub(super) incomplete: Option<u64>,
}

impl RunningValueCheck {
    pub(super) fn new(store: BlobStore) -> RunningValueCheck {
        RunningValueCheck {
            store,
            follower: None,
            has_read_manifest: false,
            faults: Vec::new(),
        }
    }

    /// Takes the next good record of the ledger.
    ///
    /// # Errors
    /// Those of [`BlobStore::read`].
    pub(super) fn take_record(&mut self, record: &VerifiedRecord<'_>) -> Result<(), LedgerError> {
        let observation = record.observation.as_ref();
        if !self.has_read_manifest
            && let Some(view) = observation
            && view.oracle_id.bytes() == CONTROL_ORACLE.as_bytes()
            && view.input_hash != sha256(b"")
        {
            self.has_read_manifest = true;
            self.follower = self.read_declared(&view.input_hash)?;
        }
        if let Some(follower) = &mut self.follower
            && let Err(fault) = follower.take(&record.entry, observation)
        {
            self.faults.push(fault);
        }
        Ok(())
    }

    fn read_declared(
        &self,
        configuration: &Hash,
    ) -> Result<Option<RunningValueFollower>, LedgerError> {
        // A configuration or a manifest that cannot be read is another check's.
        let Ok(manifest) = read_manifest_hash(&self.store, configuration) else {
            return Ok(None);
        };
        let Some(hash) = manifest else {
            return Ok(Some(RunningValueFollower::new(&RunningValues::new())));
        };
        Ok(match find_manifest(&self.store, &hash)? {
            FoundManifest::Good(manifest) => {
                Some(RunningValueFollower::new(manifest.running_values()))
            }
            FoundManifest::Missing | FoundManifest::Bad(_) => None,
        })
    }

    /// Whether the answers of an oracle count in a running value, which a policy limits.
    pub(super) fn covers(&self, oracle_id: &str) -> bool {
        let follower = self.follower.as_ref();
        follower.is_some_and(|follower| follower.counts(oracle_id))
    }

    pub(super) fn summarize(&self) -> RunningValueFindings {
        let follower = self.follower.as_ref();
        RunningValueFindings {
            recomputed: follower.map_or(0, |follower| follower.recomputed),
            faults: self.faults.len(),
            incomplete: follower.and_then(RunningValueFollower::incomplete_answer),
            named: name_first(self.faults.clone()),
        }
    }
}
