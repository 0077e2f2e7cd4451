//! The ledger: an append-only hash chain over evidence, and the sink that stores it.
//!
//! formats.md §1 and §6; SRS-004 §12.3 (L6 guard). Determinism: D1. The ledger holds the head of
//! the chain only; the records themselves leave through [`LedgerSink`] as they are committed.

#![forbid(unsafe_code)]

use crate::evidence::policy::MAX_POLICY_RECORD_BYTES;
use crate::evidence::proof::{MAX_RAW_RECORD_BYTES, MAX_SEAL_RECORD_BYTES, Seal};
use crate::evidence::state::GENESIS_PAYLOAD;
use crate::evidence::transition::MAX_TRANSITION_RECORD_BYTES;
use crate::fault::{Error, Fault, Faults};
use crate::hash::{Hash, Tag, chain, commit};
use crate::sink::{Buffer, shared};

/// One committed record.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// The kind of evidence that the record is.
    pub tag: Tag,
    /// The canonical record.
    pub payload: &'a [u8],
    /// The record's position; the genesis is 0.
    pub sequence: u64,
    /// `commit(tag, payload)`.
    pub commit: Hash,
    /// The chain value with this record.
    pub chain: Hash,
}

/// Entry 0 of every ledger.
#[must_use]
pub fn genesis_entry() -> Entry<'static> {
    let commit = commit(Tag::State.as_str().as_bytes(), GENESIS_PAYLOAD);
    Entry {
        tag: Tag::State,
        payload: GENESIS_PAYLOAD,
        sequence: 0,
        chain: chain(None, &commit),
        commit,
    }
}

/// The sink could not store a record. The ledger fails with it, for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinkFailed;

/// A receiver of committed records.
pub trait LedgerSink {
    /// Stores one record; it is called before the in-memory head moves.
    ///
    /// # Errors
    /// [`SinkFailed`] where the record may not be stored.
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed>;
}

/// A sink for a chain whose records are not kept.
pub struct DiscardingSink;

impl LedgerSink for DiscardingSink {
    fn append(&mut self, _entry: &Entry<'_>) -> Result<(), SinkFailed> {
        Ok(())
    }
}

/// The state of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// The chain value of the last record.
    pub head: Hash,
    /// The chain value of the genesis.
    pub genesis: Hash,
    /// Records accepted after the genesis.
    pub sequence: u64,
    /// Whether a record could not be stored; nothing is accepted any more.
    pub failed: bool,
    /// Whether a seal ended the ledger; nothing is accepted any more.
    pub sealed: bool,
}

impl Ledger {
    /// A new chain that holds the genesis record.
    #[must_use]
    pub fn genesis() -> Ledger {
        let genesis = genesis_entry().chain;
        Ledger {
            head: genesis,
            genesis,
            sequence: 0,
            failed: false,
            sealed: false,
        }
    }

    /// The chain as it was after `sequence` records with `head` as its last value.
    #[must_use]
    pub fn resume(head: Hash, sequence: u64) -> Ledger {
        Ledger {
            head,
            sequence,
            ..Ledger::genesis()
        }
    }

    /// Whether the fields agree with one another: an empty ledger's head is its genesis, and only
    /// an empty ledger's is.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        !self.failed && (self.sequence == 0) == (self.head == self.genesis)
    }

    /// Commits a record: stores it in `sink`, then moves the head.
    ///
    /// # Errors
    /// [`Error::Ledger`] where the ledger is failed or sealed, where no sequence is left, or where
    /// the sink refuses; the head stays, and after the last two the ledger has failed.
    /// [`Error::Schema`] for an empty record, with which nothing changes.
    pub fn record(
        &mut self,
        tag: Tag,
        payload: &[u8],
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<(), Error> {
        if payload.is_empty() {
            return Err(Error::Schema);
        }
        self.append(
            commit(tag.as_str().as_bytes(), payload),
            |commit, chain, sequence| {
                sink.append(&Entry {
                    tag,
                    payload,
                    sequence,
                    commit,
                    chain,
                })
            },
            faults,
        )
    }

    /// Commits a record that `write` writes; one of the kinds that are short by their schema.
    ///
    /// # Errors
    /// As [`Ledger::record`], and [`Error::Buffer`] for a record beyond every schema.
    pub fn record_written(
        &mut self,
        tag: Tag,
        write: impl FnOnce(&mut Buffer<'_>),
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<(), Error> {
        const LONGEST: usize = MAX_POLICY_RECORD_BYTES;
        const _: () = assert!(MAX_TRANSITION_RECORD_BYTES <= LONGEST);
        const _: () = assert!(MAX_SEAL_RECORD_BYTES <= LONGEST);
        const _: () = assert!(MAX_RAW_RECORD_BYTES <= LONGEST);
        let mut bytes = [0u8; LONGEST];
        let mut out = Buffer::new(&mut bytes);
        write(&mut out);
        let Some(record) = out.finish() else {
            faults.set(Fault::Serialise);
            return Err(Error::Buffer);
        };
        self.record(tag, record, sink, faults)
    }

    /// Chains a commitment whose record is kept elsewhere.
    ///
    /// # Errors
    /// As [`Ledger::record`], but for the sink.
    pub fn append_commit(&mut self, commit: Hash, faults: &mut Faults) -> Result<(), Error> {
        self.append(commit, |_, _, _| Ok(()), faults)
    }

    /// Ends the ledger with a seal, itself a record.
    ///
    /// # Errors
    /// As [`Ledger::record`].
    pub fn seal(&mut self, sink: &mut dyn LedgerSink, faults: &mut Faults) -> Result<(), Error> {
        let seal = Seal {
            entries: self.sequence.saturating_add(1),
            head: self.head,
        };
        self.record_written(Tag::Proof, |out| seal.write(shared(out)), sink, faults)?;
        self.sealed = true;
        Ok(())
    }

    fn append(
        &mut self,
        commit: Hash,
        store: impl FnOnce(Hash, Hash, u64) -> Result<(), SinkFailed>,
        faults: &mut Faults,
    ) -> Result<(), Error> {
        if self.failed || self.sealed {
            faults.set(Fault::LedgerFail);
            return Err(Error::Ledger);
        }
        let Some(next) = self.sequence.checked_add(1) else {
            self.failed = true;
            faults.set(Fault::LedgerFail);
            return Err(Error::Ledger);
        };
        let head = chain(Some(&self.head), &commit);
        if store(commit, head, next).is_err() {
            self.failed = true;
            faults.set(Fault::IoError);
            faults.set(Fault::LedgerFail);
            return Err(Error::Ledger);
        }
        self.head = head;
        self.sequence = next;
        Ok(())
    }
}
