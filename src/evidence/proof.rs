//! `AX:PROOF:v1`: the seal that ends a ledger, and the binding of a raw answer.
//!
//! formats.md §6 (Ledger file, Raw answers); decision D28. Determinism: D1.

use super::reader::Reader;
use crate::fault::Error;
use crate::hash::{Hash, sha256};
use crate::json::writer;
use crate::sink::Sink;

/// Room for any seal: the longest has 120 bytes.
pub const MAX_SEAL_RECORD_BYTES: usize = 128;

/// Room for the record of any raw answer: the longest has 153 bytes.
pub const MAX_RAW_RECORD_BYTES: usize = 160;

/// What an `AX:PROOF:v1` proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The bytes of an answer that its observation does not hold.
    Raw(RawAnswer),
    /// The end of the ledger.
    Seal(Seal),
}

impl Proof {
    /// Reads exactly the canonical bytes of either kind.
    ///
    /// # Errors
    /// [`Error::Schema`] for anything else.
    pub fn parse(record: &[u8]) -> Result<Proof, Error> {
        match RawAnswer::parse(record) {
            Ok(raw) => Ok(Proof::Raw(raw)),
            Err(_) => Seal::parse(record).map(Proof::Seal),
        }
    }
}

/// The length and the hash of an answer as it came, before normalisation. They bind an answer
/// whose observation holds none of it, or not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawAnswer {
    /// Bytes of the answer.
    pub bytes: u64,
    /// Sequence of the observation.
    pub ledger_seq: u64,
    /// SHA-256 of the answer.
    pub sha256: Hash,
}

impl RawAnswer {
    /// Measures and hashes `answer`, the raw answer of observation `ledger_seq`.
    #[must_use]
    pub fn of(ledger_seq: u64, answer: &[u8]) -> RawAnswer {
        RawAnswer {
            bytes: answer.len() as u64,
            ledger_seq,
            sha256: sha256(answer),
        }
    }

    /// Writes the canonical record.
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) {
        out.put(b"{\"bytes\":");
        writer::u64(self.bytes, out);
        out.put(b",\"kind\":\"RAW\",\"ledger_seq\":");
        writer::u64(self.ledger_seq, out);
        out.put(b",\"sha256\":");
        writer::hash(&self.sha256, out);
        out.put(b"}");
    }

    /// Reads exactly the canonical bytes.
    ///
    /// # Errors
    /// [`Error::Schema`] for anything else.
    pub fn parse(record: &[u8]) -> Result<RawAnswer, Error> {
        let mut reader = Reader::new(record);
        reader.literal(b"{\"bytes\":")?;
        let bytes = reader.u64()?;
        reader.literal(b",\"kind\":\"RAW\",\"ledger_seq\":")?;
        let ledger_seq = reader.u64()?;
        reader.literal(b",\"sha256\":")?;
        let sha256 = reader.hash()?;
        reader.literal(b"}")?;
        reader.end()?;
        Ok(RawAnswer {
            bytes,
            ledger_seq,
            sha256,
        })
    }
}

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
