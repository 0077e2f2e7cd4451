//! The making of proofs from a ledger, which is read once and verified on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek};
use std::path::Path;

use axilog_ledger::error::LedgerFault;
use tlog_tiles::{HashReader, TreeProof};

use crate::checkpoint::Checkpoint;
use crate::error::HeadsError;
use crate::extension_proof::{ExtensionProof, write_extension};
use crate::ledger_tree::{LedgerTree, TreeQuestions};
use crate::record_proof::RecordProof;
use crate::tree::ProofHashes;

/// A proof that was made from a ledger.
#[derive(Debug)]
pub struct Proven<P> {
    /// The proof.
    pub proof: P,
    /// The first fault of the ledger, which comes after all records of the checkpoint, so that the proof holds.
    pub later_fault: Option<LedgerFault>,
}

/// Proves that record `sequence` of the ledger that is read from `source` is among those of `checkpoint`. The proof has
/// the record's line with it. Signatures are not looked at.
///
/// # Errors
/// [`HeadsError::NoSuchRecord`]; [`HeadsError::OtherRecords`] where the checkpoint is not one of this ledger; [`LedgerError::Damaged`](axilog_ledger::error::LedgerError::Damaged) where one of its records is
/// not good.
pub fn prove_record(
    source: &mut (impl Read + Seek),
    ledger: &Path,
    sequence: u64,
    checkpoint: Checkpoint,
) -> Result<Proven<RecordProof>, HeadsError> {
    let size = checkpoint.size();
    if sequence >= size {
        return Err(HeadsError::NoSuchRecord {
            ledger: ledger.to_owned(),
            sequence,
            size,
        });
    }
    let questions = TreeQuestions {
        needed: Some(size),
        sizes: vec![size],
        hashes: ProofHashes::that(|reader| tlog_tiles::prove_record(size, sequence, reader))?,
        record: Some(sequence),
    };
    let tree = LedgerTree::read(source, ledger, &questions)?;
    tree.check_extends(ledger, &checkpoint)?;
    let hashes = tlog_tiles::prove_record(size, sequence, &tree.hashes);
    Ok(Proven {
        proof: RecordProof {
            line: tree.line,
            index: sequence,
            hashes: hashes.map_err(HeadsError::Tree)?,
            checkpoint,
        },
        later_fault: tree.fault,
    })
}

/// Proves that the ledger that is read from `source`, at the size of `new`, extends what it was at `old`. Signatures
/// are not looked at.
///
/// # Errors
/// [`HeadsError::OtherLedgers`], [`HeadsError::NotOlder`] for checkpoints that do not belong together; as
/// [`prove_record`] for the rest.
pub fn prove_extension(
    source: &mut (impl Read + Seek),
    ledger: &Path,
    old: &Checkpoint,
    new: Checkpoint,
) -> Result<Proven<ExtensionProof>, HeadsError> {
    if old.origin() != new.origin() {
        return Err(HeadsError::OtherLedgers {
            old: old.origin().to_owned(),
            new: new.origin().to_owned(),
        });
    }
    let (size, old_size) = (new.size(), old.size());
    if old_size > size {
        return Err(HeadsError::NotOlder { old_size, size });
    }
    let questions = TreeQuestions {
        needed: Some(size),
        sizes: vec![old_size, size],
        hashes: ProofHashes::that(|reader| tlog_tiles::prove_tree(size, old_size, reader))?,
        record: None,
    };
    let tree = LedgerTree::read(source, ledger, &questions)?;
    for checkpoint in [old, &new] {
        tree.check_extends(ledger, checkpoint)?;
    }
    let hashes = tlog_tiles::prove_tree(size, old_size, &tree.hashes);
    Ok(Proven {
        proof: ExtensionProof {
            old_size,
            hashes: hashes.map_err(HeadsError::Tree)?,
            checkpoint: new,
        },
        later_fault: tree.fault,
    })
}

/// Writes what is submitted to witnesses that have signed a head of one of `old_sizes` records, none of which is larger than
/// the checkpoint: the proof that it extends that head, and the checkpoint. 0 stands for a witness that has signed none.
/// The ledger that is read from `source` is read once. Signatures are not looked at.
///
/// # Errors
/// As [`prove_record`].
pub fn write_submissions(
    source: &mut (impl Read + Seek),
    ledger: &Path,
    old_sizes: &BTreeSet<u64>,
    checkpoint: &Checkpoint,
) -> Result<BTreeMap<u64, Vec<u8>>, HeadsError> {
    let size = checkpoint.size();
    let questions = TreeQuestions {
        needed: Some(size),
        sizes: vec![size],
        hashes: ProofHashes::that(|reader| prove_trees(size, old_sizes, reader))?,
        record: None,
    };
    let tree = LedgerTree::read(source, ledger, &questions)?;
    tree.check_extends(ledger, checkpoint)?;
    let proofs = prove_trees(size, old_sizes, &tree.hashes).map_err(HeadsError::Tree)?;
    let submissions = old_sizes.iter().zip(proofs).map(|(old_size, hashes)| {
        let submission = write_extension(*old_size, &hashes, checkpoint);
        (*old_size, submission)
    });
    Ok(submissions.collect())
}

fn prove_trees<R: HashReader>(
    size: u64,
    old_sizes: &BTreeSet<u64>,
    reader: &R,
) -> Result<Vec<TreeProof>, tlog_tiles::Error> {
    let prove = |old_size: &u64| match old_size {
        0 => Ok(TreeProof::new()),
        old_size => tlog_tiles::prove_tree(size, *old_size, reader),
    };
    old_sizes.iter().map(prove).collect()
}
