//! A place of a ledger file between two lines, with the tree of the records before it: from there the tree grows by the lines
//! that follow, and none before it is read again.

use std::io::{self, Read, Seek, SeekFrom};

use axilog::hash::{Hash, Tag, chain, commit};
use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog_ledger::file::lines::{LedgerLine, LineReader, MAX_LINE_BYTES};
use axilog_ledger::record_contents::RecordContents;
use tlog_tiles::tlog;

use crate::tree::TreeEdge;

/// A place of a ledger file.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreePlace {
    /// The right edge of the tree of the records before the place.
    pub(crate) edge: TreeEdge,
    /// The length of the lines before it, in bytes.
    pub(crate) bytes: u64,
    /// The chain value of the last record before it; `None` at the beginning.
    pub(crate) head: Option<Hash>,
    /// Whether that record is a seal, after which nothing may follow.
    pub(crate) is_sealed: bool,
}

impl TreePlace {
    /// The place after the line that begins at `offset`, where `edge` is the tree of the records up to that line.
    ///
    /// # Errors
    /// The source's error; [`io::ErrorKind::InvalidData`] where there is no line of the last of these records.
    pub(crate) fn after_line(
        source: &mut (impl Read + Seek),
        offset: u64,
        edge: TreeEdge,
    ) -> io::Result<TreePlace> {
        source.seek(SeekFrom::Start(offset))?;
        let mut lines = LineReader::new(source.take(MAX_LINE_BYTES as u64));
        let changed = || io::Error::new(io::ErrorKind::InvalidData, "it was changed meanwhile");
        let Some((_, LedgerLine::Whole(line))) = lines.next_line()? else {
            return Err(changed());
        };
        let entry = ledger_line::parse(line).map_err(|_| changed())?;
        if entry.sequence.checked_add(1) != Some(edge.size()) {
            return Err(changed());
        }
        Ok(TreePlace {
            bytes: offset.saturating_add(line.len() as u64),
            head: Some(entry.chain),
            is_sealed: is_seal(&entry),
            edge,
        })
    }

    /// Whether the ledger that is read from `source` has, before the place, the record that the place says.
    ///
    /// # Errors
    /// The source's error.
    pub(crate) fn is_in(&self, source: &mut (impl Read + Seek)) -> io::Result<bool> {
        if source.seek(SeekFrom::End(0))? < self.bytes {
            return Ok(false);
        }
        let start = self.bytes.saturating_sub(MAX_LINE_BYTES as u64);
        source.seek(SeekFrom::Start(start))?;
        let mut lines = Vec::new();
        let length = self.bytes.saturating_sub(start);
        source.take(length).read_to_end(&mut lines)?;
        let last = lines.split_inclusive(|byte| *byte == b'\n').next_back();
        let last = last.filter(|line| line.ends_with(b"\n"));
        let Some(entry) = last.and_then(|line| ledger_line::parse(line).ok()) else {
            return Ok(false);
        };
        Ok(is_committed(&entry)
            && entry.sequence.checked_add(1) == Some(self.edge.size())
            && Some(entry.chain) == self.head
            && is_seal(&entry) == self.is_sealed)
    }

    /// Grows the tree by the records that follow in `source`, up to a size of `until` records, or to the end of the ledger.
    /// Each must be in the form of its tag, and bound to the one before. Gives whether all of them are, and there are as
    /// many; where not, the place is after the last good one. Shows each hash that the tree has because of them, with its
    /// place among a log's hashes.
    ///
    /// # Errors
    /// The source's error.
    pub(crate) fn grow(
        &mut self,
        source: &mut (impl Read + Seek),
        until: Option<u64>,
        show: &mut dyn FnMut(u64, tlog::Hash),
    ) -> io::Result<bool> {
        source.seek(SeekFrom::Start(self.bytes))?;
        let mut lines = LineReader::new(source);
        while until.is_none_or(|until| self.edge.size() < until) {
            match lines.next_line()? {
                Some((_, LedgerLine::Whole(line))) if self.take(line, show).is_some() => {}
                Some(_) => return Ok(false),
                None => return Ok(until.is_none()),
            }
        }
        Ok(until.is_none_or(|until| self.edge.size() == until))
    }

    /// Takes the next line; `None` where it is not one that may follow.
    fn take(&mut self, line: &[u8], show: &mut dyn FnMut(u64, tlog::Hash)) -> Option<()> {
        let entry = ledger_line::parse(line).ok()?;
        let follows = entry.sequence == self.edge.size()
            && is_committed(&entry)
            && chain(self.head.as_ref(), &entry.commit) == entry.chain;
        if self.is_sealed || !follows {
            return None;
        }
        RecordContents::read_entry(&entry)?;
        self.edge.append_and_show(&entry.commit, show).ok()?;
        self.bytes = self.bytes.saturating_add(line.len() as u64);
        self.head = Some(entry.chain);
        self.is_sealed = is_seal(&entry);
        Some(())
    }
}

fn is_committed(entry: &Entry<'_>) -> bool {
    commit(entry.tag.as_str().as_bytes(), entry.payload) == entry.commit
}

fn is_seal(entry: &Entry<'_>) -> bool {
    entry.tag == Tag::Proof
        && matches!(
            RecordContents::read_entry(entry),
            Some(RecordContents::Seal(_))
        )
}
