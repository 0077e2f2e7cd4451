//! Why a witness does not sign a head, with the status codes of C2SP tlog-witness.

use axilog_heads::{InvalidProof, NoGrowth, Unproven};

/// Why a head that was submitted is not signed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The body is not what is submitted.
    #[error("the submission is refused: {0}")]
    Malformed(InvalidProof),
    /// Nobody has told the witness of this log.
    #[error("this witness knows no log {0:?}")]
    UnknownLog(String),
    /// No key that the witness knows of this log has signed the head.
    #[error("no key of this log that the witness knows has signed the checkpoint: {0}")]
    Unsigned(Unproven),
    /// The submission says that the older head has more records than the newer one.
    #[error(
        "the submission is about an older head of {old_size} records, and its checkpoint has {size}"
    )]
    OldIsLarger {
        /// The size that the submission names.
        old_size: u64,
        /// The size of its checkpoint.
        size: u64,
    },
    /// The submission is about another older head than the last one that the witness signed.
    #[error("{latest}")]
    OtherOldSize {
        /// The size of the last head that was signed; 0 for none.
        latest: u64,
    },
    /// The head does not extend the one that was signed.
    #[error(
        "the head of {size} records does not extend the one of {old_size} that was signed: {reason}"
    )]
    NotExtended {
        /// The size of the last head that was signed.
        old_size: u64,
        /// The size of the new one.
        size: u64,
        /// What does not hold.
        reason: NoGrowth,
    },
    /// The witness cannot keep the head, and so does not sign it.
    #[error("the witness cannot keep the head just now, and signed nothing; try again later")]
    NotKept,
}

impl Refusal {
    /// The status code of HTTP.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Refusal::Malformed(_) | Refusal::OldIsLarger { .. } => 400,
            Refusal::Unsigned(_) => 403,
            Refusal::UnknownLog(_) => 404,
            Refusal::OtherOldSize { .. } => 409,
            Refusal::NotExtended { .. } => 422,
            Refusal::NotKept => 503,
        }
    }
}
