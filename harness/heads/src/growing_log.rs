//! A ledger whose heads are signed while it grows: each is made of the records since the one before, and so is the proof that
//! it extends a head which somebody holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog_ledger::durability::LedgerPosition;
use axilog_ledger::error::FileError;
use axilog_ledger::file::regular_file::open_for_reading;

use crate::checkpoint::Checkpoint;
use crate::error::HeadsError;
use crate::extension_proof::write_extension;
use crate::growth::Growth;
use crate::log_key::LogKey;
use crate::saved_tree::{find_signed_place, save_tree};
use crate::signing::{SigningRequest, check_origin};
use crate::tree::TreeEdge;
use crate::tree_place::TreePlace;

/// A ledger whose heads are signed while a session writes it.
#[derive(Debug)]
pub struct GrowingLog {
    ledger: PathBuf,
    source: File,
    key: Arc<LogKey>,
    /// The file of the checkpoint.
    file: PathBuf,
    /// The checkpoint in that file; `None` before the first.
    latest: Option<Checkpoint>,
    /// The tree of the records that were read.
    place: TreePlace,
    /// What grows from older trees, by their sizes.
    growing: BTreeMap<u64, Growth>,
}

/// A head that was signed, with the tree that it is of. Clones are of one head.
#[derive(Clone, Debug)]
pub struct SignedTree {
    checkpoint: Vec<u8>,
    edge: TreeEdge,
}

impl SignedTree {
    /// The number of records.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.edge.size()
    }

    /// The checkpoint, without signatures that witnesses have given it since it was signed or read.
    ///
    /// # Errors
    /// [`HeadsError::Unsigned`]; none of a tree that was signed.
    pub fn to_checkpoint(&self) -> Result<Checkpoint, HeadsError> {
        let parsed = Checkpoint::parse(&self.checkpoint);
        parsed.map_err(|reason| HeadsError::Unsigned(reason.to_string()))
    }
}

impl GrowingLog {
    /// Opens the log of a ledger that a session has begun. `file` is where the checkpoint is kept; the ledger must extend the
    /// one that is there, which the first head shows.
    ///
    /// # Errors
    /// [`HeadsError::NoName`], [`HeadsError::OtherName`]; [`HeadsError::ForeignCheckpoint`] for a checkpoint that another key
    /// signed; those of [`Checkpoint::read`] and [`find_ledger_name`](crate::find_ledger_name).
    pub fn open(
        ledger: &Path,
        key: Arc<LogKey>,
        origin: Option<&str>,
        file: &Path,
    ) -> Result<GrowingLog, HeadsError> {
        let opened = open_for_reading(ledger);
        let mut source = opened.map_err(FileError::from_io(ledger, "open the ledger"))?;
        // What is there is looked at, also a link that leads nowhere.
        let latest = match file.symlink_metadata() {
            Ok(_) => Some(Checkpoint::read(file)?),
            Err(_) => None,
        };
        check_origin(
            &mut source,
            &SigningRequest {
                ledger,
                key: &key,
                origin,
                earlier: None,
            },
        )?;
        if let Some(latest) = &latest {
            let verified = latest.verify(key.verifier_key());
            verified.map_err(HeadsError::ForeignCheckpoint)?;
        }
        let saved = latest
            .as_ref()
            .and_then(|latest| find_signed_place(&mut source, ledger, latest));
        let place = saved.unwrap_or_default();
        let mut log = GrowingLog {
            ledger: ledger.to_owned(),
            source,
            key,
            file: file.to_owned(),
            latest,
            place,
            growing: BTreeMap::new(),
        };
        if log.place.edge.size() > 0 {
            log.keep_tree();
        }
        Ok(log)
    }

    /// The number of records of the head that was signed last; 0 before the first.
    #[must_use]
    pub fn signed_size(&self) -> u64 {
        self.latest.as_ref().map_or(0, Checkpoint::size)
    }

    /// The head that was signed last, as far as its tree is known: not where it was signed before this process began, and no
    /// saved tree leads to it.
    #[must_use]
    pub fn latest(&self) -> Option<SignedTree> {
        let latest = self.latest.as_ref()?;
        (self.place.edge.size() == latest.size()).then(|| SignedTree {
            checkpoint: latest.to_bytes(),
            edge: self.place.edge.clone(),
        })
    }

    /// Signs the head of the records that are durable, and writes the checkpoint durably in place of the one before. The
    /// records since then are read, and checked to be bound to one another up to the durable head. Where none was added, the
    /// checkpoint stays.
    ///
    /// Of the older heads the one before and those of the `kept` sizes are kept, with at most 61 hashes each: from each a proof
    /// is [written](GrowingLog::write_submission) without reading the ledger.
    ///
    /// # Errors
    /// [`HeadsError::OtherRecords`] where the ledger does not extend the checkpoint before; [`HeadsError::NotDurable`] where
    /// its file does not hold the durable records; [`HeadsError::File`] where it cannot be read, or the checkpoint not be
    /// written. After any of them the next call tries again.
    pub fn sign(
        &mut self,
        durable: &LedgerPosition,
        kept: &BTreeSet<u64>,
    ) -> Result<(), HeadsError> {
        self.growing.retain(|size, _| kept.contains(size));
        if let Some(signed) = self.latest.as_ref().map(Checkpoint::size) {
            if durable.entries < signed {
                return self.refuse_other(durable.entries);
            }
            if self.place.edge.size() < signed {
                self.grow_to(signed)?;
            }
            if self.place.edge.size() == signed {
                if !self.is_signed_tree()? {
                    return self.refuse_other(signed);
                }
                self.keep_tree();
            }
            if durable.entries == signed {
                return Ok(());
            }
        }
        self.grow_to(durable.entries)?;
        if self.place.head != Some(durable.head) {
            return Err(self.not_durable(durable.entries));
        }
        let (size, root) = (self.place.edge.size(), self.place.edge.root()?);
        let checkpoint = Checkpoint::sign(size, root, &self.key)?;
        checkpoint.write(&self.file)?;
        self.latest = Some(checkpoint);
        self.keep_tree();
        // Without it, the next process reads the whole ledger.
        let _ = save_tree(&self.ledger, &self.place);
        Ok(())
    }

    /// Writes what a witness gets that has signed a head of `old_size` records, 0 for none: the proof that `tree` extends that
    /// head, and its checkpoint. `None` where that head is not one of those that are [kept](GrowingLog::sign).
    ///
    /// # Errors
    /// [`HeadsError::Tree`].
    pub fn write_submission(
        &self,
        old_size: u64,
        tree: &SignedTree,
    ) -> Result<Option<Vec<u8>>, HeadsError> {
        let hashes = match (old_size, self.growing.get(&old_size)) {
            (0, _) => Vec::new(),
            (_, Some(growth)) => growth.prove(&tree.edge)?,
            (_, None) => return Ok(None),
        };
        let checkpoint = tree.to_checkpoint()?;
        Ok(Some(write_extension(old_size, &hashes, &checkpoint)))
    }

    /// Writes the checkpoint anew with signatures of witnesses, where it is the last one still.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write_cosigned(&mut self, checkpoint: &Checkpoint) -> Result<(), FileError> {
        match checkpoint.size() == self.signed_size() {
            true => checkpoint.write(&self.file),
            false => Ok(()),
        }
    }

    /// Keeps of the tree, from now on, what a proof is made of that a later one extends it.
    fn keep_tree(&mut self) {
        let edge = &self.place.edge;
        let growth = || Growth::from(edge.clone());
        self.growing.entry(edge.size()).or_insert_with(growth);
    }

    /// Whether the tree is the one that was signed last.
    fn is_signed_tree(&self) -> Result<bool, HeadsError> {
        let root = self.place.edge.root()?;
        Ok(self
            .latest
            .as_ref()
            .is_none_or(|latest| latest.root() == root))
    }

    fn refuse_other(&self, found: u64) -> Result<(), HeadsError> {
        let root = self.place.edge.root()?;
        let is_there = |latest: &&Checkpoint| found >= latest.size();
        let latest = self.latest.as_ref();
        let root = latest.filter(is_there).map(|_| root);
        match latest.and_then(|latest| latest.find_difference(found, root)) {
            None => Ok(()),
            Some(difference) => Err(HeadsError::OtherRecords {
                ledger: self.ledger.clone(),
                difference,
            }),
        }
    }

    fn grow_to(&mut self, size: u64) -> Result<(), HeadsError> {
        let growing = &mut self.growing;
        let grown = self
            .place
            .grow(&mut self.source, Some(size), &mut |place, hash| {
                growing
                    .values_mut()
                    .for_each(|growth| growth.take(place, hash));
            });
        match grown.map_err(FileError::from_io(&self.ledger, "read the ledger"))? {
            true => Ok(()),
            false => Err(self.not_durable(size)),
        }
    }

    fn not_durable(&self, expected: u64) -> HeadsError {
        HeadsError::NotDurable {
            ledger: self.ledger.clone(),
            found: self.place.edge.size(),
            expected,
        }
    }
}
