//! The audit of the tree that a signer of heads has left beside a ledger: whether it is the tree of the ledger's records.

use std::path::Path;

use axilog::hash::Hash;
use axilog::ledger::Entry;
use axilog_ledger::audit::SAVED_TREE;
use axilog_ledger::audit::held_head::{CheckResult, HeldHead};
use axilog_ledger::verify::VerificationReport;

use crate::error::HeadsError;
use crate::saved_tree::{TREE, read_saved_tree};
use crate::tree::TreeEdge;
use crate::tree_place::TreePlace;

/// The tree beside a ledger, and the tree of the ledger's records as far as that goes.
#[derive(Debug)]
pub struct SavedTreeCheck {
    /// The saved tree, or why it cannot be used.
    saved: Result<TreePlace, String>,
    edge: TreeEdge,
    /// The chain value of the last record that was taken.
    head: Option<Hash>,
    failure: Option<HeadsError>,
}

impl SavedTreeCheck {
    /// A check of the tree beside `ledger`; `None` where there is none.
    #[must_use]
    pub fn of_ledger(ledger: &Path) -> Option<SavedTreeCheck> {
        TREE.path_of(ledger).symlink_metadata().ok()?;
        Some(SavedTreeCheck {
            saved: read_saved_tree(ledger),
            edge: TreeEdge::new(),
            head: None,
            failure: None,
        })
    }
}

impl HeldHead for SavedTreeCheck {
    fn subject(&self) -> &'static str {
        SAVED_TREE
    }

    fn begin_pass(&mut self) {
        self.edge = TreeEdge::new();
        self.failure = None;
    }

    fn take_record(&mut self, entry: &Entry<'_>) {
        let Ok(saved) = &self.saved else {
            return;
        };
        if self.failure.is_none() && self.edge.size() < saved.edge.size() {
            self.failure = self.edge.append(&entry.commit).err();
            self.head = Some(entry.chain);
        }
    }

    fn compare(&self, verification: &VerificationReport) -> (CheckResult, String) {
        use CheckResult::{Failed, NotChecked, Passed};
        let saved = match &self.saved {
            Ok(saved) => saved,
            Err(reason) => {
                let finding = format!("not used, and made anew with the next head: {reason}");
                return (Passed, finding);
            }
        };
        if let Some(error) = &self.failure {
            return (NotChecked, error.to_string());
        }
        let (size, found) = (saved.edge.size(), self.edge.size());
        if found == size {
            let is_same = self.head == saved.head && self.edge.roots().eq(saved.edge.roots());
            return match is_same {
                true => (Passed, format!("that of the first {size} records")),
                false => {
                    let finding = format!(
                        "it is not the tree of the first {size} records: they were written anew after a head of them was \
                         signed, or somebody has changed the tree; where the ledger is the one that was signed, remove the \
                         tree"
                    );
                    (Failed, finding)
                }
            };
        }
        match &verification.fault {
            Some(fault) => {
                let finding = format!("the ledger is not good from record {} on", fault.sequence);
                (NotChecked, finding)
            }
            None => {
                let finding = format!(
                    "it is of {size} records, and the ledger has {found}: its end was cut off after a head was signed, or \
                     somebody has changed the tree; where the ledger is the one that was signed, remove the tree"
                );
                (Failed, finding)
            }
        }
    }
}
