//! The proof that a ledger extends an older checkpoint, as witnesses take it (C2SP tlog-witness, `add-checkpoint`).

use axilog::hash::sha256;
use tlog_tiles::{Hash, check_tree};

use crate::checkpoint::Checkpoint;
use crate::error::{InvalidCheckpoint, InvalidProof, Unproven};
use crate::proof_text::{OLD_SIZE, join_proof, parse_decimal, parse_hashes, split_proof};
use crate::verifier_key::VerifierKey;

/// The proof that the ledger of a checkpoint begins with all records of an older checkpoint.
#[derive(Debug)]
pub struct ExtensionProof {
    pub(crate) old_size: u64,
    pub(crate) hashes: Vec<Hash>,
    pub(crate) checkpoint: Checkpoint,
}

impl ExtensionProof {
    /// Reads a proof, of which nothing is checked yet.
    ///
    /// # Errors
    /// [`InvalidProof`].
    pub fn parse(bytes: &[u8]) -> Result<ExtensionProof, InvalidProof> {
        ExtensionProof::parse_with(bytes, Checkpoint::parse)
    }

    /// Reads a proof as [`ExtensionProof::parse`] does, also that of a log without records, which a witness may be shown.
    ///
    /// # Errors
    /// [`InvalidProof`].
    pub fn parse_submission(bytes: &[u8]) -> Result<ExtensionProof, InvalidProof> {
        ExtensionProof::parse_with(bytes, Checkpoint::parse_of_any_log)
    }

    fn parse_with(
        bytes: &[u8],
        parse_checkpoint: fn(&[u8]) -> Result<Checkpoint, InvalidCheckpoint>,
    ) -> Result<ExtensionProof, InvalidProof> {
        let (lines, checkpoint) = split_proof(bytes, parse_checkpoint)?;
        let mut lines = lines.into_iter();
        let old_size = lines.next().and_then(|line| line.strip_prefix(OLD_SIZE));
        let old_size = old_size
            .and_then(parse_decimal)
            .ok_or(InvalidProof::NoOldSize)?;
        Ok(ExtensionProof {
            old_size,
            hashes: parse_hashes(lines)?,
            checkpoint,
        })
    }

    /// The number of records of the older checkpoint.
    #[must_use]
    pub fn old_size(&self) -> u64 {
        self.old_size
    }

    /// The newer checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The newer checkpoint, to be signed.
    #[must_use]
    pub fn checkpoint_mut(&mut self) -> &mut Checkpoint {
        &mut self.checkpoint
    }

    /// The proof as a text.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let first = format!("{OLD_SIZE}{}\n", self.old_size);
        join_proof(first, &self.hashes, &self.checkpoint)
    }

    /// Checks that the log with `key` signed both checkpoints, and that the newer one has all records of `old`.
    ///
    /// # Errors
    /// [`Unproven`].
    pub fn check(&self, old: &Checkpoint, key: &VerifierKey) -> Result<(), Unproven> {
        self.checkpoint.verify(key)?;
        old.verify(key)
            .map_err(|unproven| Unproven::Older(Box::new(unproven)))?;
        if old.size() != self.old_size {
            return Err(Unproven::OtherOldSize {
                found: self.old_size,
                expected: old.size(),
            });
        }
        self.check_growth(old.root())
            .map_err(|_| Unproven::NotExtended {
                old_size: self.old_size,
                size: self.checkpoint.size(),
            })
    }

    /// Checks that the newer tree begins with the older one, whose root is `old_root`. Signatures are not looked at. The
    /// root of an older tree without records says nothing, and is not looked at.
    ///
    /// # Errors
    /// [`NoGrowth`].
    pub fn check_growth(&self, old_root: axilog::hash::Hash) -> Result<(), NoGrowth> {
        let (size, root) = (self.checkpoint.size(), self.checkpoint.root());
        match (self.old_size, size) {
            (_, 0) if root != sha256(b"") => Err(NoGrowth::OtherEmptyRoot),
            (0, _) if !self.hashes.is_empty() => Err(NoGrowth::ProofOfNothing),
            (0, _) => Ok(()),
            (old_size, _) if old_size == size && old_root != root => Err(NoGrowth::OtherRoot),
            (old_size, _) => check_tree(&self.hashes, size, Hash(root), old_size, Hash(old_root))
                .map_err(|_| NoGrowth::Proof),
        }
    }
}

/// Why a tree does not begin with an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoGrowth {
    /// A tree without records has another root than the hash of nothing.
    #[error("it has no records, and another root than the SHA-256 of nothing")]
    OtherEmptyRoot,
    /// A proof where there is nothing to prove.
    #[error("a proof came with it, and there is no older head; leave its hashes out")]
    ProofOfNothing,
    /// As many records, and other ones.
    #[error("it has as many records, and another root")]
    OtherRoot,
    /// The proof does not hold.
    #[error("the hashes of the proof do not lead from one root to the other")]
    Proof,
}
