//! The ledger that a page is about, and what was found of it.

use std::io::{Cursor, ErrorKind, Read, Seek};
use std::path::Path;

use axilog::hash::{Hash, Hasher, sha256};
use axilog_ledger::audit::{AuditExpectations, AuditReport, audit_with_heads};
use axilog_ledger::error::FileError;
use axilog_ledger::ledger_input::open_ledger_input;
use axilog_ledger::verify::{VerificationReport, look_until_settled, verify_ledger};

use crate::Failure;
use crate::error::CommandError;
use crate::ledger_counts::LedgerCounts;
use crate::options::held_checkpoint::find_saved_tree;
use crate::replay_ledger::open_regular_file;
use crate::tally::Tally;

/// A ledger with what was found of it.
pub(super) struct ExaminedLedger {
    /// What the audit found.
    pub(super) audited: AuditReport,
    /// The verification of the chain alone, which browsers repeat.
    pub(super) chain: VerificationReport,
    /// The length of the file in bytes.
    pub(super) size: u64,
    /// The SHA-256 of the file.
    pub(super) digest: Hash,
    /// What of the ledger goes into the page.
    pub(super) contents: LedgerContents,
}

/// What of a ledger goes into a page.
pub(super) enum LedgerContents {
    /// The exact bytes of the file.
    Bytes(Vec<u8>),
    /// Counts of what a file holds that is too long for a page.
    Counts(LedgerCounts),
}

impl ExaminedLedger {
    /// Examines the ledger at `path`. One of more than `limit` bytes is read several times, and must be a regular file.
    pub(super) fn examine(
        path: &Path,
        limit: u64,
        expected: &AuditExpectations<'_>,
    ) -> Result<ExaminedLedger, Failure> {
        let mut file = open_ledger_input(path)?;
        let looked = look_until_settled(
            &mut file,
            |looked: &Option<(Vec<u8>, AuditReport)>| {
                let (_, audited) = looked.as_ref()?;
                audited.verification.describe_doubt()
            },
            |file| -> Result<_, CommandError> {
                let Some(ledger) = read_within(file, path, limit)? else {
                    return Ok(None);
                };
                let mut heads = find_saved_tree(path);
                let audited = audit_with_heads(Cursor::new(&ledger), path, expected, &mut heads)?;
                Ok(Some((ledger, audited)))
            },
        )?;
        let Some((ledger, audited)) = looked else {
            return ExaminedLedger::examine_long(path, expected);
        };
        let chain = verify_ledger(Cursor::new(&ledger), None, &expected.ledger, &mut |_| {})
            .map_err(FileError::from_io(path, "read the ledger"))?;
        Ok(ExaminedLedger {
            audited,
            chain,
            size: ledger.len() as u64,
            digest: sha256(&ledger),
            contents: LedgerContents::Bytes(ledger),
        })
    }

    fn examine_long(
        path: &Path,
        expected: &AuditExpectations<'_>,
    ) -> Result<ExaminedLedger, Failure> {
        let read_error = || FileError::from_io(path, "read the ledger");
        let mut file = open_regular_file(path)?;
        let (size, digest) = hash_all(&mut file).map_err(read_error())?;
        file.rewind().map_err(read_error())?;
        let mut tally = Tally::default();
        let chain = verify_ledger(&mut file, None, &expected.ledger, &mut |record| {
            tally.count(record);
        })
        .map_err(read_error())?;
        file.rewind().map_err(read_error())?;
        Ok(ExaminedLedger {
            audited: audit_with_heads(file, path, expected, &mut find_saved_tree(path))?,
            chain,
            size,
            digest,
            contents: LedgerContents::Counts(tally.counts()),
        })
    }

    /// The exact bytes that go into the page; none where there are too many.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.contents {
            LedgerContents::Bytes(ledger) => ledger,
            LedgerContents::Counts(_) => &[],
        }
    }
}

/// The whole file, so that everything that follows is about the same bytes; `None` where it has more than `limit`.
fn read_within(file: impl Read, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, CommandError> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(FileError::from_io(path, "read the ledger"))?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// The length and the SHA-256 of everything in `file`.
fn hash_all(mut file: impl Read) -> std::io::Result<(u64, Hash)> {
    let mut hasher = Hasher::new();
    let mut size = 0u64;
    let mut piece = vec![0; 1 << 18];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok((size, hasher.finish())),
            Ok(read) => {
                hasher.update(piece.get(..read).unwrap_or_default());
                size = size.saturating_add(read as u64);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
