//! The proof that a ledger extends an older checkpoint, as witnesses take it (C2SP tlog-witness, `add-checkpoint`).

use tlog_tiles::{Hash, check_tree};

use crate::checkpoint::Checkpoint;
use crate::error::{InvalidProof, Unproven};
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
        let (lines, checkpoint) = split_proof(bytes)?;
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
        let size = self.checkpoint.size();
        let roots = [self.checkpoint.root(), old.root()].map(Hash);
        let [root, old_root] = roots;
        check_tree(&self.hashes, size, root, self.old_size, old_root).map_err(|_| {
            Unproven::NotExtended {
                old_size: self.old_size,
                size,
            }
        })
    }
}
