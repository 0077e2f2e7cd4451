//! A checkpoint that somebody holds, compared with the ledger in the pass in which it is audited.

use std::io::{Read, Seek};
use std::path::Path;

use axilog::hash::Hash;
use axilog::ledger::Entry;
use axilog::replay::Verdict;
use axilog_ledger::audit::HELD_HEAD;
use axilog_ledger::audit::held_head::{CheckResult, HeldHead};
use axilog_ledger::verify::VerificationReport;

use crate::checkpoint::Checkpoint;
use crate::error::HeadsError;
use crate::ledger_name::find_ledger_name;
use crate::policy::WitnessPolicy;
use crate::tree::TreeEdge;
use crate::verifier_key::VerifierKey;

/// A checkpoint that somebody holds, with the public key of the log, and the tree of a ledger as far as the checkpoint
/// goes.
#[derive(Debug)]
pub struct HeldCheckpoint {
    checkpoint: Checkpoint,
    key: VerifierKey,
    /// The witnesses who must have signed it, if any must.
    policy: Option<WitnessPolicy>,
    /// The name of the ledger; `None` where it has none, or none that can be read.
    ledger_name: Option<String>,
    edge: TreeEdge,
    failure: Option<HeadsError>,
}

impl HeldCheckpoint {
    /// A checkpoint that the ledger which is read from `source` will be compared with. Where there is a `policy`, enough
    /// of its witnesses must have signed it. The blobs are those beside `ledger`.
    ///
    /// # Errors
    /// [`HeadsError::File`].
    pub fn new(
        checkpoint: Checkpoint,
        key: VerifierKey,
        policy: Option<WitnessPolicy>,
        source: &mut (impl Read + Seek),
        ledger: &Path,
    ) -> Result<HeldCheckpoint, HeadsError> {
        let ledger_name = match find_ledger_name(source, ledger) {
            // The root tells one ledger from another without its name; what cannot be read is the audit's to say.
            Err(HeadsError::NameUnknown { .. } | HeadsError::Ledger(_)) => None,
            found => found?,
        };
        Ok(HeldCheckpoint {
            checkpoint,
            key,
            policy,
            ledger_name,
            edge: TreeEdge::new(),
            failure: None,
        })
    }

    /// The root of as many records as the checkpoint has; `None` where fewer came.
    fn find_root(&self) -> Result<Option<Hash>, HeadsError> {
        match self.edge.size() < self.checkpoint.size() {
            true => Ok(None),
            false => self.edge.root().map(Some),
        }
    }

    /// Compares the ledger's name and its first records with the checkpoint, whose signature holds.
    fn compare_ledger(&self, verification: &VerificationReport) -> (CheckResult, String) {
        use CheckResult::{Failed, NotChecked, Passed};
        let (origin, size) = (self.checkpoint.origin(), self.checkpoint.size());
        if let Some(name) = self.ledger_name.as_deref().filter(|name| *name != origin) {
            let finding = format!("the checkpoint is of {origin:?}, and the ledger is {name:?}");
            return (Failed, finding);
        }
        let root = match (&self.failure, self.find_root()) {
            (Some(error), _) => return (NotChecked, error.to_string()),
            (None, Err(error)) => return (NotChecked, error.to_string()),
            (None, Ok(root)) => root,
        };
        let fault = verification.fault.as_ref();
        // After a torn line, or at an end that comes too early, nothing follows that could be among those signed.
        let ends_there = |verdict| matches!(verdict, Verdict::Torn | Verdict::Truncated);
        if let (None, Some(fault)) = (root, fault.filter(|fault| !ends_there(fault.verdict))) {
            let finding = format!("the ledger is not good from record {} on", fault.sequence);
            return (NotChecked, finding);
        }
        match (self.checkpoint).find_difference(self.edge.size(), root) {
            Some(difference) => (Failed, difference.to_string()),
            None => {
                let signer = self.key.short_name();
                let finding = format!("the first {size} records are those that {signer} signed");
                (Passed, finding)
            }
        }
    }
}

impl HeldHead for HeldCheckpoint {
    fn subject(&self) -> &'static str {
        HELD_HEAD
    }

    fn begin_pass(&mut self) {
        self.edge = TreeEdge::new();
        self.failure = None;
    }

    fn take_record(&mut self, entry: &Entry<'_>) {
        if self.failure.is_none() && self.edge.size() < self.checkpoint.size() {
            self.failure = self.edge.append(&entry.commit).err();
        }
    }

    fn compare(&self, verification: &VerificationReport) -> (CheckResult, String) {
        let signed = self.checkpoint.verify(&self.key);
        let witnessed = match &self.policy {
            Some(policy) => policy.require(&self.checkpoint).map(Some),
            None => Ok(None),
        };
        let witnessed = match signed.and(witnessed) {
            Ok(witnessed) => witnessed,
            Err(unproven) => return (CheckResult::Failed, unproven.to_string()),
        };
        let (result, mut finding) = self.compare_ledger(verification);
        if let (CheckResult::Passed, Some(report)) = (result, witnessed) {
            finding = format!("{finding}; {report}");
        }
        (result, finding)
    }
}
