//! A ledger file read record by record, verified on the way: hashes, chain, form, order, witnesses and models.
//!
//! A reader takes no lock, and gives good records only. While something writes to the ledger it sees the whole lines
//! that are there, and where it has read them all, it may be asked again later. formats.md §6; SRS-004 §13.
//! Determinism: D2.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog::agent::stimulus::{TIME_ORACLE, extract_timestamp};
use axilog::hash::{Hash, Tag};
use axilog::replay::Verdict;

use crate::error::{FileError, LedgerError, LedgerFault};
use crate::file::beginning::BEGINNING_BYTES;
use crate::file::lines::{LedgerLine, LineReader};
use crate::ledger_input::open_ledger;
use crate::record_contents::{OracleSteps, RecordContents};
use crate::verify::{
    DeployedRecord, ExaminedLine, VerificationReport, VerifiedRecord, describe_other_file, examine,
    may_begin_ledger, take_line,
};

/// The most looks at one place of a ledger that something is writing.
const MAX_LOOKS: u32 = 5;

/// The records that a reader gives. The others are read and verified too.
#[derive(Clone, Debug, Default)]
pub struct RecordFilter {
    /// The tags of the records; empty for every one.
    pub tags: Vec<Tag>,
    /// The oracle whose answers, and the records after each up to the next observation, are given; `None` for every
    /// one.
    pub oracle: Option<String>,
    /// The sequence of the first record.
    pub first: u64,
    /// The sequence of the last record, after which nothing is read; `None` for the ledger's last.
    pub last: Option<u64>,
}

/// A record that was read and verified.
pub struct ReadRecord<'a> {
    /// The record with its place in the chain and in the file.
    pub verified: VerifiedRecord<'a>,
    /// What the record says.
    pub contents: RecordContents<'a>,
    /// The last time that the ledger holds up to this record; 0 before the first.
    pub time: u64,
}

/// A reader of a ledger file.
pub struct LedgerReader {
    path: PathBuf,
    file: Arc<File>,
    lines: LineReader<Arc<File>>,
    /// The length of the file when `lines` began.
    length: u64,
    /// The offset after the last record.
    end: u64,
    /// The bytes after the last line feed, where the reader has come to the end.
    torn: u64,
    has_ended: bool,
    previous: Option<Hash>,
    checked: VerificationReport,
    filter: RecordFilter,
    steps: Option<OracleSteps>,
    time: u64,
}

impl LedgerReader {
    /// Opens the ledger at `path`, to give the records that `filter` selects.
    ///
    /// # Errors
    /// As [`open_ledger`].
    pub fn open(path: &Path, filter: RecordFilter) -> Result<LedgerReader, LedgerError> {
        let file = Arc::new(open_ledger(path)?);
        Ok(LedgerReader {
            path: path.to_owned(),
            lines: LineReader::new(file.clone()),
            length: length_of(&file, path)?,
            file,
            end: 0,
            torn: 0,
            has_ended: false,
            previous: None,
            checked: VerificationReport::new(),
            steps: filter.oracle.as_deref().map(OracleSteps::of),
            filter,
            time: 0,
        })
    }

    /// Reads up to the next record that the filter selects, and calls `see` with it. `None` where the ledger has no
    /// further one yet; bytes after the last line feed are none, since a writer may be at work on them.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`] at the first bad record, and at every later call; [`FileError::Io`].
    pub fn read_next<T>(
        &mut self,
        see: impl FnOnce(&ReadRecord<'_>) -> T,
    ) -> Result<Option<T>, LedgerError> {
        if let Some(fault) = &self.checked.fault {
            return Err(self.damaged(fault.clone()));
        }
        if self.has_ended {
            self.look_again()?;
        }
        let mut looks = 1;
        loop {
            let sequence = self.checked.replay.entries();
            if self.filter.last.is_some_and(|last| sequence > last) {
                return Ok(None);
            }
            let line = match self.lines.next_line() {
                Ok(line) => line,
                Err(error) => {
                    // The next call reads on from the last record.
                    self.has_ended = true;
                    return Err(cannot_read(&self.path)(error).into());
                }
            };
            let line = match line {
                None => return Ok(self.end_behind(0)),
                Some((_, LedgerLine::Torn(bytes))) if self.end > 0 || may_begin_ledger(bytes) => {
                    let torn = bytes.len() as u64;
                    return Ok(self.end_behind(torn));
                }
                Some((_, line)) => line,
            };
            let bytes = match line {
                LedgerLine::Whole(bytes) => bytes.len() as u64,
                LedgerLine::Torn(_) | LedgerLine::TooLong => 0,
            };
            let examined = examine(line, &mut self.previous);
            let ExaminedLine::Record(record) = &examined else {
                // It may be the first half of a torn line that a writer moves aside, and the second of the line in
                // its place.
                if looks < MAX_LOOKS && length_of(&self.file, &self.path)? != self.length {
                    looks += 1;
                    self.begin_at_end()?;
                    continue;
                }
                let refusal = take(&mut self.checked, &examined, self.end);
                return Err(self.refuse(refusal.unwrap_or_else(unreadable)));
            };
            if let Some((verdict, reason)) = take(&mut self.checked, &examined, self.end) {
                let deployed = match verdict {
                    Verdict::NonCanonical => DeployedRecord::read(record.entry()),
                    _ => None,
                };
                let reason = deployed.map_or(reason, |deployed| deployed.describe());
                return Err(self.refuse((verdict, reason)));
            }
            let verified = VerifiedRecord {
                entry: *record.entry(),
                offset: self.end,
                observation: record.observation().copied(),
            };
            let Some(contents) = RecordContents::read(&verified) else {
                return Err(self.refuse(unreadable()));
            };
            self.end = self.end.saturating_add(bytes);
            if let RecordContents::Observation(view) = &contents
                && view.oracle_id.is(TIME_ORACLE.as_bytes())
            {
                let time = extract_timestamp(verified.entry.payload);
                self.time = self.time.max(time.unwrap_or_default());
            }
            let is_of_oracle = (self.steps.as_mut()).is_none_or(|steps| steps.take(&contents));
            let tags = &self.filter.tags;
            if is_of_oracle
                && sequence >= self.filter.first
                && (tags.is_empty() || tags.contains(&verified.entry.tag))
            {
                return Ok(Some(see(&ReadRecord {
                    verified,
                    contents,
                    time: self.time,
                })));
            }
        }
    }

    /// The path of the ledger.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The verification of the records that were read.
    #[must_use]
    pub fn verification(&self) -> &VerificationReport {
        &self.checked
    }

    /// The offset after the last record that was read.
    #[must_use]
    pub fn end_offset(&self) -> u64 {
        self.end
    }

    /// The number of bytes after the last line feed, where the last call came to the end of the file: a line that is
    /// being written, or whose write was interrupted.
    #[must_use]
    pub fn torn_bytes(&self) -> u64 {
        self.torn
    }

    /// The last time that was read; 0 before the first.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }

    fn end_behind<T>(&mut self, torn: u64) -> Option<T> {
        self.has_ended = true;
        self.torn = torn;
        None
    }

    /// Prepares to read on where the end was, which something may have written after.
    fn look_again(&mut self) -> Result<(), LedgerError> {
        let length = length_of(&self.file, &self.path)?;
        if length < self.end {
            let reason = format!(
                "the file has {length} bytes, and had {} in whole lines when they were read: its end was cut off",
                self.end
            );
            return Err(self.refuse((Verdict::Truncated, reason)));
        }
        self.begin_at_end()?;
        self.torn = 0;
        self.has_ended = false;
        Ok(())
    }

    fn begin_at_end(&mut self) -> Result<(), LedgerError> {
        self.length = length_of(&self.file, &self.path)?;
        (&*self.file)
            .seek(SeekFrom::Start(self.end))
            .map_err(cannot_read(&self.path))?;
        self.lines = LineReader::new(self.file.clone());
        Ok(())
    }

    /// Ends the reading with a fault.
    fn refuse(&mut self, (verdict, mut reason): (Verdict, String)) -> LedgerError {
        if self.end == 0
            && let Ok(beginning) = self.read_beginning()
            && !may_begin_ledger(&beginning)
        {
            reason = describe_other_file(&beginning);
        }
        self.checked.replay.refuse(verdict);
        let fault = LedgerFault {
            verdict,
            sequence: self.checked.replay.entries(),
            offset: self.end,
            reason,
        };
        self.checked.fault = Some(fault.clone());
        self.damaged(fault)
    }

    fn damaged(&self, fault: LedgerFault) -> LedgerError {
        LedgerError::Damaged {
            path: self.path.clone(),
            fault,
        }
    }

    fn read_beginning(&self) -> io::Result<Vec<u8>> {
        let mut file = &*self.file;
        file.rewind()?;
        let mut beginning = Vec::new();
        file.take(BEGINNING_BYTES as u64)
            .read_to_end(&mut beginning)?;
        Ok(beginning)
    }
}

/// Takes the line at `offset` and gives the verdict and the reason where it is bad.
fn take(
    checked: &mut VerificationReport,
    line: &ExaminedLine<'_>,
    offset: u64,
) -> Option<(Verdict, String)> {
    take_line(checked, line, offset, None, &[], &mut |_| {})
}

fn unreadable() -> (Verdict, String) {
    let reason = "the record is not what its tag says".to_owned();
    (Verdict::NonCanonical, reason)
}

fn length_of(file: &File, path: &Path) -> Result<u64, FileError> {
    let metadata = file.metadata().map_err(cannot_read(path))?;
    Ok(metadata.len())
}

fn cannot_read(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    FileError::from_io(path, "read the ledger")
}
