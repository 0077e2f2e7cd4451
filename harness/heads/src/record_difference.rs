//! How the first records of a ledger differ from those that a checkpoint was made of.

/// How the records of a ledger differ from those that were signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordDifference {
    /// There are fewer.
    #[error(
        "it has {found} records, and the checkpoint was made of {expected}: its end was cut off, or it is another ledger"
    )]
    Fewer {
        /// The number of the ledger's records.
        found: u64,
        /// The number of the checkpoint's.
        expected: u64,
    },
    /// One or more are others.
    #[error(
        "records 0 to {last} are not those that were signed: their root is {found}, expected that of the checkpoint of {size} records, {expected}; one of them was changed, or it is another ledger",
        last = size.saturating_sub(1)
    )]
    Others {
        /// The number of records of the checkpoint, at least 1.
        size: u64,
        /// The root that the ledger's first records have.
        found: String,
        /// The root of the checkpoint.
        expected: String,
    },
}
