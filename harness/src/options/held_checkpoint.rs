//! What was noted of a ledger's head outside of it: the checkpoint that somebody holds, and the saved tree.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

#[cfg(feature = "heads")]
use axilog_heads::{Checkpoint, HeadsError, HeldCheckpoint, SavedTreeCheck, WitnessPolicy};
use axilog_ledger::audit::held_head::HeldHead;

use crate::error::CommandError;

/// A checkpoint that the ledger must extend.
#[derive(clap::Args)]
pub(crate) struct HeldCheckpointArgs {
    /// A signed checkpoint that you hold (axilog checkpoint): the ledger must still begin with its records. Needs the
    /// feature heads. For one FILE only.
    #[arg(long, value_name = "CHECKPOINT", requires = "public_key")]
    checkpoint: Option<PathBuf>,
    /// The public key of the ledger, as `axilog key show` prints it, with which the checkpoint must be signed.
    #[arg(long, value_name = "KEY", requires = "checkpoint")]
    public_key: Option<String>,
    /// The witnesses of whom enough must have signed the checkpoint (C2SP tlog-policy).
    #[arg(long, value_name = "FILE", requires = "checkpoint")]
    policy: Option<PathBuf>,
}

impl HeldCheckpointArgs {
    /// Refuses the options, where they are given: they are about one ledger, and there are several.
    ///
    /// # Errors
    /// [`CommandError::OneLedger`].
    pub(crate) fn refuse(&self) -> Result<(), CommandError> {
        match self.checkpoint {
            Some(_) => Err(CommandError::OneLedger("--checkpoint")),
            None => Ok(()),
        }
    }

    /// Reads what the ledger at `path` will be compared with: the saved tree beside it, and the checkpoint that is named.
    ///
    /// # Errors
    /// [`HeadsError`] for a file that holds no checkpoint, or a text that is no key.
    #[cfg(feature = "heads")]
    pub(crate) fn read(
        &self,
        ledger: &mut (impl Read + Seek),
        path: &Path,
    ) -> Result<Vec<Box<dyn HeldHead>>, CommandError> {
        let mut heads = find_saved_tree(path);
        let (Some(checkpoint), Some(key)) = (&self.checkpoint, &self.public_key) else {
            return Ok(heads);
        };
        let key = key.parse().map_err(HeadsError::VerifierKey)?;
        let checkpoint = Checkpoint::read(checkpoint)?;
        let policy = self
            .policy
            .as_deref()
            .map(WitnessPolicy::read)
            .transpose()?;
        let held = HeldCheckpoint::new(checkpoint, key, policy, ledger, path)?;
        heads.push(Box::new(held));
        Ok(heads)
    }

    /// Refuses the options, since this build knows no checkpoints.
    ///
    /// # Errors
    /// [`CommandError::NotBuilt`] where a checkpoint is named.
    #[cfg(not(feature = "heads"))]
    pub(crate) fn read(
        &self,
        _: &mut (impl Read + Seek),
        _: &Path,
    ) -> Result<Vec<Box<dyn HeldHead>>, CommandError> {
        match (&self.checkpoint, &self.public_key, &self.policy) {
            (None, None, None) => Ok(Vec::new()),
            _ => Err(CommandError::NotBuilt("heads")),
        }
    }
}

/// The tree that a signer of heads has left beside the ledger at `path`, where it has left one.
#[cfg(feature = "heads")]
pub(crate) fn find_saved_tree(path: &Path) -> Vec<Box<dyn HeldHead>> {
    let saved = SavedTreeCheck::of_ledger(path);
    saved
        .map(|saved| Box::new(saved) as Box<dyn HeldHead>)
        .into_iter()
        .collect()
}

/// Nothing: this build knows no trees.
#[cfg(not(feature = "heads"))]
pub(crate) fn find_saved_tree(_: &Path) -> Vec<Box<dyn HeldHead>> {
    Vec::new()
}
