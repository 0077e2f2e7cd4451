//! `AX:PROOF:v1`: the seal that ends a ledger.
//!
//! formats.md §6. Determinism: D1.

use super::reader::Reader;
use crate::fault::Error;
use crate::hash::Hash;
use crate::json::writer;
use crate::sink::Sink;

/// Room for any seal: the longest has 120 bytes.
pub const MAX_SEAL_RECORD_BYTES: usize = 128;

/// The fields of a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// Records before the seal, genesis included: the seal's own sequence.
    pub entries: u64,
    /// The chain value before the seal.
    pub head: Hash,
}

impl Seal {
    /// Writes the canonical record.
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) {
        out.put(b"{\"entries\":");
        writer::u64(self.entries, out);
        out.put(b",\"head\":");
        writer::hash(&self.head, out);
        out.put(b",\"kind\":\"SEAL\"}");
    }

    /// Reads exactly the canonical bytes.
    ///
    /// # Errors
    /// [`Error::Schema`] for anything else.
    pub fn parse(record: &[u8]) -> Result<Seal, Error> {
        let mut reader = Reader::new(record);
        reader.literal(b"{\"entries\":")?;
        let entries = reader.u64()?;
        reader.literal(b",\"head\":")?;
        let head = reader.hash()?;
        reader.literal(b",\"kind\":\"SEAL\"}")?;
        reader.end()?;
        Ok(Seal { entries, head })
    }
}
