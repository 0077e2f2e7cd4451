//! The tree of a ledger file, made in one pass in which the ledger is verified too, in constant memory.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::path::Path;

use axilog::hash::Hash;
use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog_ledger::encoding::ByteBuffer;
use axilog_ledger::error::{FileError, LedgerError, LedgerFault};
use axilog_ledger::verify::{LedgerExpectations, look_until_settled, verify_ledger};

use crate::checkpoint::Checkpoint;
use crate::error::HeadsError;
use crate::tree::{ProofHashes, TreeEdge};

/// What is asked of a ledger's tree before the ledger is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeQuestions {
    /// How many records must be good; `None` for all that are there.
    pub(crate) needed: Option<u64>,
    /// The sizes at which the root is wanted.
    pub(crate) sizes: Vec<u64>,
    /// The hashes that a proof is made of.
    pub(crate) hashes: ProofHashes,
    /// The record whose line is wanted.
    pub(crate) record: Option<u64>,
}

/// The tree of the good records of a ledger, as far as something was asked of it.
#[derive(Debug)]
pub(crate) struct LedgerTree {
    /// The right edge after the last good record.
    pub(crate) edge: TreeEdge,
    /// The offset of the line of that record, in bytes.
    pub(crate) last_offset: u64,
    /// The hashes that a proof is made of.
    pub(crate) hashes: ProofHashes,
    /// The line of the wanted record.
    pub(crate) line: Option<Vec<u8>>,
    /// The first fault of the ledger, which comes after the records that were needed.
    pub(crate) fault: Option<LedgerFault>,
    roots: BTreeMap<u64, Hash>,
}

impl LedgerTree {
    /// Reads the ledger from `source`, and again while something writes to it and a fault may come of that. `ledger` is
    /// its path.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`] where a record that is needed is not good; [`FileError::Io`]; [`HeadsError::Tree`].
    pub(crate) fn read(
        source: &mut (impl Read + Seek),
        ledger: &Path,
        questions: &TreeQuestions,
    ) -> Result<LedgerTree, HeadsError> {
        source
            .rewind()
            .map_err(FileError::from_io(ledger, "read the ledger"))?;
        let is_too_short = |tree: &LedgerTree| {
            let needed = questions.needed;
            needed.is_none_or(|needed| tree.edge.size() < needed)
        };
        let doubt = |tree: &LedgerTree| {
            let fault = tree.fault.as_ref().map(ToString::to_string);
            fault.filter(|_| is_too_short(tree))
        };
        let tree = look_until_settled(source, doubt, |source| {
            LedgerTree::grow(source, ledger, questions.clone())
        })?;
        match &tree.fault {
            Some(fault) if is_too_short(&tree) => Err(LedgerError::Damaged {
                path: ledger.to_owned(),
                fault: fault.clone(),
            }
            .into()),
            _ => Ok(tree),
        }
    }

    fn grow(
        source: impl Read,
        ledger: &Path,
        questions: TreeQuestions,
    ) -> Result<LedgerTree, HeadsError> {
        let mut tree = LedgerTree {
            edge: TreeEdge::new(),
            last_offset: 0,
            hashes: questions.hashes,
            line: None,
            fault: None,
            roots: BTreeMap::new(),
        };
        let mut failure = None;
        let expected = LedgerExpectations::default();
        let verified = verify_ledger(source, None, &expected, &mut |record| {
            if failure.is_none() {
                let wants_line = questions.record == Some(record.entry.sequence);
                tree.last_offset = record.offset;
                let taken = tree.take(&record.entry, &questions.sizes, wants_line);
                failure = taken.err();
            }
        });
        let verified = verified.map_err(FileError::from_io(ledger, "read the ledger"))?;
        tree.fault = verified.fault;
        failure.map_or(Ok(tree), Err)
    }

    fn take(
        &mut self,
        entry: &Entry<'_>,
        sizes: &[u64],
        wants_line: bool,
    ) -> Result<(), HeadsError> {
        let hashes = &mut self.hashes;
        self.edge
            .append_and_show(&entry.commit, &mut |place, hash| hashes.take(place, hash))?;
        let size = self.edge.size();
        if sizes.contains(&size) {
            self.roots.insert(size, self.edge.root()?);
        }
        if wants_line {
            let mut line = ByteBuffer::default();
            ledger_line::write(entry, &mut line);
            self.line = Some(line.0);
        }
        Ok(())
    }

    /// Checks that the ledger has the records that a checkpoint was made of.
    ///
    /// # Errors
    /// [`HeadsError::OtherRecords`].
    pub(crate) fn check_extends(
        &self,
        ledger: &Path,
        checkpoint: &Checkpoint,
    ) -> Result<(), HeadsError> {
        let root = self.roots.get(&checkpoint.size()).copied();
        match checkpoint.find_difference(self.edge.size(), root) {
            None => Ok(()),
            Some(difference) => Err(HeadsError::OtherRecords {
                ledger: ledger.to_owned(),
                difference,
            }),
        }
    }
}
