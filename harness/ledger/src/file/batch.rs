//! A batch: the records of a step, collected before any of them is written to the file.

use axilog::ledger::{Entry, LedgerSink, SinkFailed, genesis_entry};
use axilog::ledger_line;

use crate::durability::LedgerPosition;
use crate::encoding::ByteBuffer;

/// Records in the form of ledger lines. The agent commits its records to a batch, and
/// [`LedgerFile::append`](super::LedgerFile::append) writes the batch, so that a step is complete before
/// any of it is written.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    lines: ByteBuffer,
    records: u64,
    end: LedgerPosition,
}

impl Batch {
    /// Creates a batch whose first line is the genesis, for an empty ledger.
    #[must_use]
    pub fn with_genesis() -> Batch {
        let mut batch = Batch::default();
        batch.put(&genesis_entry());
        batch
    }

    /// The number of records in the batch.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The lines of the batch, line feeds included.
    #[must_use]
    pub fn lines(&self) -> &[u8] {
        &self.lines.0
    }

    /// The place where the ledger ends once the batch is appended.
    #[must_use]
    pub fn end(&self) -> LedgerPosition {
        self.end
    }

    fn put(&mut self, entry: &Entry<'_>) {
        ledger_line::write(entry, &mut self.lines);
        self.records = self.records.saturating_add(1);
        self.end = LedgerPosition {
            entries: entry.sequence.saturating_add(1),
            head: entry.chain,
        };
    }
}

impl LedgerSink for Batch {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        self.put(entry);
        Ok(())
    }
}
