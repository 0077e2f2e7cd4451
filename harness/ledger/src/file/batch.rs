//! The records of a step on their way into the file: the core's sink.

use axilog::ledger::{Entry, LedgerSink, SinkFailed, genesis_entry};
use axilog::ledger_line;

use super::LineBytes;
use super::durability::Checkpoint;

/// Records as the lines they will be, until [`LedgerFile::append`](super::LedgerFile::append)
/// writes them. The agent commits to it, so a step is complete before any of it is written.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    lines: LineBytes,
    records: u64,
    end: Checkpoint,
}

impl Batch {
    /// A batch whose first line is the genesis, for a ledger that is empty.
    #[must_use]
    pub fn with_genesis() -> Batch {
        let mut batch = Batch::default();
        batch.put(&genesis_entry());
        batch
    }

    /// How many records it holds.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The lines, line feeds included.
    #[must_use]
    pub fn lines(&self) -> &[u8] {
        &self.lines.0
    }

    /// Where the ledger ends with them.
    #[must_use]
    pub fn end(&self) -> Checkpoint {
        self.end
    }

    fn put(&mut self, entry: &Entry<'_>) {
        ledger_line::write(entry, &mut self.lines);
        self.records = self.records.saturating_add(1);
        self.end = Checkpoint {
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
