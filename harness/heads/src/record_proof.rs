//! The proof that a ledger has one record (C2SP tlog-proof).
//!
//! Its line `extra` holds the record's line as the ledger file has it, unless it was left out. Of that line the leaf
//! proves record, tag and commit, and the proof's index the sequence. The chain value in it is not proven.

use axilog::hash::commit;
use axilog::ledger::Entry;
use axilog::ledger_line;
use base64::prelude::{BASE64_STANDARD, Engine};
use tlog_tiles::{Hash, check_record, record_hash};

use crate::checkpoint::Checkpoint;
use crate::error::{InvalidProof, Unproven};
use crate::proof_text::{RECORD_PROOF, join_proof, parse_decimal, parse_hashes, split_proof};
use crate::verifier_key::VerifierKey;

/// The proof that a checkpoint covers one record.
#[derive(Debug)]
pub struct RecordProof {
    pub(crate) line: Option<Vec<u8>>,
    pub(crate) index: u64,
    pub(crate) hashes: Vec<Hash>,
    pub(crate) checkpoint: Checkpoint,
}

impl RecordProof {
    /// Reads a proof, of which nothing is checked yet.
    ///
    /// # Errors
    /// [`InvalidProof`].
    pub fn parse(bytes: &[u8]) -> Result<RecordProof, InvalidProof> {
        let (lines, checkpoint) = split_proof(bytes, Checkpoint::parse)?;
        let mut lines = lines.into_iter().peekable();
        if lines.next() != Some(RECORD_PROOF) {
            return Err(InvalidProof::OtherVersion);
        }
        let extra = lines.next_if(|line| line.starts_with("extra "));
        let extra = extra.and_then(|line| line.strip_prefix("extra "));
        let line = extra.map(|text| BASE64_STANDARD.decode(text)).transpose();
        let line = line.map_err(|_| InvalidProof::NoExtra)?;
        let index = lines.next().and_then(|line| line.strip_prefix("index "));
        let index = index.and_then(parse_decimal).ok_or(InvalidProof::NoIndex)?;
        Ok(RecordProof {
            line,
            index,
            hashes: parse_hashes(lines)?,
            checkpoint,
        })
    }

    /// The sequence of the record.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The line of the record, which came with the proof and proves nothing by itself; `None` where it was left out.
    #[must_use]
    pub fn record_line(&self) -> Option<&[u8]> {
        self.line.as_deref()
    }

    /// The same proof without the record.
    #[must_use]
    pub fn without_record(self) -> RecordProof {
        RecordProof { line: None, ..self }
    }

    /// The checkpoint that covers the record.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The proof as a text.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut first = format!("{RECORD_PROOF}\n");
        if let Some(line) = &self.line {
            first.push_str("extra ");
            BASE64_STANDARD.encode_string(line, &mut first);
            first.push('\n');
        }
        first.push_str(&format!("index {}\n", self.index));
        join_proof(first, &self.hashes, &self.checkpoint)
    }

    /// Checks that the log with `key` signed a tree which has the record in `line`, a line of a ledger file, at this
    /// place. Gives the record.
    ///
    /// # Errors
    /// [`Unproven`].
    pub fn check<'l>(&self, line: &'l [u8], key: &VerifierKey) -> Result<Entry<'l>, Unproven> {
        self.checkpoint.verify(key)?;
        let entry = ledger_line::parse(line).map_err(|_| Unproven::NoLedgerLine)?;
        if entry.sequence != self.index {
            return Err(Unproven::OtherRecord {
                found: entry.sequence,
                expected: self.index,
            });
        }
        if commit(entry.tag.as_str().as_bytes(), entry.payload) != entry.commit {
            return Err(Unproven::OtherCommit(self.index));
        }
        let size = self.checkpoint.size();
        if self.index >= size {
            return Err(Unproven::BeyondCheckpoint {
                index: self.index,
                size,
            });
        }
        let root = Hash(self.checkpoint.root());
        let leaf = record_hash(&entry.commit);
        check_record(&self.hashes, size, root, self.index, leaf)
            .map(|()| entry)
            .map_err(|_| Unproven::NotInTree {
                index: self.index,
                size,
            })
    }
}
