//! How much is read of what others hand over.

/// The most bytes of a checkpoint: those of a hundred long signatures.
pub const MAX_CHECKPOINT_BYTES: u64 = 1 << 18;

/// The most bytes of a proof: those of a checkpoint, and of the longest line of a ledger in base64.
pub const MAX_PROOF_BYTES: u64 = MAX_CHECKPOINT_BYTES + (1 << 18);

/// The most leaves of a tree. What is computed of a tree fits into 64 bits up to here.
pub const MAX_TREE_SIZE: u64 = 1 << 62;
